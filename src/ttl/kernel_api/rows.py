"""How rows of the table are written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from ttl.kernel_api.function_rows import (
    CONSTS,
    KINDS,
    Applied,
    Call,
    CallParameter,
    Const,
    CppSnippet,
    Effect,
    Kind,
    OnBuffer,
    Statement,
    Thread,
    Transfer,
    UnderWay,
    Unit,
)
from ttl.rows.row import Generation

# The kind of a name where a signature gives none.
_USUAL: Mapping[str, str] = {
    "cb": "cb", "in": "cb", "in0": "cb", "in1": "cb", "out": "cb", "scaler": "cb",
    "i": "index", "j": "index", "d": "index", "d0": "index", "d1": "index", "d2": "index",
}  # fmt: skip


def arguments(signature: str) -> tuple[CallParameter, ...]:
    """``"cb, pages: index, offset: index = 0"`` as arguments; names without a kind have their usual one."""
    result = []
    for item in filter(None, map(str.strip, signature.split(","))):
        taken, equals, default = (part.strip() for part in item.partition("="))
        name, colon, kind = (part.strip() for part in taken.partition(":"))
        kind = kind if colon else _USUAL[name]
        if kind not in KINDS and kind not in CONSTS:
            raise ValueError(f"{item}: no kind of argument")
        result.append(CallParameter(name, cast("Kind | Const", kind), default if equals else None))
    return tuple(result)


def fn(
    name: str,
    arguments: str = "",
    template: str = "",
    *,
    on: str | None = None,
    by: Literal["UNPACK", "MATH", "PACK"] | None = None,
    chosen_by: tuple[str, Mapping[str, str]] | None = None,
) -> tuple[Applied]:
    """A function applied: arguments of the row by their names, and words of C++, between commas.

    ``on``: the argument whose method it is; ``by``: the processor of the compute kernel that does it.
    """
    return (Applied(name, _parts(arguments), _parts(template), by, on, chosen_by),)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))


def text(cpp: str) -> tuple[CppSnippet]:
    """C++ that is not a call of a function by name, with ``{argument}`` where one is put in."""
    return (CppSnippet(cpp),)


Spelling = tuple[Statement, ...]


def row(
    name: str,
    signature: str = "",
    spelling: Spelling | None = None,
    *,
    old: Spelling | None = None,
    new: Spelling | None = None,
    of_2024: Spelling | None = None,
    thread: Thread,
    header: str | tuple[str, ...] = (),
    old_header: str | tuple[str, ...] | None = None,
    result: Kind | None = None,
    effect: Effect = "write",
    configures: Unit | None = None,
    transfer: Transfer | None = None,
    ends: tuple[UnderWay, ...] = (),
    on_buffer: OnBuffer | None = None,
    vector_reads: tuple[str, ...] = (),
    writes: tuple[str, ...] = (),
    doc: str,
) -> Call:
    """A row. ``spelling`` is that of both generations, ``old`` that of 0.69 and ``new`` that of 0.81.

    Without any, it is the name applied to all arguments. ``of_2024``: that of 2024-11-21, where it is not that of 0.69; alone, there
    is nothing else.
    """
    takes = arguments(signature)
    if (spelling, old, new, of_2024) == (None, None, None, None):
        spelling = (Applied(name, tuple(argument.name for argument in takes)),)
    spellings = {"0.69": spelling if old is None else old, "0.81": spelling if new is None else new}
    headers = {"0.69": _several(header if old_header is None else old_header), "0.81": _several(header)}
    return Call(
        name=name,
        thread=thread,
        arguments=takes,
        result=result,
        spelling={cast("Generation", key): item for key, item in spellings.items() if item is not None},
        headers={
            cast("Generation", key): headers[key] for key, item in spellings.items() if item is not None
        },
        of_2024=of_2024,
        effect=effect,
        configures=configures,
        transfer=transfer,
        ends=frozenset(ends),
        on_buffer=on_buffer,
        vector_reads=vector_reads,
        writes=writes,
        doc=doc,
    )


def _several(header: str | tuple[str, ...]) -> tuple[str, ...]:
    return (header,) if isinstance(header, str) else header
