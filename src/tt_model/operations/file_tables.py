"""The class of TTNN that a table of a ``.ttnn`` file is written of.

What reads files (the runtime, costs, reports) asks the class what its operation is, and has no lists of tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tt_model.operations import ttnn
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.row import FlatbufferTable


def class_in_file(table: str, fields: Mapping[str, Any]) -> type[TTNNOperation] | None:
    """The class of the operation that a table with these fields is written of; None for what no operation is written as."""
    known, word = _classes(), fields.get("type", "")
    return known.get(FlatbufferTable(table)) or (
        known.get(FlatbufferTable(table, word)) if isinstance(word, str) else None
    )


def tables_of_files() -> Mapping[str, list[str]]:
    """The tables that operations are written as; of those that several operations share, the words of its ``type``."""
    tables: dict[str, list[str]] = {}
    for written in _classes():
        tables.setdefault(written.table, []).extend([written.type] if written.type else [])
    return {table: sorted(tables[table]) for table in sorted(tables)}


@cache
def _classes() -> Mapping[FlatbufferTable, type[TTNNOperation]]:
    # Files have a conversion as an elementwise operation, too.
    classes: dict[FlatbufferTable, type[TTNNOperation]] = {
        FlatbufferTable("EltwiseOp", "Typecast"): ttnn.TTNNTypecastOp
    }
    for kind in ttnn.TTNN.classes.values():
        written = kind.ROW.flatbuffer
        if written is not None:
            assert issubclass(kind, TTNNOperation)
            classes[written] = kind
    return classes
