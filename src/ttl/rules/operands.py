"""Which block of the user's expression an operand of an operation is."""

from __future__ import annotations

from collections.abc import Sequence

from ttl.ops.row import Op, OperandType
from ttl.ops.types import BlockType

# Longer operands are cut: the note says which one is meant, the snippet shows it.
_LONGEST = 48


def operand_note(op: Op, operands: Sequence[OperandType], texts: Sequence[str]) -> tuple[str, ...]:
    """What each of the row's names stands for in the source; nothing where that is clear."""
    if sum(isinstance(operand, BlockType) for operand in operands) < 2:
        return ()
    names = [operand.name for operand in op.operands]
    if len(texts) < len(names) or all(text == name for text, name in zip(texts, names)):
        return ()
    said = [f"{name} is {_cut(text)}" for name, text in zip(names, texts)]
    return (f"here {', '.join(said[:-1])} and {said[-1]}",)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
