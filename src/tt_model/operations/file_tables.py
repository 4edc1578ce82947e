"""The classes of TTNN operations by their tables in ``.ttnn`` files.

Readers of files (the runtime, costs, reports) ask the class about an operation, and have no lists of tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tt_model.operations import ttnn
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.row import FlatbufferTable


def class_in_file(table: str, fields: Mapping[str, Any]) -> type[TTNNOperation] | None:
    """The class of the operation with this table and these fields in a file; None if no operation is written so."""
    known, word = _classes(), fields.get("type", "")
    return known.get(FlatbufferTable(table)) or (
        known.get(FlatbufferTable(table, word)) if isinstance(word, str) else None
    )


def tables_of_files() -> Mapping[str, list[str]]:
    """The names of the tables for operations, each with the words of its ``type`` if several operations share it."""
    tables: dict[str, list[str]] = {}
    for written in _classes():
        tables.setdefault(written.table, []).extend([written.type] if written.type else [])
    return {table: sorted(tables[table]) for table in sorted(tables)}


@cache
def _classes() -> Mapping[FlatbufferTable, type[TTNNOperation]]:
    # In files, a conversion may also be an elementwise operation.
    classes: dict[FlatbufferTable, type[TTNNOperation]] = {
        FlatbufferTable("EltwiseOp", "Typecast"): ttnn.TTNNTypecastOp
    }
    for kind in ttnn.TTNN.classes.values():
        written = kind.ROW.flatbuffer
        if written is not None:
            assert issubclass(kind, TTNNOperation)
            classes[written] = kind
    return classes
