"""The place where an operation runs: its grid, the devices of a mesh, errors outside of it (specification, "Grid")."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import prod

from ttl.arch import Chip
from ttl.diag import Diagnostic, Edit, Fix, error
from ttl.diag.remedies import Argument, DecoratorOf
from ttl.diag.values import is_int
from ttl.rules.words import describe
from ttl.source.spans import Span

# More dimensions than any grid has; a larger number is a mistake, and padding to it would take memory.
_MOST_DIMS = 64


def outside(what: str) -> Diagnostic:
    """The error for ``ttl.node()`` and similar calls outside operations (TTL0201)."""
    return error(
        "TTL0201",
        f"{what} used outside an operation",
        notes=("it only has a meaning while an operation runs on a node",),
        help="move it into a function decorated with @ttl.operation(), and call that function",
    )


def wrong_arguments(operation: str, signature: inspect.Signature, mismatch: object) -> Diagnostic:
    """The error for a call with arguments that do not fit the operation; ``mismatch`` is Python's message (TTL0208)."""
    plain = signature.replace(
        parameters=[
            parameter.replace(
                annotation=parameter.empty,
                default=parameter.empty if parameter.default is parameter.empty else ...,
            )
            for parameter in signature.parameters.values()
        ],
        return_annotation=signature.empty,
    )
    written = str(plain).replace("Ellipsis", "...")
    unexpected = re.search(r"unexpected keyword argument '(\w+)'", str(mismatch))
    near = difflib.get_close_matches(unexpected[1], signature.parameters, n=1) if unexpected else []
    return error(
        "TTL0208",
        f"operation {operation}{written} called with wrong arguments: {mismatch}",
        help=f"did you mean {near[0]}?"
        if near
        else "pass the tensors in the order the operation declares them",
    )


def nested(operation: str) -> Diagnostic:
    """The error for an operation called in another one (TTL0218)."""
    return error(
        "TTL0218",
        f"operation {operation} called inside a running operation",
        notes=("an operation occupies the whole grid; operations follow one another on the host",),
        help="call it after the other operation has returned, or write the other one as one body, which may call operations",
    )


def dimensions(function: str, dims: object) -> int | Diagnostic:
    """The number of dimensions from the user's ``dims`` of ``ttl.node`` or ``ttl.grid_size``, or an error (TTL0202)."""
    whole = is_int(dims)
    if whole and 1 <= int(dims) <= _MOST_DIMS:  # type: ignore[call-overload]
        return int(dims)  # type: ignore[call-overload, no-any-return]
    at_most = f" of at most {_MOST_DIMS}" if whole and int(dims) > _MOST_DIMS else ""  # type: ignore[call-overload]
    return error(
        "TTL0202",
        f"dims of ttl.{function}() is a positive int{at_most}, not {describe(dims)}",
        help=f"write ttl.{function}(dims=2) for (x, y), dims=1 for one flat number",
    ).remedied_by(Argument(name="dims", value="2", position=0))


def no_grid(value: object) -> Diagnostic:
    """The error for a value that is not a grid (TTL0207)."""
    return error(
        "TTL0207",
        f"grid of an operation is a tuple of positive ints, 'full' or 'auto', not {describe(value)}",
        help='write @ttl.operation(grid=(8, 8)), or grid="full" for all the device has',
    ).remedied_by(Argument(name="grid", value="(8, 8)", position=0))


def match_device(operation: str, grid: tuple[int, ...], chip: Chip) -> Diagnostic | None:
    """The error for a grid whose last two extents do not fit a device (TTL0220), or None."""
    needed = (*grid, 1)[:2] if len(grid) < 2 else grid[-2:]
    if all(extent <= available for extent, available in zip(needed, chip.grid, strict=True)):
        return None
    return error(
        "TTL0220",
        f"grid {grid} of operation {operation} is larger than the device's {chip.grid}",
        notes=(f"a {chip.name} device has a compute grid of {chip.grid[0]}x{chip.grid[1]} nodes",),
        help=(
            *_swapped(grid, needed, chip),
            'use a smaller grid, grid="full" for all the device has, or another device with --arch',
        ),
    ).remedied_by(
        DecoratorOf(description='write grid="full"', remedy=Argument(name="grid", value='"full"', position=0))
    )


def _swapped(grid: tuple[int, ...], needed: tuple[int, ...], chip: Chip) -> tuple[str, ...]:
    """The advice to swap the last two extents of a grid, if it fits the device then."""
    swapped = (needed[1], needed[0])
    if any(extent > available for extent, available in zip(swapped, chip.grid, strict=True)):
        return ()
    return (f"are x and y the wrong way round? grid={(*grid[:-2], *swapped)} fits",)


def match_mesh(grid: tuple[int, ...], devices: int | None) -> Diagnostic | None:
    """The error for a grid of more than two dimensions that does not span the arguments' devices (TTL0221), or None.

    ``devices`` is None if the arguments are not on a mesh. One device is a mesh of one: leading extents of 1 fit it.
    """
    needed = prod(grid[:-2])
    if len(grid) <= 2 or devices == needed or (devices is None and needed == 1):
        return None
    have = (
        "no argument is on a mesh" if devices is None else f"the arguments are on a mesh of {devices} devices"
    )
    return error(
        "TTL0221",
        f"grid {grid} spans {needed} devices, but {have}",
        notes=("the extents before the last two are those of the mesh",),
        help=f"open a mesh with ttnn.open_mesh_device(ttnn.MeshShape(...)) of {needed} devices and put the tensors on it",
    )


def match_places(operation: str, on_device: Mapping[str, bool]) -> Diagnostic | None:
    """The error for a call with some tensors on the host and some on a device (TTL0241), or None.

    ``on_device`` says for each argument whether it is on a device. A program without a device has all on the host.
    """
    host = [name for name, on in on_device.items() if not on]
    if not host or len(host) == len(on_device):
        return None
    other = next(name for name, on in on_device.items() if on)
    return error(
        "TTL0241",
        f"argument {host[0]} of operation {operation} is on the host, and {other} is on the device",
        notes=("kernels read and write tensors in the memory of the device",),
        help="make it with device=device, or move it there: ttnn.to_device(tensor, device)",
    )


def moved_to_the_device(finding: Diagnostic, call: Span, tensor: str, other: str) -> Diagnostic:
    """Add a fix that moves the variable ``tensor`` to the device of ``other`` before the call, which is a statement.

    The fix does not move it in the call itself, because an output that is moved there would be lost.
    """
    move = f"{tensor} = ttnn.to_device({tensor}, {other}.device())"
    start = replace(call, end_line=call.line, end_column=call.column)
    edit = Edit(span=start, replacement=move + "\n" + " " * (call.column - 1))
    return finding.fixed_by(Fix(description=f"write {move} before the call", edits=(edit,)))


def match_sizes(devices: Collection[int]) -> Diagnostic | None:
    """The error for arguments on meshes of different sizes, which are ``devices`` (TTL0222), or None."""
    if len(devices) <= 1:
        return None
    return error(
        "TTL0222",
        f"arguments are on meshes of different sizes: {' and '.join(map(str, sorted(devices)))} devices",
        help="put all tensors of one call on the same mesh",
    )


def not_on_the_devices(devices: int) -> Diagnostic:
    """The error for a tensor on a mesh on which the operation was not launched (TTL0232)."""
    return error(
        "TTL0232",
        f"a tensor on a mesh of {devices} devices in an operation that was not launched on them",
        notes=("an operation runs on the devices that the tensors among its arguments are on",),
        help="pass the tensor to the operation as an argument",
    )


def nothing_to_profile(name: str, why: str, advice: str) -> Diagnostic:
    """The error for ``ttl.profile`` of code that launches nothing where cycles are counted (TTL1518)."""
    return error("TTL1518", f"there is nothing to profile in {name}: {why}", help=advice)
