"""Values, blocks and their states in words, for hovers, hints and completions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from ttl.protocol.blocks import Acquired, KernelKind, State, Step, next_state, role_of
from ttl.service.facts import Extent, TensorKind, ValueFact

if TYPE_CHECKING:
    from ttl.rows.types import BlockType

STATES: Mapping[State, str] = MappingProxyType(
    {
        State.MUST_BE_WRITTEN: "must be written",
        State.MUST_BE_READ: "written, not read yet",
        State.READ_WRITE: "may be read and written",
        State.READ_ONLY_WHILE_READING: "being copied from, read only",
        State.NO_ACCESS_WHILE_WRITING: "being copied into, no access",
        State.OUT_OF_SCOPE: "released",
        State.UNREAD: "filled, not read yet",
        State.IN_PARTS: "used in parts",
    }
)
_STEPS: Mapping[Step, str] = MappingProxyType(
    {
        Step.COPY_IN: "copy into it",
        Step.COPY_OUT: "copy from it",
        Step.COPY_IN_DONE: "wait for the copy",
        Step.COPY_OUT_DONE: "wait for the copy",
        Step.READ: "read it",
        Step.STORE: "store into it",
        Step.PUSH: "push it",
        Step.POP: "pop it",
        Step.READ_ELEMENT: "read its elements",
        Step.WRITE_ELEMENT: "write its elements",
    }
)
_RANGE = re.compile(r"(-?\d+) to (-?\d+)(, known on the node only)?$")


def states(several: Iterable[State | None]) -> str:
    """The states that a block may be in."""
    words = ["not acquired yet" if state is None else STATES[state] for state in several]
    return " or ".join(dict.fromkeys(words))


def next_steps(several: Sequence[State], acquired: Acquired, kind: KernelKind) -> str:
    """Return the steps that a kernel may take next with a block in any of these states; empty without such a step."""
    role = role_of(acquired, kind)
    legal = [step for step in Step if all(next_state(role, state, step) is not None for state in several)]
    *first, last = dict.fromkeys(_STEPS[step] for step in legal) or ("",)
    return f"{', '.join(first)} or {last}" if first else last


def size(count: int) -> str:
    """A number of bytes: ``16,384 bytes``."""
    return f"{count:,} bytes"


def block_type(type_: BlockType) -> str:
    """The type of a block: ``bfloat16, (4, 2) tiles = (128, 64) elements``."""
    return f"{type_.dtype.name}, {type_.describe()}"


def short_shape(type_: BlockType) -> str:
    """The shape of a block, such as ``4x2 tiles``, for a hint at the end of a line."""
    unit = type_.layout.unit
    many = type_.shape != (1,) * len(type_.shape)
    return f"{'x'.join(map(str, type_.shape))} {unit}{'s' if many else ''}"


def extent(value: Extent) -> str:
    """An extent of a slice: ``4``, ``1 to 4``, or ``?`` if nothing is known."""
    if not isinstance(value, tuple):
        return str(value)
    low, high = value
    if low is None and high is None:
        return "?"
    if low == high:
        return str(low)
    return f"{'?' if low is None else low} to {'?' if high is None else high}"


def extents(values: Sequence[Extent]) -> str:
    """Extents as a tuple: ``(1, 4, 2)``."""
    inside = ", ".join(map(extent, values))
    return f"({inside},)" if len(values) == 1 else f"({inside})"


def tensor(kind: TensorKind) -> str:
    """A tensor: ``bfloat16, (8, 1024, 64) elements, tiled, DRAM, interleaved``."""
    shape = ", ".join("?" if extent_ is None else str(extent_) for extent_ in kind.shape)
    comma = "," if len(kind.shape) == 1 else ""
    return f"{kind.dtype}, ({shape}{comma}) elements, {kind.layout}, {kind.memory}"


def described(value: ValueFact) -> str:
    """Return the description of a value, on one line."""
    match value.kind:
        case "dataflow buffer" if value.block is not None:
            return f"{value.count} blocks of {block_type(value.block)}"
        case "block" | "expression" if value.block is not None:
            return block_type(value.block)
        case "tile value" if value.block is not None:
            return f"{value.block.dtype.name}, {extents(value.extents)} elements"
        case "tile tensor":
            return f"{value.text}, {extents(value.extents)} elements"
        case "tensor" if value.tensor is not None:
            return tensor(value.tensor)
        case "tensor slice":
            return f"{value.text}, {extents(value.extents)} {value.unit}s"
    return value.text or value.name


def several(values: Sequence[ValueFact]) -> str:
    """Return the description of a place with several values: ranges of numbers are joined, others listed."""
    texts = list(dict.fromkeys(described(value) for value in values))
    if all(value.kind == "number" for value in values) and len(texts) > 1:
        joined = _joined(texts)
        if joined is not None:
            return joined
    return " or ".join(texts[:4]) + (" or ..." if len(texts) > 4 else "")


def _joined(texts: Sequence[str]) -> str | None:
    """The range of several numbers or ranges: ``2 to 4`` for ``2``, ``3`` and ``4``; None if not all are integers."""
    low: list[int] = []
    high: list[int] = []
    suffix = ""
    for text in texts:
        limits = _RANGE.match(text)
        if limits is None and not re.fullmatch(r"-?\d+", text):
            return None
        low.append(int(limits[1] if limits else text))
        high.append(int(limits[2] if limits else text))
        suffix = (limits[3] or suffix) if limits else suffix
    return f"{min(low)} to {max(high)}{suffix}"
