"""Proposals for arguments of a call: dimensions of the operand, shapes that fit the destination, ends of copies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ttl.service import words
from ttl.service.around import Surroundings, receiver_before
from ttl.service.facts import ValueFact
from ttl.service.language import Member
from ttl.service.syntax import UnclosedCall, code_of

if TYPE_CHECKING:
    from ttl.rows.types import BlockType

# The number of dimensions of an operand, counted from the innermost, that are offered at most.
_MOST_DIMENSIONS = 4
_SIBLING = re.compile(r"([A-Za-z_][\w.]*)\s*[-+*/]\s*$")


@dataclass(frozen=True, slots=True)
class Proposal:
    """The text of an argument, and the reason why it fits."""

    text: str
    why: str
    rank: int = 1


def argument_values(here: Surroundings, known: Member, calls: Sequence[UnclosedCall]) -> Iterator[Proposal]:
    """Yield proposals for the argument at the position; ``calls`` are the open calls around it, the innermost first."""
    call = calls[0]
    number = len(call.arguments) - 1
    name = call.keyword or (known.parameters[number].name if number < len(known.parameters) else "")
    if known.qualified == "ttl.copy":
        yield from _ends(here, call)
    elif name == "dims" and known.op is not None:
        yield from _dims(here, known, call, _destinations(here, calls))
    elif name == "dims":
        yield from (Proposal(str(dims), f"{dims} dimension{'s' if dims > 1 else ''}") for dims in (1, 2))
    elif name == "shape":
        yield from _shapes(here, known, call, _destinations(here, calls))
    elif name == "likeness_tensor":
        for symbol, values in here.names():
            if values and values[0].kind == "tensor" and symbol.scope.kind != "module":
                yield Proposal(symbol.name, words.described(values[0]))


# --- dims and shape ----------------------------------------------------------------------------------------------


def _given(call: UnclosedCall, known: Member, name: str) -> str:
    """The text of the argument for a parameter, if it is already written; else an empty text."""
    for number, argument in enumerate(call.arguments):
        match = re.match(r"\s*(\w+)\s*=(?!=)(.*)", argument, re.DOTALL)
        if match is not None:
            if match[1] == name:
                return match[2].strip()
        elif number < len(known.parameters) and known.parameters[number].name == name:
            return argument.strip()
    return ""


def _operand(here: Surroundings, known: Member, call: UnclosedCall) -> BlockType | None:
    """The type of the first operand of a call, if it is known."""
    if not known.parameters:
        return None
    values = here.values(_given(call, known, known.parameters[0].name))
    return values[0].block if values else None


def _destinations(here: Surroundings, calls: Sequence[UnclosedCall]) -> list[BlockType]:
    """Return the types that the result must fit: of the block it is stored into, or of an operator's other operand."""
    types: list[BlockType | None] = []
    code = code_of(here.places.analysis.text)
    paren = code.offset(calls[0].line, calls[0].column)
    before = code.covered[max(0, paren - len(calls[0].callee) - 200) : paren - len(calls[0].callee)]
    sibling = _SIBLING.search(before)
    if sibling is not None:
        types += [value.block for value in here.values(sibling[1])[:1]]
    for call in calls[1:]:
        owner = receiver_before(call.callee)
        if owner is not None and owner[1] == "store":
            types += [value.block for value in here.values(owner[0])[:1]]
    return [type_ for type_ in types if type_ is not None]


def _dims(
    here: Surroundings, known: Member, call: UnclosedCall, destinations: Sequence[BlockType]
) -> Iterator[Proposal]:
    operand = _operand(here, known, call)
    if operand is None or known.op is None:
        return
    rank = len(operand.shape)
    wanted = _shape_of(here, _given(call, known, "shape"))
    targets = [wanted] if wanted is not None else [type_.shape for type_ in destinations]
    yes: dict[tuple[int, ...], str] = {}
    for target in targets:
        if len(target) == rank:
            differing = tuple(axis - rank for axis in range(rank) if target[axis] != operand.shape[axis])
            if differing:
                yes.setdefault(differing, f"from {_text(operand.shape)} to {_text(target)}")
    for dims in _subsets(rank):
        if known.op.family in ("repetition", "reshape") and any(operand.shape[axis] != 1 for axis in dims):
            continue
        yes.setdefault(dims, f"of {operand.describe()}")
    for number, (dims, why) in enumerate(yes.items()):
        yield Proposal(
            f"[{', '.join(map(str, dims))}]", why, 0 if why.startswith("from") else 1 + (number > 3)
        )


def _subsets(rank: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of dimensions that are offered: each one alone, the innermost first, then the last two together."""
    most = min(rank, _MOST_DIMENSIONS)
    yield from ((-axis,) for axis in range(1, most + 1))
    if most > 1:
        yield (-2, -1)


def _shapes(
    here: Surroundings, known: Member, call: UnclosedCall, destinations: Sequence[BlockType]
) -> Iterator[Proposal]:
    fitting: dict[tuple[int, ...], str] = {}
    rank = 0
    operand = _operand(here, known, call) if known.op is not None else None
    if known.qualified == "ttl.make_dataflow_buffer_like":
        tensors = here.values(_given(call, known, "likeness_tensor"))
        shape = tensors[0].tensor.shape if tensors and tensors[0].tensor is not None else ()
        one = (
            "one tile"
            if tensors and tensors[0].tensor and tensors[0].tensor.layout == "tiled"
            else "one element"
        )
        for least in dict.fromkeys((min(len(shape), 2), len(shape))):
            if least:
                fitting[(1,) * least] = one
    elif operand is not None and known.op is not None:
        rank = len(operand.shape)
        dims = _dims_of(_given(call, known, "dims"), rank)
        if known.op.family == "reduction" and dims is not None:
            reduced = tuple(1 if axis in dims else extent for axis, extent in enumerate(operand.shape))
            fitting[reduced] = f"{_text(operand.shape)} reduced over these dims"
        elif known.op.family == "repetition":
            for type_ in destinations:
                if _broadcasts(operand.shape, type_.shape, dims):
                    fitting.setdefault(type_.shape, "of the destination")
    if known.op is None or known.op.family == "fill":
        for type_ in destinations:
            fitting.setdefault(type_.shape, "of the destination")
    named = list(_named_shapes(here))
    for shape, why in fitting.items():
        for name, known_shape in named:
            if known_shape == shape:
                yield Proposal(name, f"{_text(shape)}: {why}", 0)
        yield Proposal(_text(shape), why, 0)
    for name, shape in named:
        possible = operand is None or known.op is None or _possible(known, operand.shape, shape)
        if shape not in fitting and possible and rank in (0, len(shape)):
            yield Proposal(name, _text(shape), 1)
    for text, shape in _written_shapes(here):
        if (operand is None or _possible(known, operand.shape, shape)) and rank in (0, len(shape)):
            yield Proposal(text, f"{_text(shape)}, as elsewhere in this operation", 1)
    for symbol, values in here.names():
        of_block = values[0].block if values and values[0].kind in ("dataflow buffer", "block") else None
        if of_block is None or known.op is None or rank not in (0, len(of_block.shape)):
            continue
        if operand is None or _possible(known, operand.shape, of_block.shape):
            yield Proposal(f"{symbol.name}.shape", _text(of_block.shape), 2)


def _possible(known: Member, operand: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether an operation can have a result of this shape at all."""
    if known.op is not None and known.op.family == "repetition":
        return _broadcasts(operand, shape, None)
    if known.op is not None and known.op.family == "reduction":
        return len(shape) == len(operand) and all(
            to in (1, of) for of, to in zip(operand, shape, strict=True)
        )
    return True


def _broadcasts(operand: tuple[int, ...], shape: tuple[int, ...], dims: set[int] | None) -> bool:
    if len(operand) != len(shape):
        return False
    differing = {axis for axis in range(len(shape)) if operand[axis] != shape[axis]}
    return all(operand[axis] == 1 for axis in differing) and (dims is None or differing <= dims)


def _named_shapes(here: Surroundings) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The variables that hold a tuple of integers."""
    for symbol, values in here.names():
        for value in values[:1]:
            shape = _literal(value.text) if value.kind == "container" else None
            if shape is not None:
                yield symbol.name, shape


def _written_shapes(here: Surroundings) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The tuples that the operation passes as ``shape`` elsewhere, such as ``(ROWS, columns)``, with their values."""
    outer = here.function("operation")
    for node in ast.walk(outer) if outer is not None else ():
        if isinstance(node, ast.keyword) and node.arg == "shape" and isinstance(node.value, ast.Tuple):
            values = here.places.index.exactly(here.places.syntax.file.extent(node.value))
            shape = _literal(values[0].text) if values else None
            if shape is not None and node.value.lineno != here.line:
                yield ast.unparse(node.value), shape


def _shape_of(here: Surroundings, text: str) -> tuple[int, ...] | None:
    """The shape that the text of an argument stands for; None where it is not known."""
    if not text:
        return None
    values: tuple[ValueFact, ...] = here.values(text)
    return _literal(values[0].text) if values and values[0].kind == "container" else _literal(text)


def _dims_of(text: str, rank: int) -> set[int] | None:
    dims = _literal(text)
    if dims is None or any(not -rank <= axis < rank for axis in dims):
        return None
    return {axis % rank for axis in dims}


def _literal(text: str) -> tuple[int, ...] | None:
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    value = (value,) if isinstance(value, int) else value
    is_shape = isinstance(value, tuple | list) and bool(value) and all(type(item) is int for item in value)
    return tuple(value) if is_shape else None


def _text(shape: tuple[int, ...]) -> str:
    return str(tuple(shape))


# --- copies ------------------------------------------------------------------------------------------------------


def _ends(here: Surroundings, call: UnclosedCall) -> Iterator[Proposal]:
    """Yield proposals for the source of a copy, or for a destination that fits the source that is already written."""
    first = call.keyword == "src" or (len(call.arguments) == 1 and not call.keyword)
    source = (
        None
        if first
        else next(iter(here.values(call.arguments[0].partition("=")[2] or call.arguments[0])), None)
    )
    if not first and source is None:
        source = _indexed(here, call.arguments[0])
    for symbol, values in here.names():
        value = values[0] if values else None
        if value is None or (
            value.kind == "block" and here.kernel is not None and value.kernel != here.kernel.name
        ):
            continue
        match value.kind:
            case "block":
                rank = _rank_of_block(value, source, first)
                if rank is not None:
                    yield Proposal(symbol.name, f"block of {value.name}, {words.described(value)}", rank)
            case "tensor" if symbol.scope.kind != "module":
                if first or (source is not None and source.kind == "block"):
                    yield Proposal(f"{symbol.name}[", words.described(value), 1)
            case "pipe":
                if first or (source is not None and source.kind == "block"):
                    yield Proposal(symbol.name, "pipe", 1)


def _rank_of_block(value: ValueFact, source: ValueFact | None, first: bool) -> int | None:
    """The rank of a block as an end of a copy; None where the other end is a block, too.

    A source should be a block that the kernel waited for, a destination a block that it reserved.
    """
    if first:
        return 0 if value.acquired == "wait" else 2
    if source is not None and source.kind == "block":
        return None
    return 0 if value.acquired == "reserve" else 2


def _indexed(here: Surroundings, text: str) -> ValueFact | None:
    """Return the value that the text indexes, such as the tensor of a slice."""
    return next(iter(here.values(text.partition("[")[0])), None)
