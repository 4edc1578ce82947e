"""Compilation of a call of an operation for the targets ``device`` and ``emu``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ttl import settings
from ttl.arch import all_chips
from ttl.check.choosing import completed
from ttl.check.module import check_module
from ttl.codegen import debug_info
from ttl.codegen.compile import compile_module
from ttl.codegen.description import ProgramDescription
from ttl.codegen.descriptor import on_the_host
from ttl.codegen.translation import Translation
from ttl.diag import Diagnostic, InternalError, ProgramError, Severity
from ttl.diag.families import Family
from ttl.diag.report import emit
from ttl.frontend.live import lower_call
from ttl.frontend.lowered import Lowered
from ttl.frontend.refusals import no_source
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.session.switches import folder_of_dumps
from ttl.settings import Settings, current_chip
from ttl.source.spans import user_span

if TYPE_CHECKING:
    from ttl.codegen.explanation import RemarkOrChoice


def compile_call(
    operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[ProgramDescription, list[Tensor]]:
    """Compile a call with tensors of our library; return the program, and the tensors in the order of the description.

    The program is for the chip of the settings. Raises ``ProgramError`` with the errors of the front end, the checks or
    the compiler; their other findings are shown.
    """
    lowered = read_call(operation, args, kwargs)
    if not is_complete(lowered):
        raise ProgramError(no_source(f"operation {operation.function.__name__}").at(user_span()))
    chosen = settings.current()
    description = compile_read(lowered, chosen)
    if (folder := folder_of_dumps(chosen.dump)) is not None:
        debug_info.write(folder, debug_info.debug_info(description, lowered.module))
    return description, list(lowered.calls[0].tensors)


def read_call(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Lowered:
    """Lower a call to IR; raise its errors and show its other findings."""
    lowered = lower_call(operation, args, kwargs, host_calls="any")
    report(lowered.diagnostics)
    return lowered


def is_complete(lowered: Lowered) -> bool:
    """Whether the front end has read all of a call, so that it can be compiled."""
    return bool(lowered.calls) and lowered.calls[0].complete


def compile_read(
    lowered: Lowered, chosen: Settings, remarks: list[RemarkOrChoice] | None = None
) -> ProgramDescription:
    """Check a lowered call, unless the settings switch that off, and compile it; ``remarks`` gets the compiler's decisions."""
    if chosen.check != "off":
        report(check_module(lowered.module, settings=chosen, strict=chosen.strict))
    compiled = compile_module(lowered.module, chosen)
    report(compiled.diagnostics)
    if remarks is not None:
        remarks += [*compiled.remarks, *(point for points in compiled.choices for point in points)]
    (description,) = compiled.descriptions
    return description


def compile_for_card(
    ttnn: Any, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings
) -> tuple[ProgramDescription, list[Any]]:
    """Compile a call with tensors of the real library, as ``compile_call`` does, for the chip that the tensors are on.

    Also raises ``ProgramError`` TTL1434 for a tensor that is on no device.
    """
    device = _device(ttnn, operation, args, kwargs)
    with settings.overriding(_fitting(device, chosen), {}) as own:
        translation = Translation(ttnn, current_chip(own))
        translated = translation.operation(operation)
        values = tuple(translation.value(arg) for arg in args)
        keywords = {name: translation.value(item) for name, item in kwargs.items()}
        if translated.tunable is not None:
            values, keywords, own = completed(translated, values, keywords, own)
        with settings.override(compile_option=own.compile_option):
            description, tensors = compile_call(translated, values, keywords)
    return description, [translation.real(tensor) for tensor in tensors]


def report(findings: Iterable[Diagnostic]) -> None:
    """Raise the errors among findings, and show the others."""
    errors = []
    for finding in findings:
        if finding.severity is Severity.ERROR:
            errors.append(finding)
        else:
            emit(finding, once=True)
    if any(finding.family is Family.DEFECTS for finding in errors):
        raise InternalError(*errors)
    if errors:
        raise ProgramError(*errors)


def _device(ttnn: Any, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the device of the tensors among the arguments, else the default device.

    Raises ``ProgramError`` TTL1434 for a tensor on the host.
    """
    bound = operation.signature.bind(*args, **kwargs).arguments
    devices = {name: value.device() for name, value in bound.items() if isinstance(value, ttnn.Tensor)}
    for name, device in devices.items():
        if device is None:
            raise ProgramError(on_the_host(name).at(user_span()))
    return next(iter(devices.values()), None) or ttnn.GetDefaultDevice()


def _fitting(device: Any, chosen: Settings) -> dict[str, Any]:
    """Return the settings for the chip of a device: its name and its grid, or the smaller grid of the settings."""
    if device is None:
        return {}
    grid = device.compute_with_storage_grid_size()
    result = (int(grid.x), int(grid.y))
    if chosen.grid is not None and all(
        asked <= there for asked, there in zip(chosen.grid, result, strict=True)
    ):
        result = chosen.grid
    name = str(device.arch()).rpartition(".")[2].lower()
    arch = next((chip.name for chip in all_chips() if chip.arch == name), chosen.arch)
    return {"arch": arch, "grid": result}
