"""Calls of the user's own C++: the arguments they take, and their effects on buffers (0.21, "External functions")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import Argument, DropArguments
from ttl.diag.words import listed
from ttl.rules.words import describe

EffectKind = Literal["reserve", "push", "wait", "pop"]
TensorAccessKind = Literal["read", "write"]
Effect = tuple[EffectKind, int, int]
"""The kind of an effect, the number that stands for its buffer, and its number of tiles."""
MOST_EFFECTS = 4096
ASSERTED = "does to its buffers what its dfb_effects declare"
TOUCHED = "reads and writes only those parts of tensors that its tensor_accesses declare"
ANSWERED = "gives for its ttl.DispatchCondition what this node was given before"
"""Conditions that an emulated chip checks: at all calls, at calls with accesses to tensors, at calls with an answer."""
_OPENS: Mapping[EffectKind, EffectKind] = {"push": "reserve", "pop": "wait"}


def no_stand_in(callee: str, header: str) -> Diagnostic:
    """The error for an external function without a stand-in in the simulator (TTL0260)."""
    return error(
        "TTL0260",
        f"the simulator cannot run C++, and there is no stand-in for {callee} of {header}",
        help=f'write one in Python, with the template_args and func_args of the call as parameters: @ttl.extern("{callee}") above '
        "def stand_in(x_dfb, y_dfb), which does to the buffers what the C++ does: with x_dfb.wait() as x, "
        "y_dfb.reserve() as y: y.store(...); or run the program on the emulated chip (--target emu), which runs the C++",
    )


def no_argument(what: str, wanted: str, value: object) -> Diagnostic:
    """The error for a wrong argument (TTL0261)."""
    return error("TTL0261", f"{what} takes {wanted}, not {describe(value)}", help="see 'ttl explain TTL0261'")


def not_understood(what: str) -> Diagnostic:
    """The error for an argument that newer compilers accept and this one does not (TTL0262)."""
    return error(
        "TTL0262",
        f"{what} of external functions is not supported",
        notes=("numbers, dataflow buffers and tensors can be passed, and an integer can be returned",),
        help="pass numbers, buffers and tensors; results of the function go into a buffer",
    ).remedied_by(DropArguments(names=(what,)))


def tensor_in_compute(callee: str, what: str) -> Diagnostic:
    """The error for a tensor that is passed to C++ in a compute kernel (TTL0262)."""
    return error(
        "TTL0262",
        f"{callee} is called in {what} with a tensor, which only data movement kernels can copy from and to",
        help="pass ttl.raw_addr(tensor) for its address, or call the function in a data movement kernel",
    )


def opaque(callee: str) -> Diagnostic:
    """The error for a buffer that is passed without a declaration of the effects on it (TTL0262)."""
    return error(
        "TTL0262",
        f"{callee} gets a dataflow buffer, but does not declare what it does to it",
        notes=("a program cannot be checked if a function may do anything to its buffers",),
        help="declare dfb_effects=[ttl.DFBEffect.wait(dfb, tiles=1), ttl.DFBEffect.pop(dfb, tiles=1), ...], or "
        "dfb_accesses=[ttl.DFBAccess.inspect(dfb)]",
    )


def match_effects(callee: str, effects: Sequence[Effect]) -> Diagnostic | None:
    """Return the error in the declared effects taken by themselves (TTL0263), or None."""
    open_: dict[tuple[EffectKind, int], int] = {}
    if len(effects) > MOST_EFFECTS:
        return _wrong(callee, f"there are {len(effects)}, but at most {MOST_EFFECTS} are allowed")
    for kind, buffer, tiles in effects:
        if tiles <= 0:
            return _wrong(callee, f"{kind} is of {tiles} tiles")
        opening = _OPENS.get(kind)
        key = (opening or kind, buffer)
        if opening is not None and open_.get(key, 0) < tiles:
            return _wrong(callee, f"a {kind} of {tiles} has no {opening} of as many before it")
        open_[key] = open_.get(key, 0) + (tiles if opening is None else -tiles)
    left = next((kind for (kind, _), tiles in open_.items() if tiles), None)
    if left is not None:
        return _wrong(callee, f"it keeps the blocks that it gets by {left}")
    return None


def whole_blocks(callee: str, kind: str, buffer: str, tiles: int, block: int) -> Diagnostic | None:
    """Return an error if all effects of a kind on a buffer together end within a block (TTL0263), or None."""
    if tiles % block == 0:
        return None
    why = f"{kind} of {tiles} tiles together is not a whole number of blocks of {buffer}, which have {block} tiles"
    return _wrong(callee, why)


def _wrong(callee: str, why: str) -> Diagnostic:
    return error(
        "TTL0263",
        f"declared effects of {callee}: {why}",
        notes=("each call must reserve and push, wait for and pop whole blocks, and must not keep any",),
        help="declare the effects of one call, in order",
    )


def other_effects(
    callee: str, buffer: str, declared: Mapping[str, int], done: Mapping[str, int]
) -> Diagnostic:
    """The error for a stand-in whose effects on a buffer differ from the declared ones (TTL0264)."""

    def said(blocks: Mapping[str, int]) -> str:
        return ", ".join(f"{kind} {count}" for kind, count in blocks.items())

    return error(
        "TTL0264",
        f"the stand-in of {callee} does to the blocks of {buffer}: {said(done)}; declared is: {said(declared)}",
        help="declare what it does in dfb_effects, or let it do what is declared",
    )


def other_access(callee: str, does: TensorAccessKind, part: str) -> Diagnostic:
    """The error for a stand-in that reads or writes a part of a tensor without a declaration in the call (TTL0264)."""
    return error(
        "TTL0264",
        f"the stand-in of {callee} {does}s {part} of a tensor, and no tensor_accesses of the call declare that",
        help=f"declare it: tensor_accesses=[ttl.TensorAccess.{does}(tensor{part}), ...]",
    )


def no_result(callee: str, value: object, bits: int) -> Diagnostic:
    """The error for a stand-in whose result is not an integer of the declared type (TTL0264)."""
    return error(
        "TTL0264",
        f"the stand-in of {callee} returns {describe(value)}; declared is ttl.ScalarType.I{bits}",
        help=f"return an integer of {bits} bits",
    )


def other_answer(callee: str, value: int, before: int) -> Diagnostic:
    """The error for a condition whose value changes on one node (TTL0264)."""
    return error(
        "TTL0264",
        f"{callee} gives {value} for a ttl.DispatchCondition that was {before} before, on the same node in the same launch",
        help="let it give the same wherever this condition is asked, or make another condition",
    )


def other_kernel(callee: str, wanted: str, what: str) -> Diagnostic:
    """The error for a call in a kernel of another kind than ``kernel=`` names (TTL0265)."""
    other = "DATA_MOVEMENT" if wanted == "compute" else "COMPUTE"
    return error(
        "TTL0265",
        f"{callee} is for a {wanted} kernel and called in {what}",
        help=f"call it in a {wanted} kernel, or change kernel=",
    ).remedied_by(Argument(name="kernel", value=f"ttl.KernelKind.{other}"))


def named_kernel(callee: str, wanted: str, what: str) -> Diagnostic:
    """The error for a call in another kernel than ``kernel=`` names (TTL0265)."""
    return error(
        "TTL0265",
        f"{callee} is for kernel {wanted}, which its kernel= names, and called in {what}",
        help=f"call it in kernel {wanted}, or leave kernel= out",
    ).remedied_by(DropArguments(description="leave it out", names=("kernel",)))


def outside_kernel(callee: str) -> Diagnostic:
    """The error for a call in the body of an operation with kernels (TTL0265)."""
    return error("TTL0265", f"{callee} is called in the operation's body", help="call it in a kernel")


def no_thread(callee: str) -> Diagnostic:
    """The error for a call in one body that does not name its thread (TTL0265)."""
    return error(
        "TTL0265",
        f"{callee} is called in one body, and it is not known for which thread",
        help="write kernel=ttl.KernelKind.COMPUTE or kernel=ttl.KernelKind.DATA_MOVEMENT",
    )


def no_header(header: str, folders: Sequence[str]) -> Diagnostic:
    """The error for a header that is not found (TTL0266)."""
    return error(
        "TTL0266",
        f"header {header} is not in the program's folder"
        + (f", and not in {listed(list(folders))}" if folders else ""),
        help="put it into the program's folder, or name its folder in include_paths=[...]",
    )


def beside_mathematics(callee: str, kernel: str) -> Diagnostic:
    """The error for a call of C++ in a compute kernel that also computes itself (TTL0267)."""
    return error(
        "TTL0267",
        f"{callee} is called in compute kernel {kernel}, which also computes with blocks",
        notes=(
            "C++ sets the units of the core as it needs them, and what the compiler set before would be wrong after it",
        ),
        help="let the external function do all that this kernel computes, or compute in an operation before or after it",
    )
