"""``TTL_TARGET=device``: a called operation is compiled, and launched by the real ttnn.

A call is compiled once for arguments of a kind. Later calls of that kind compare the arguments, put changed addresses
into the program, and launch it; ttnn caches the built program and sends only changed arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ttl.check.seen import CallCache
from ttl.codegen.arguments import argument_of
from ttl.codegen.description import ProgramDescription
from ttl.codegen.entries import Address
from ttl.codegen.objects import MeshProgram, build_mesh_program, build_program
from ttl.diag import Diagnostic, ProgramError, error
from ttl.lang.operation import Operation
from ttl.settings import Settings
from ttl.source.spans import is_our_file, user_span

Compiler = Callable[
    [Any, Operation, tuple[Any, ...], dict[str, Any], Settings], tuple[ProgramDescription, list[Any]]
]
"""A function that makes the program of a call: its description, and its tensors in the order of the description."""

# Replaces tensors in the key of a call: their specifications are compared separately.
_TENSOR = object()


def launch(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> None:
    """Run an operation on the card of its tensors.

    Raises ``ProgramError``: TTL1440 without the real ttnn, TTL1434 for a tensor that is on no device, and the errors
    of the front end, the checks and the compiler.
    """
    kept = operation.programs
    if type(kept) is not Programs:
        kept = operation.programs = Programs(_library(chosen), operation)
    program = kept.find(args, kwargs, chosen)
    if program is None:
        program = kept.add(args, kwargs, chosen)
    program.launch(args, kwargs)


class Programs:
    """The compiled programs of one operation, by the kinds of calls for which they were compiled."""

    def __init__(self, ttnn: Any, operation: Operation, compiler: Compiler | None = None) -> None:
        self._ttnn = ttnn
        self._tensor: Any = ttnn.Tensor
        self._compiler = compiler
        self._operation = operation
        self._seen: CallCache[DeviceProgram] = CallCache(operation.function)

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> DeviceProgram | None:
        """Return the program that was compiled for arguments of this kind; None if there is no such program."""
        plain = self._plain(args, kwargs)
        specs = self._specs(args, kwargs)
        known = self._seen.known(self._seen.key(*plain, chosen))
        return next((program for program in known if program.specs == specs), None)

    def add(self, args: tuple[Any, ...], kwargs: dict[str, Any], chosen: Settings) -> DeviceProgram:
        """Compile the operation for these arguments."""
        compiler = self._compiler or _compiler()
        description, tensors = compiler(self._ttnn, self._operation, args, kwargs, chosen)
        program = _program(self._ttnn, description, tensors, args, kwargs, self._specs(args, kwargs))
        plain = self._plain(args, kwargs)
        self._seen.keep(self._seen.key(*plain, chosen), *plain, program)
        return program

    def _plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with a placeholder for each tensor of the real library."""
        kind = self._tensor
        plain = tuple([_TENSOR if isinstance(arg, kind) else arg for arg in args])
        if kwargs:
            kwargs = {name: _TENSOR if isinstance(item, kind) else item for name, item in kwargs.items()}
        return plain, kwargs

    def _specs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return for each tensor its type, its device, and the position of the first argument that is the same tensor."""
        kind = self._tensor
        tensors = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, kind)]
        known = [id(tensor) for tensor in tensors]
        return [
            (tensor.spec, tensor.device(), known.index(name))
            for tensor, name in zip(tensors, known, strict=True)
        ]


@dataclass(eq=False, slots=True)
class DeviceProgram:
    """A program, ready to be launched."""

    ttnn: Any
    generic_op: Callable[[list[Any], Any], Any]
    descriptor: Any
    specs: list[Any]
    """The tensors among the arguments: their types and their devices."""
    sources: list[int | str | None]
    """The position or name of the argument that is each tensor; None for a tensor that is not an argument itself."""
    tensors: list[Any]
    """The tensors of the last launch, in the order of the description; tensors that are not arguments do not change."""
    kernels: list[tuple[Any, list[tuple[int, int]]]]
    """The kernels with addresses among their arguments: for each address its position, and its tensor."""
    addresses: list[int] = field(default_factory=list)
    description: ProgramDescription | None = None
    """The description of a program for several chips, which is built again when addresses change."""
    mesh: MeshProgram | None = None

    def launch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Update the addresses of the tensors of a call that have changed, and run the program."""
        tensors = self.tensors
        for index, source in enumerate(self.sources):
            if source is not None:
                tensors[index] = args[source] if isinstance(source, int) else kwargs[source]
        addresses = [tensor.buffer_address() for tensor in tensors]
        if addresses != self.addresses:
            self._send(addresses)
        if self.mesh is not None:
            self._reset(self.mesh)
        self.generic_op(tensors if len(tensors) > 1 else tensors * 2, self.descriptor)

    def _reset(self, mesh: MeshProgram) -> None:
        """Set the global semaphores with ``resets`` to their initial values, while no program runs on any chip."""
        assert self.description is not None
        ours = [item for item in self.description.global_semaphores if item.resets]
        if ours:
            self.ttnn.synchronize_device(self.tensors[0].device())
        for item in ours:
            self.ttnn.reset_global_semaphore_value(mesh.semaphores[item.name], item.initial)
        if ours:
            self.ttnn.synchronize_device(self.tensors[0].device())

    def _send(self, addresses: list[int]) -> None:
        if self.description is not None:
            kept = None if self.mesh is None else self.mesh.semaphores
            self.mesh = build_mesh_program(self.ttnn, self.description, self.tensors, kept)
            self.descriptor = self.mesh.descriptor
        for kernel, places in self.kernels:
            words = list(kernel.common_runtime_args)
            for place, tensor in places:
                words[place] = addresses[tensor]
            kernel.common_runtime_args = words
        self.addresses = addresses


def _program(
    ttnn: Any,
    description: ProgramDescription,
    tensors: Sequence[Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    specs: list[Any],
) -> DeviceProgram:
    mesh = build_mesh_program(ttnn, description, tensors) if description.mesh else None
    descriptor = build_program(ttnn, description, tensors) if mesh is None else mesh.descriptor
    order = {tensor.name: position for position, tensor in enumerate(description.tensors)}
    kernels = []
    for kernel, new_kernel in (
        zip(description.kernels, descriptor.kernels, strict=True) if mesh is None else ()
    ):
        places = [
            (place, order[word.tensor])
            for place, word in enumerate(kernel.common_args)
            if isinstance(word, Address)
        ]
        if places:
            kernels.append((new_kernel, places))
    return DeviceProgram(
        ttnn=ttnn,
        description=description if description.mesh else None,
        mesh=mesh,
        generic_op=ttnn.generic_op,
        descriptor=descriptor,
        specs=specs,
        sources=[argument_of(tensor, args, kwargs) for tensor in tensors],
        tensors=list(tensors),
        kernels=kernels,
        addresses=[tensor.buffer_address() for tensor in tensors],
    )


def _compiler() -> Compiler:
    # Imports the front end and the compiler, which a launch of a compiled program does not need.
    from ttl.codegen.compiled_calls import compile_for_card

    return compile_for_card


def _library(chosen: Settings) -> Any:
    """The real ttnn. Raises ``ProgramError`` TTL1440 if it is not installed."""
    import ttnn

    if is_our_file(ttnn.__file__ or ""):
        _fail(
            error(
                "TTL1440",
                f"{chosen.origin('target')} asks for a card, and the real ttnn, which runs programs on one, is not installed",
                notes=("'import ttnn' found the library of this package, which works without a card",),
                help="install it (pip install ttnn: for CPython 3.10 or 3.12 on Linux), or use the target sim",
            )
        )
    return ttnn


def _fail(problem: Diagnostic) -> None:
    raise ProgramError(problem.at(user_span()))
