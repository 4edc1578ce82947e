"""Block expressions: errors for uses as other Python values, and the note that says which block an operand is."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.diag import Diagnostic, error
from ttl.diag.remedies import AssignmentAs, CalleeByName
from ttl.rows.row import Op, OperandType
from ttl.rows.types import BlockType
from ttl.rules.words import describe

# Longer operand texts are cut: the note only identifies the operand, the snippet shows it.
_LONGEST = 48


def no_truth() -> Diagnostic:
    """The error for a block expression used as a condition (TTL0422)."""
    return error(
        "TTL0422",
        "a block expression has no truth value, it has one value per element",
        notes=("`if`, `while`, `and`, `or`, `not`, and Python's own `min` and `max` ask for one",),
        help=(
            "choose per element with ttl.block.where(condition, a, b), or use ttl.math.max and ttl.math.min",
            "to ask whether there is a block at all, write `is None` or `is not None`",
            "to ask whether two names are one block, write `is`",
        ),
    ).remedied_by(CalleeByName(names=(("max", "ttl.math.max"), ("min", "ttl.math.min"))))


def compared(other: object) -> Diagnostic:
    """The error for Python's comparison of a block expression with a value that is never the same object (TTL0336)."""
    return error(
        "TTL0336",
        f"Python compares a block expression with {describe(other)}, which is always a different object",
        notes=(
            "`in`, `.index` and `.count` ask whether two objects are the same; they do not look at elements",
        ),
        help="compare elements with `a == b` or `a != b`, which give 1 and 0",
    )


def no_array() -> Diagnostic:
    """The error for a block expression passed to NumPy or torch (TTL0337)."""
    return error(
        "TTL0337",
        "a block expression cannot become a NumPy array or torch tensor",
        notes=("its value is in the memory of a node",),
        help=(
            "compute with operators and ttl.math functions",
            "to look at data, print the block; to get them out, copy the block to an output tensor",
        ),
    )


def item_assigned() -> Diagnostic:
    """The error for ``out[0, 0] = value`` (TTL0230)."""
    return error(
        "TTL0230",
        "an element or slice of a tensor cannot be assigned to",
        help="in a data movement kernel write a slice with ttl.copy(blk, out[row, column])",
    ).remedied_by(AssignmentAs(template="ttl.copy({value}, {target}).wait()"))


def operand_note(op: Op, operands: Sequence[OperandType], texts: Sequence[str]) -> tuple[str, ...]:
    """Return a note that maps the operand names of the op to the user's expression; empty where that is clear."""
    if sum(isinstance(operand, BlockType) for operand in operands) < 2:
        return ()
    names = [operand.name for operand in op.operands]
    if len(texts) < len(names) or all(text == name for text, name in zip(texts, names)):
        return ()
    said = [f"{name} is {_cut(text)}" for name, text in zip(names, texts)]
    return (f"here {', '.join(said[:-1])} and {said[-1]}",)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
