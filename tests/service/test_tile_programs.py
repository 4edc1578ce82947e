"""What an editor says of a tile program: the plan at its lines, its values, and the explicit operation to go on with."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

import pytest

import ttl.design.operation as designing
from support import queries
from support.queries import analysed, place, typed
from ttl.design.listing import designs_of
from ttl.design.notes import notes
from ttl.design.plan import Spreading, plan
from ttl.service.analysis import Analysis
from ttl.service.completion import completion
from ttl.service.emitted import explicit_of
from ttl.service.hints import hints
from ttl.service.hover import hover
from ttl.service.lenses import lenses
from ttl.service.navigation import outline
from ttl.service.signatures import signature
from ttl.service.tokens import tokens
from ttl.session import SOURCES, Session

PATH = "/nowhere/linear.py"
PROGRAM = """\
import ttl


@ttl.example(*[ttl.TensorSpec((512, 512))] * 2, ttl.TensorSpec((1, 512)), ttl.TensorSpec((512, 512)))
@ttl.tile_operation(grid=(4, 8))
def linear(a, b, bias, y):
    for m in ttl.spatial(a.rows, step=2):
        for n in ttl.spatial(b.columns, step=4):
            total = 0
            for k in ttl.temporal(a.columns, step=8):
                total += ttl.load(a[m, k]) @ ttl.load(b[k, n])
            biased = total + ttl.load(bias[:, n])
            ttl.store(y[m, n], ttl.math.gelu(biased - biased.max()))


def other():
    return 1
"""


@pytest.fixture(scope="module")
def program() -> Analysis:
    return analysed(PATH, PROGRAM)[1]


def labels(analysis: Analysis, marked: str) -> list[str]:
    line, _ = place(analysis.text.text, marked)
    return [hint.label for hint in hints(analysis, line, line) if hint.kind == "inferred"]


def said(analysis: Analysis, marked: str) -> str:
    about = hover(analysis, *place(analysis.text.text, marked))
    assert about is not None
    return about.text


def offered(analysis: Analysis, line: int, written: str) -> list[str]:
    items = completion(typed(analysis, line, written), line, len(written) + 1)
    return [item.label for item in items]


# --- the plan at its lines -------------------------------------------------------------------------------------------


def test_each_line_says_what_became_of_it(program: Analysis) -> None:
    assert not program.all_findings
    for marked, pattern in {
        "|def linear": r"\d+ nodes \(\d x \d\), about [\d,]+ cycles, most of them (data movement|mathematics|DRAM)",
        "for |m in": r"m(, n)?: \d+ nodes, 1 block of 2 tiles",
        "for |n in": r"n(, m)?: \d+ nodes, 1 block of 4 tiles",
        "for |k in": r"k: 2 iterations of 8 tiles",
        "total +=|": r"a_dfb \d x \(2, 8\)[a-z0-9, ]*, (read|write); b_dfb \d x \(8, 4\)[a-z0-9, ]*, (read|write)",
        "ttl.|store": r"y_dfb \d x \(2, 4\), write",
    }.items():
        (label,) = labels(program, marked)
        assert re.fullmatch(pattern, label), label
    assert labels(program, "total = |0") == []


def test_the_words_of_a_plan() -> None:
    with Session().entered():
        SOURCES.get().show(PATH, PROGRAM)
        calls, _ = designs_of(PATH)
        design = calls[0].design
        assert design is not None
        spread = Spreading(down=1, multicast=True, divided=False)
        rows = plan(design.plan.graph, spread, (8, 8))
        line = plan(design.plan.graph, replace(spread, down=None), (8, 8))
        said = {note.span.line: note for note in notes(replace(design, plan=rows))}
        in_line = [note.label for note in notes(replace(design, plan=line))]
    assert [said[number].label for number in (7, 8, 10, 11, 12, 13)] == [
        "m: 8 nodes, 1 block of 2 tiles",
        "n: 4 nodes, 1 block of 4 tiles",
        "k: 2 iterations of 8 tiles",
        "a_dfb 2 x (2, 8), multicast along rows, read; b_dfb 2 x (8, 4), multicast along columns, read",
        "bias_dfb 1 x (1, 4), multicast along columns, read",
        "y_dfb 1 x (2, 4), write",
    ]
    assert "the nodes of a row read the same: the first one reads and multicasts" in said[11].why
    assert in_line[1:3] == ["m, n: 32 nodes, 1 block of 2 tiles", "n, m: 32 nodes, 1 block of 4 tiles"]


def test_a_hint_says_why(program: Analysis) -> None:
    line, _ = place(PROGRAM, "total +=|")
    (hint,) = [hint for hint in hints(program, line, line) if hint.kind == "inferred"]
    assert "comes from a through a_dfb" in hint.tooltip and "comes from b through b_dfb" in hint.tooltip


def test_calls_that_are_designed_differently_show_both_plans() -> None:
    spec = PROGRAM.replace("@ttl.tile_operation", "@SMALL\n@ttl.tile_operation").replace(
        "import ttl\n",
        "import ttl\n\nSMALL = ttl.example(*[ttl.TensorSpec((256, 256))] * 2, ttl.TensorSpec((1, 256)), ttl.TensorSpec((256, 256)))\n",
    )
    both = analysed(PATH, spec)[1]
    (label,) = labels(both, "for |m in")
    first, second = label.split(" or ")
    assert first != second and first.endswith(", 1 block of 2 tiles") and second.endswith(" block of 2 tiles")


def test_loads_of_the_same_place_are_one() -> None:
    text = PROGRAM.replace("bias[:, n])", "bias[:, n]) + sum(ttl.load(bias[:, n]) for _ in range(3))")
    (label,) = labels(analysed(PATH, text)[1], "biased = |")
    assert label == "bias_dfb 1 x (1, 4), multicast along columns, write"


# --- values ----------------------------------------------------------------------------------------------------------


def test_hovers(program: Analysis) -> None:
    assert "(tile tensor) bias: bfloat16, (1, 512) elements" in said(program, "load(bi|as")
    assert "(block of an axis) m: 2 tiles of a.shape[0]" in said(program, "for |m")
    assert "(tile value) biased: bfloat16, (64, 128) elements" in said(program, "bi|ased =")
    assert "Here: bfloat16, (64, 256) elements" in said(program, "ttl.lo|ad(a")
    assert "ttl.Axis" not in said(program, "a.ro|ws") and "to loop over in blocks of tiles" in said(
        program, "a.ro|ws"
    )
    assert "The largest element along a dimension" in said(program, "biased.ma|x")
    assert "(operation) linear" in said(program, "def lin|ear")
    assert "Make a function a tile program" in said(program, "ttl.tile_op|eration")
    assert "Here: bfloat16, (64, 128) elements" in said(program, "ttl.math.ge|lu")


def test_what_is_offered(program: Analysis) -> None:
    line, _ = place(PROGRAM, "ttl.|store")
    assert offered(program, line, "            biased.") == ["max", "mean", "sum", "T", "dtype", "shape"]
    assert offered(program, line, "            a.") == ["axis", "columns", "dtype", "rows", "shape"]
    names = offered(program, line, "            ttl.")
    assert {"load", "store", "spatial", "temporal", "fraction", "tunable"} <= set(names)
    assert "tile_operation" in offered(program, 5, "@ttl.ti")
    assert "ttl.tile_operation" in offered(program, 5, "@")


@pytest.mark.parametrize(
    ("written", "label", "active"),
    [
        ("ttl.spatial(a.rows, ", "ttl.spatial(axis, step=None) -> TileLoop", 1),
        ("ttl.load(", "ttl.load(part) -> TileValue", 0),
        ("ttl.store(y, ", "ttl.store(part, value)", 1),
        ("ttl.fraction(", "ttl.fraction(share) -> Fraction", 0),
        ("ttl.tunable(1, 2", "ttl.tunable(*sizes, ", 0),
        ("biased.sum(", "ttl.TileValue.sum(axis: int = -1)", 0),
        ("a.axis(", "ttl.TileTensor.axis(dimension: int)", 0),
    ],
)
def test_signatures(program: Analysis, written: str, label: str, active: int) -> None:
    line, _ = place(PROGRAM, "ttl.|store")
    text = f"            {written}"
    shown = signature(typed(program, line, text), line, len(text) + 1)
    assert shown is not None and shown.label.startswith(label) and shown.active == active


def test_names_are_coloured_and_outlined(program: Analysis) -> None:
    line, column = place(PROGRAM, "|biased = ")
    kinds = {(token.line, token.column): token.type for token in tokens(program)}
    assert kinds[line, column] == "block"
    assert kinds[place(PROGRAM, "load(|bias")] == "tensor"
    assert [(part.name, part.kind) for part in outline(program)] == [("linear", "operation")]


def test_what_stands_in_the_explicit_operation_is_said_nowhere(program: Analysis) -> None:
    kinds = {value.kind for fact in program.index.on_lines(PATH, 1, 99) for value in fact.values}
    assert not kinds & {"dataflow buffer", "block", "transfer", "pipe net", "kernel"}
    assert not program.index.threads(PATH) and not list(program.index.inferred(PATH))


def test_a_tile_program_that_nobody_calls_is_left_alone() -> None:
    analysis = analysed(PATH, re.sub(r"@ttl.example.*\n", "", PROGRAM))[1]
    assert not analysis.all_findings and not analysis.index.plans(PATH)


def test_values_of_a_program_with_a_mistake() -> None:
    analysis = analysed(PATH, PROGRAM.replace("ttl.load(bias[:, n])", "ttl.load(bias[m, n])"))[1]
    assert [finding.code for finding in analysis.all_findings] == ["TTL1803"]
    assert "(block of an axis) n: 4 tiles" in said(analysis, "for |n")


# --- the explicit operation ------------------------------------------------------------------------------------------


def test_above_a_tile_program_is_the_way_to_its_explicit_operation(program: Analysis) -> None:
    shown = {lens.kind: lens for lens in lenses(program)}
    assert shown["design"].title == "explicit operation" and shown["design"].operation == "linear"


def test_other_operations_have_no_such_lens() -> None:
    analysis = analysed(queries.PATH, queries.PROGRAM)[1]
    assert lenses(analysis)
    assert "design" not in {lens.kind for lens in lenses(analysis)}


def test_the_explicit_operation_is_python_with_the_author_s_lines() -> None:
    with Session().entered():
        SOURCES.get().show(PATH, PROGRAM)
        emitted = explicit_of(PATH, "linear")
        nothing = explicit_of(PATH, "other")
    (one,) = emitted.kernels
    ast.parse(one.text)
    made, own = one.text.splitlines(), PROGRAM.splitlines()
    linked = {(made[line - 1].strip(), own[at - 1].strip()) for line, file, at in one.lines if file == PATH}
    store = "ttl.store(y[m, n], ttl.math.gelu(biased - biased.max()))"
    assert any(
        text.startswith("y_dfb = ttl.make_dataflow_buffer_like(y, ") for text, at in linked if at == store
    )
    assert ("for k in range(0, 16, 8):", "for k in ttl.temporal(a.columns, step=8):") in linked
    assert nothing.kernels == ()


# --- what typing costs -----------------------------------------------------------------------------------------------


def test_a_text_is_designed_once_and_again_only_where_the_program_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    designed: list[str] = []
    ranked = designing.ranked

    def counting(function, *rest):  # type: ignore[no-untyped-def]
        designed.append(function.name)
        return ranked(function, *rest)

    monkeypatch.setattr(designing, "ranked", counting)
    workspace, first = analysed(PATH, PROGRAM)
    assert designed == ["linear"]
    workspace.change(PATH, "# above\n" + PROGRAM.replace("return 1", "return 2"), 2)
    second = workspace.analyse(PATH)
    assert designed == ["linear"]
    assert labels(second, "for |k in") == labels(first, "for |k in")
    workspace.change(PATH, PROGRAM.replace("step=8", "step=4"), 3)
    assert labels(workspace.analyse(PATH), "for |k in") == ["k: 4 iterations of 4 tiles"]
    assert designed == ["linear"] * 2
