"""A function of one line of ``operations/elementwise.py`` is known to every stage, or the stage says why not.

What frameworks and the library call their functions, those that read them say: they name ours, and we do not name theirs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.syntax_trees import nodes, python_files
from tt_model.cost.rates import row_of
from tt_model.flatbuffer.schema import Enumeration, Table, Union, Vector, schema
from tt_model.operations.dialects import all_rows, operation_class, rows_of
from tt_model.operations.elementwise import TTIRElementwiseOp, TTIRTypecastOp
from tt_model.operations.file_tables import tables_of_files
from tt_model.operations.operation import TTNNOperation
from tt_model.reference.elementwise import OWN
from tt_model.runtime.step_kinds.arithmetic import function_of
from ttl.rows.table import OPS
from ttmlir.outlining import spelling
from ttmlir.standalone.library_functions import CALLS
from ttmlir.transforms.metal import recipes
from ttmlir.transforms.upgrade.upgrading import RULES
from ttmlir.translate.metal import SCHEMA as TTMETAL_FILE
from ttmlir.translate.serialise import SCHEMA as TTNN_FILE
from ttmlir.ttir_builder import TTIRBuilder

KINDS = [kind for kind in rows_of("ttir").classes.values() if issubclass(kind, TTIRElementwiseOp)]
SOURCE = Path(__file__).resolve().parents[3] / "src"
# Whose names tables are keyed by where they look like those of our operations.
OTHER_WORDS: Mapping[str, str] = {
    "ttmlir/dialects/tensor.py": "operands of operations of MLIR",
    "ttmlir/transforms/from_stablehlo/": "operations of StableHLO",
    "ttmlir/transforms/upgrade/": "operations of text of 2025 and later",
    "ttmlir/torch/": "functions of ATen",
    "ttmlir/standalone/cpp_api.py": "functions of the library",
    "tt_model/runtime/metal/tables.py": "commands of files, which are no operations",
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.ROW.mnemonic)
def test_a_function_of_one_line_is_known_to_every_stage(kind: type[TTIRElementwiseOp]) -> None:
    target = operation_class(f"ttnn.{kind.ROW.mnemonic}")
    assert issubclass(target, TTNNOperation)
    assert (target.ROW.function, target.ROW.takes) == (kind.ROW.function, kind.ROW.takes)
    names = {row.name for row in OPS}
    assert kind.ROW.function in names or OWN.of(kind) is not None
    assert row_of(target) in names
    assert CALLS.of(target) is not None
    assert RULES.get(kind.ROW.mnemonic) is not None
    assert getattr(TTIRBuilder, kind.ROW.mnemonic).__doc__
    written = target.ROW.flatbuffer
    assert (
        written is not None and written.type in tables_of_files().get("EltwiseOp", [])
    ) or kind is TTIRTypecastOp
    if kind is not TTIRTypecastOp:
        pytest.importorskip("torch")
        assert callable(function_of(target))
    for text, absent in (
        (recipes.recipe_of(kind), recipes.OWN.reason(kind)),
        (spelling.NUMPY.of(kind), spelling.NUMPY.reason(kind)),
    ):
        assert (text is None) is (absent is not None)


def test_files_have_no_other_words_than_operations() -> None:
    (words,) = (
        one
        for one in declared(TTNN_FILE)
        if isinstance(one, Enumeration) and one.name.endswith("EltwiseOpType")
    )
    assert sorted(word for word, _ in words.members) == tables_of_files()["EltwiseOp"]


@cache
def declared(kind: str) -> tuple[Any, ...]:
    """What the schema of a kind of file declares, as far as its root leads to it."""
    known: dict[int, Any] = {}

    def visit(type: Any) -> None:
        if id(type) in known:
            return
        known[id(type)] = type
        for inner in (*getattr(type, "fields", ()), *(type.members if isinstance(type, Union) else ())):
            visit(getattr(inner, "type", inner))
        if isinstance(type, Vector):
            visit(type.element)

    visit(schema(kind).root)
    return tuple(known.values())


def keyed(path: Path) -> Iterator[tuple[int, set[str]]]:
    """The displays of a module that have words as keys, or are sets of words: the line and the words."""
    for node in nodes(path):
        words: Sequence[ast.expr | None]
        match node:
            case ast.Dict(keys=keys):
                words = keys
            case ast.Set(elts=elements):
                words = elements
            case _:
                continue
        texts = {one.value for one in words if isinstance(one, ast.Constant) and isinstance(one.value, str)}
        if len(texts) > 1:
            yield node.lineno, texts


@cache
def tables() -> tuple[tuple[str, int], ...]:
    """Where most keys of a table are names of operations or of tables of files."""
    return tuple(_tables())


def _tables() -> Iterator[tuple[str, int]]:
    rows = all_rows()
    names = {row.name for row in rows} | {row.mnemonic for row in rows if row.dialect != "ttkernel"}
    names |= {f"ttnn.{row.mnemonic}" for row in rows} | {
        one.name.rpartition(".")[2]
        for kind in (TTNN_FILE, TTMETAL_FILE)
        for one in declared(kind)
        if isinstance(one, Table)
    }
    for room in ("tt_model", "ttmlir", "ttrt"):
        for path in python_files(SOURCE / room):
            place = path.relative_to(SOURCE).as_posix()
            if not place.startswith("tt_model/operations/"):
                yield from (
                    (place, line) for line, texts in keyed(path) if 2 * len(texts & names) > len(texts)
                )


def test_no_table_outside_operations_is_keyed_by_their_names() -> None:
    wrong = [f"{place}:{line}" for place, line in tables() if not place.startswith(tuple(OTHER_WORDS))]
    assert wrong == [], "register it for the class: tt_model.operations.stages.PerClass"


def test_each_other_vocabulary_is_there() -> None:
    places = [place for place, _ in tables()]
    assert [room for room in OTHER_WORDS if not any(place.startswith(room) for place in places)] == []
