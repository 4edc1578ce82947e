"""Names for messages: the variable a call's result was assigned to, or the one a kernel knows it by."""

from __future__ import annotations

import dis
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ttl.ops.row import Op, OperandType
from ttl.ops.types import BlockType
from ttl.source.calls import operands_at
from ttl.source.spans import Site

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel

# Longer operands are cut: the note says which one is meant, the snippet shows it.
_LONGEST = 48


def captured_name(kernels: Iterable[Kernel], value: object) -> str | None:
    """What kernels call an object they capture: ``a_dfb``, or ``dfbs[0]`` in a list, tuple or dict."""
    for kernel in kernels:
        function = kernel.function
        cells = getattr(function, "__closure__", None)
        if function is None or cells is None:
            continue
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                content = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            if content is value:
                return name
            items: Iterable[tuple[object, object]] = ()
            if isinstance(content, list | tuple):
                items = enumerate(content)
            elif isinstance(content, dict):
                items = content.items()
            for key, item in items:
                if item is value:
                    return f"{name}[{key!r}]"
    return None


@lru_cache(maxsize=4096)
def target_name(site: Site | None) -> str | None:
    """Name of the variable, attribute or parameter the value made at a site goes to; None if unclear."""
    if site is None:
        return None
    code, lasti = site
    for instruction in dis.get_instructions(code):
        # In Python 3.11 the last instruction of a frame may be an inline cache of the call, which dis hides.
        if instruction.offset <= lasti or instruction.opname in ("CACHE", "COPY", "NOP"):
            continue
        if instruction.opname.startswith("STORE_") and isinstance(instruction.argval, str):
            return instruction.argval
        return None
    return None


def operand_note(op: Op, operands: Sequence[OperandType], site: Site | None) -> tuple[str, ...]:
    """Which block of the user's expression each of the row's names stands for; nothing where that is clear."""
    if site is None or sum(isinstance(operand, BlockType) for operand in operands) < 2:
        return ()
    names = [operand.name for operand in op.operands]
    texts = operands_at(site)
    if len(texts) < len(names) or all(text == name for text, name in zip(texts, names)):
        return ()
    said = [f"{name} is {_cut(text)}" for name, text in zip(names, texts)]
    return (f"here {', '.join(said[:-1])} and {said[-1]}",)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
