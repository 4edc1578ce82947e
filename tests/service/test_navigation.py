"""Definition, references, outline, rename, hints, tokens and actions, on programs that are asked in several places."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.queries import PATH, PROGRAM, analysed, place, typed
from ttl.diag import Severity
from ttl.diag.model import Edit
from ttl.rows.generate import write_stubs
from ttl.service import navigation, rename
from ttl.service.actions import actions
from ttl.service.analysis import Analysis
from ttl.service.hints import hints
from ttl.service.tokens import OWN_TYPES, STANDARD_TYPES, tokens
from ttl.service.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def program() -> Analysis:
    return analysed(PATH, PROGRAM)[1]


@pytest.fixture(scope="module")
def multicast() -> Analysis:
    path = EXAMPLES / "matmul_multicast.py"
    return analysed(str(path), path.read_text(encoding="utf-8"))[1]


def at(analysis: Analysis, marked: str, occurrence: int = 0) -> tuple[int, int]:
    return place(analysis.text.text, marked, occurrence)


def applied(analysis: Analysis, edits: list[Edit] | tuple[Edit, ...]) -> str:
    """The text after edits, none of which spans lines."""
    lines = list(analysis.text.lines)
    for edit in sorted(edits, key=lambda edit: (edit.span.line, edit.span.column), reverse=True):
        span, line = edit.span, lines[edit.span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + edit.replacement + line[span.end_column - 1 :]
    return "\n".join(lines) + "\n"


# --- definition and references ---------------------------------------------------------------------------------------


def test_a_name_is_defined_where_it_is_bound(program: Analysis) -> None:
    (span,) = navigation.definition(program, *at(program, "y_blk.store(to|tal)"))[:1]
    assert span.line == 22


def test_what_is_bound_here_leads_to_where_it_comes_from(program: Analysis) -> None:
    spans = navigation.definition(program, *at(program, "a_|blk = a_dfb.wait()"))
    assert [(span.line, span.column) for span in spans] == [(8, 13)]


def test_names_of_the_language_are_defined_in_this_package(program: Analysis) -> None:
    write_stubs()
    (copy,) = navigation.definition(program, *at(program, "xf = ttl.co|py("))
    (fill,) = navigation.definition(program, *at(program, "ttl.block.fi|ll(0"))
    assert copy.file.endswith("ttl/lang/copy.py") and fill.file.endswith("ttl/block.pyi")
    text = Path(fill.file).read_text(encoding="utf-8").splitlines()[fill.line - 1]
    assert text.startswith("def fill(") and text[fill.column - 1 :].startswith("fill(")


def test_references_of_a_net_across_kernels(multicast: Analysis) -> None:
    found_in = navigation.references(multicast, *at(multicast, "a_n|et = "))
    assert [(item.span.line, item.role) for item in found_in] == [(30, "bound"), (53, "used"), (54, "used")]


def test_references_of_a_buffer_under_the_name_that_a_helper_gives_it() -> None:
    text = PROGRAM.replace(
        "import ttnn\n", "import ttnn\n\n\ndef take(buffer):\n    return buffer.wait()\n"
    ).replace("a_blk = a_dfb.wait()", "a_blk = take(a_dfb)")
    analysis = analysed(PATH, text)[1]
    names = [
        text.splitlines()[item.span.line - 1][item.span.column - 1 : item.span.end_column - 1]
        for item in navigation.references(analysis, *at(analysis, "a_d|fb = "))
    ]
    assert names == ["buffer", "a_dfb", "a_dfb", "a_dfb"]


def test_a_name_of_another_kernel_is_another_name(program: Analysis) -> None:
    lines = [
        item.span.line for item in navigation.references(program, *at(program, "a_|blk = a_dfb.reserve()"))
    ]
    assert lines == [14, 15]


def test_the_outline(multicast: Analysis) -> None:
    (operation,) = navigation.outline(multicast)
    assert (operation.name, operation.kind) == ("__matmul", "operation")
    assert [(part.name, part.kind) for part in operation.children] == [
        ("a_net", "pipe net"),
        ("b_net", "pipe net"),
        ("a_dfb", "dataflow buffer"),
        ("b_dfb", "dataflow buffer"),
        ("y_dfb", "dataflow buffer"),
        ("read_a", "kernel"),
        ("compute", "kernel"),
        ("read_b_and_write", "kernel"),
    ]
    assert operation.children[2].detail == "2 blocks of bfloat16, (2, 4) tiles = (64, 128) elements"


# --- rename ----------------------------------------------------------------------------------------------------------


def test_a_buffer_is_renamed_in_all_kernels(program: Analysis) -> None:
    edits = rename.rename(program, *at(program, "y_d|fb.reserve"), "result_dfb")
    assert isinstance(edits, list)
    text = applied(program, edits)
    assert text == PROGRAM.replace("y_dfb", "result_dfb")


def test_a_block_is_renamed_in_its_kernel_only(multicast: Analysis) -> None:
    edits = rename.rename(multicast, *at(multicast, "ttl.copy(pipe, a_b|lk)"), "block")
    assert isinstance(edits, list)
    assert [edit.span.line for edit in edits] == [41, 44, 46, 50]


def test_a_parameter_is_renamed_where_it_is_given_by_name() -> None:
    text = PROGRAM.replace(
        "(128, 32)), ttl.TensorSpec((128, 32)))", "(128, 32)), y=ttl.TensorSpec((128, 32)))"
    )
    analysis = analysed(PATH, text)[1]
    edits = rename.rename(analysis, *at(analysis, "add_one(a: ttnn.Tensor, |y"), "out")
    assert isinstance(edits, list)
    renamed = applied(analysis, edits)
    assert ", out=ttl.TensorSpec(" in renamed and "ttl.copy(y_blk, out[i, 0])" in renamed
    assert analysed(PATH, renamed)[1].findings == ()


def test_only_calls_of_the_function_of_a_parameter_are_changed_with_it() -> None:
    text = """from functools import partial


def shown(value, name):
    return name


def register(function, name):
    return name


register(shown, name="x")
partial(shown, name="y")(1)
shown(register(shown, name="z"), name="w")
"""
    analysis = analysed(PATH, text)[1]
    edits = rename.rename(analysis, *at(analysis, "shown(value, |name"), "title")
    assert isinstance(edits, list)
    renamed = applied(analysis, edits)
    assert renamed.endswith(
        """
register(shown, name="x")
partial(shown, title="y")(1)
shown(register(shown, name="z"), title="w")
"""
    )


@pytest.mark.parametrize(
    ("marked", "name", "reason"),
    [
        ("y_d|fb.reserve", "a_dfb", "a_dfb is taken already, in line 8"),
        ("y_d|fb.reserve", "y_blk", "y_blk is taken already, in line 21"),
        ("y_d|fb.reserve", "ttl", "ttl in line 8 is another one, and would become this one"),
        ("y_d|fb.reserve", "range", "range in line 13 is Python's own, and would become this one"),
        ("y_d|fb.reserve", "not", "'not' is not a name that Python can have"),
        ("y_dfb.res|erve", "x", "ttl.DataflowBuffer.reserve is a name of the language"),
        ("import tt|l", "x", "ttl is imported: rename it where it is defined"),
        ("def add_|one", "x", "add_one is a name of the module, which other files may import"),
        ("in ra|nge(4)", "x", "this is not a name of the program"),
    ],
)
def test_what_is_not_renamed_and_why(program: Analysis, marked: str, name: str, reason: str) -> None:
    assert rename.rename(program, *at(program, marked), name) == rename.RefusedRename(reason)


def test_nothing_is_renamed_in_a_text_that_cannot_be_read(program: Analysis) -> None:
    broken = typed(program, 14, "            a_blk = a_dfb.")
    refused = rename.prepare(broken, *at(program, "y_d|fb.reserve"))
    assert refused == rename.RefusedRename(
        "line 14 is not Python: correct it first, so that every use can be found"
    )


# --- hints and tokens ------------------------------------------------------------------------------------------------


def test_hints_of_shapes_and_of_what_is_inferred(program: Analysis) -> None:
    assert [(hint.line, hint.label, hint.kind) for hint in hints(program, 14, 25)] == [
        (14, ": 1x1 tile", "shape"),
        (15, ".wait()", "inferred"),
        (15, "a_blk.push()", "inferred"),
        (20, ": 1x1 tile", "shape"),
        (21, ": 1x1 tile", "shape"),
        (22, ": 1x1 tile", "shape"),
        (24, ": 1x1 tile", "shape"),
        (24, "a_blk.pop()", "inferred"),
        (25, "y_blk.push()", "inferred"),
    ]
    assert all(hint.line == 24 for hint in hints(program, 24, 24))


ONE_BODY = """\
import ttl


@ttl.operation(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    for column in range(2):
        with x_dfb.reserve() as x_blk:
            ttl.copy(x[0, column], x_blk).wait()
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
            y_blk.store(2 * x_blk)
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, column]).wait()
"""


def test_lines_of_one_body_say_which_threads_they_are_for() -> None:
    body = analysed(PATH, ONE_BODY)[1]
    threads = {hint.line: hint.label for hint in hints(body, 1, 99) if hint.kind == "inferred"}
    assert threads == {
        8: "read, compute, write",
        9: "read",
        10: "read",
        11: "compute",
        12: "compute",
        13: "write",
        14: "write",
    }


def test_hints_stay_where_they_are_while_something_else_is_typed(program: Analysis) -> None:
    below = typed(program, 5, "# a line\n@ttl.example(ttl.TensorSpec((128, 32)), ttl.TensorSpec((128, 32)))")
    moved = [(hint.line - 1, hint.column, hint.label) for hint in hints(below, 1, 99)]
    assert moved == [(hint.line, hint.column, hint.label) for hint in hints(program, 1, 99)]


def test_tokens_say_what_names_are(multicast: Analysis) -> None:
    types = {}
    for token in tokens(multicast):
        name = multicast.text.lines[token.line - 1][token.column - 1 : token.column - 1 + token.length]
        types.setdefault(name, set()).add(token.type)
    assert types["a_dfb"] == {"dataflowBuffer"} and types["a_blk"] == {"block"}
    assert types["pipe"] == {"pipe"} and types["a_net"] == {"pipe"} and types["a_xf"] == {"transfer"}
    assert types["__matmul"] == {"operation"} and types["read_a"] == {"kernel"}
    assert types["math" if "math" in types else "block"] and "k_block" not in types
    assert set().union(*types.values()) <= {*STANDARD_TYPES, *OWN_TYPES}


def test_tokens_of_a_range_are_those_of_the_whole(multicast: Analysis) -> None:
    assert tokens(multicast, 41, 50) == [token for token in tokens(multicast) if 41 <= token.line <= 50]


# --- actions ---------------------------------------------------------------------------------------------------------


def offered(workspace: Workspace, analysis: Analysis, line: int) -> dict[str, str]:
    """The texts that the actions of a line make, by their titles."""
    with workspace.reading():
        return {action.title: applied(analysis, action.edits) for action in actions(analysis, line, line)}


def test_what_is_inferred_is_written_and_nothing_is_inferred_any_more() -> None:
    workspace, analysis = analysed(PATH, PROGRAM)
    texts = {**offered(workspace, analysis, 14), **offered(workspace, analysis, 15)}
    assert set(texts) == {
        "Add the push that is inferred: a_blk.push()",
        "Add the wait that is inferred: .wait()",
        "Add all 4 pushes, pops and waits that are inferred in this file",
    }
    whole = texts["Add all 4 pushes, pops and waits that are inferred in this file"]
    explicit = analysed(PATH, whole)[1]
    assert explicit.findings == () and list(explicit.index.inferred(PATH)) == []
    assert "ttl.copy(a[i, 0], a_blk).wait()\n            a_blk.push()\n" in whole


def test_a_call_is_declared_with_ttl_example() -> None:
    path = EXAMPLES / "softmax.py"
    workspace, analysis = analysed(str(path), path.read_text(encoding="utf-8"))
    line = analysis.operations[0].span.line
    ((title, text),) = offered(workspace, analysis, line).items()
    assert title.startswith("Declare this call with ttl.example: ")
    declared = analysed(str(path), text)[1]
    assert "@ttl.example(ttl.TensorSpec((" in text
    assert not any(finding.severity is Severity.ERROR for finding in declared.findings)
    # The declaration is the call that there is: nothing else is read, and it is not offered again.
    assert len({call.arguments for call in declared.operations[0].specialisations}) == 1
    with workspace.reading():
        assert actions(declared, line, line) == []


def test_of_a_text_that_cannot_be_read_no_actions() -> None:
    workspace, analysis = analysed(PATH, PROGRAM)
    broken = typed(analysis, 30, "            with y_dfb.wait( as y_blk:")
    with workspace.reading():
        assert actions(broken, 14, 14) == []
