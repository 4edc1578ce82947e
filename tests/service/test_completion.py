"""What is offered while a line is typed: at every prefix of lines of real programs, and what comes first where it matters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.queries import PATH, PROGRAM, analysed, typed
from ttl.service.analysis import Analysis
from ttl.service.completion import Item, completion, plain
from ttl.service.hover import hover
from ttl.service.signatures import signature
from ttl.service.subject import Places

EXAMPLES = Path(__file__).parents[2] / "examples"
PREFIXES = ("flash_attention", "matmul_multicast", "semaphores_pingpong")
KINDS = ("dataflow buffer", "block", "pipe", "pipe net", "semaphore", "tensor", "transfer")


def example(name: str) -> Analysis:
    path = EXAMPLES / f"{name}.py"
    return analysed(str(path), path.read_text(encoding="utf-8"))[1]


@pytest.fixture(scope="module")
def attention() -> Analysis:
    return example("flash_attention")


def offered(analysis: Analysis, line: int, written: str) -> list[Item]:
    """What is offered at the end of a line that reads ``written``."""
    return completion(typed(analysis, line, written), line, len(written) + 1)


def labels(items: list[Item]) -> list[str]:
    return [item.label for item in items]


def line_of(analysis: Analysis, text: str) -> int:
    return next(number for number, line in enumerate(analysis.text.lines, 1) if text in line)


# --- every prefix --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PREFIXES)
def test_every_prefix_of_a_line_has_an_answer(name: str) -> None:
    """Of every line of the operation some of the prefixes, others from line to line."""
    analysis = example(name)
    first = line_of(analysis, "@ttl.operation")
    for line, text in enumerate(analysis.text.lines[first - 1 : first + 50], first):
        begin = len(text) - len(text.lstrip())
        for end in range(begin + line % 3, len(text) + 1, 3 if name == "semaphores_pingpong" else 9):
            half = typed(analysis, line, text[:end])
            items = completion(half, line, end + 1)
            assert all(item.span.line == line and item.span.end_column == end + 1 for item in items)
            signature(half, line, end + 1)
            hover(half, line, end + 1)


def _used(analysis: Analysis) -> Iterator[tuple[int, int, str]]:
    """Line, column and name of every use of an object of the language."""
    places = Places(analysis)
    for occurrence in places.symbols.on_lines(1, len(analysis.text.lines)):
        values = places.index.exactly(occurrence.span)
        if occurrence.role == "used" and values and values[0].kind in KINDS:
            yield occurrence.span.line, occurrence.span.column, occurrence.symbol.name


@pytest.mark.parametrize(
    "name", ["flash_attention", "semaphores_pingpong", "spec_gather", "spec_ring_forward"]
)
def test_what_the_program_names_is_offered_where_it_does(name: str) -> None:
    analysis = example(name)
    uses = list(_used(analysis))
    assert len(uses) > 10
    for line, column, used in uses:
        written = analysis.text.lines[line - 1][: column - 1 + line % 2]
        names = labels(offered(analysis, line, written))
        assert used in names or f"{used}[" in names, (line, written)


@pytest.mark.parametrize("name", [*PREFIXES, "spec_scatter"])
def test_the_method_that_the_program_calls_is_offered_as_legal(name: str) -> None:
    analysis = example(name)
    places, count = Places(analysis), 0
    for node in ast.walk(places.syntax.file.tree):
        if not isinstance(node, ast.Attribute):
            continue
        values = places.index.exactly(places.syntax.file.extent(node.value))
        if not values or values[0].kind not in KINDS[:-2]:
            continue
        extent = places.syntax.file.extent(node)
        written = analysis.text.lines[extent.end_line - 1][: extent.end_column - 1 - len(node.attr)]
        ranks = {item.label: item.rank for item in offered(analysis, extent.end_line, written)}
        assert ranks[node.attr] < 5, (extent.end_line, written)
        count += 1
    assert count > 3


# --- what comes first ------------------------------------------------------------------------------------------------


def test_behind_a_buffer_what_this_kernel_may_do_comes_first(attention: Analysis) -> None:
    producer = labels(offered(attention, 47, "            with q_dfb."))
    consumer = labels(offered(attention, 65, "            with q_dfb."))
    assert producer[0] == "reserve" and producer.index("wait") > 2
    assert consumer[0] == "wait" and consumer.index("reserve") > 2
    assert producer[-2:] == ["pop", "push"]  # the older spellings of what blocks have


def test_behind_a_block_push_or_pop_by_how_it_was_acquired(attention: Analysis) -> None:
    reserved = labels(offered(attention, 87, "                o_blk."))
    waited = labels(offered(attention, 73, "                        k_blk."))
    assert reserved[:2] == ["store", "push"] and reserved[-1] == "pop"
    assert waited.index("pop") < waited.index("push")


def test_the_language_with_signatures_and_older_spellings_last(attention: Analysis) -> None:
    items = offered(attention, 34, "    node = ttl.")
    known = {item.label: item for item in items}
    assert known["grid_size"].detail == "grid_size(dims: int = 2)"
    assert known["copy"].documentation.startswith("Start copying between a block")
    older = [item.label for item in items if item.deprecated]
    assert older and older == labels(items)[-len(older) :]
    assert known["core"].documentation == "Older spelling of `ttl.node`."
    math = offered(attention, 76, "                        rescale = ttl.math.")
    assert "exp" in labels(math) and labels(math)[-1] in {item.label for item in math if item.deprecated}


def test_dims_that_lead_from_the_operand_to_the_destination(attention: Analysis) -> None:
    written = "                            output * ttl.block.broadcast(rescale, dims="
    items = offered(attention, 83, written)
    assert items[0].label == "[-1]" and items[0].detail == "from (4, 1) to (4, 2)"
    assert "[-2]" not in labels(items)  # that extent is 4 already
    sums = labels(
        offered(attention, 81, "                        total = ttl.math.reduce_sum(weights, dims=")
    )
    assert sums[:3] == ["[-1]", "[-2]", "[-2, -1]"]


def test_shapes_that_fit(attention: Analysis) -> None:
    line = "                        largest = ttl.math.reduce_max(scores, dims=[-1], shape="
    assert labels(offered(attention, 75, line))[:2] == ["column", "(4, 1)"]
    store = "                o_blk.store(output / ttl.block.broadcast(total, dims=[-1], shape="
    assert labels(offered(attention, 87, store))[:2] == ["output_shape", "(4, 2)"]
    made = "    q_dfb = ttl.make_dataflow_buffer_like(q, shape="
    assert "(1, 1)" in labels(offered(attention, 37, made))[:2]
    assert "(KEY_TILES, dim_tiles)" in labels(offered(attention, 37, made))


def test_sources_and_destinations_of_copies(attention: Analysis) -> None:
    into = labels(offered(attention, 48, "                q_xf = ttl.copy(q[head, query_rows, :], "))
    assert into[0] == "q_blk" and "q_dfb" not in into and "q[" not in into
    out = labels(offered(attention, 95, "                o_xf = ttl.copy(o_blk, "))
    assert "o[" in out[:4] and "o_blk" not in out
    first = labels(offered(attention, 95, "                o_xf = ttl.copy("))
    assert first[0] == "o_blk" and {"q[", "o["} <= set(first)


def test_parameters_that_are_not_given_yet(attention: Analysis) -> None:
    names = labels(
        offered(attention, 75, "                        x = ttl.math.reduce_max(scores, dims=[-1], ")
    )
    assert "shape=" in names and "dims=" not in names and "expr=" not in names


def test_decorators_of_kernels_in_an_operation_and_of_operations_outside(attention: Analysis) -> None:
    inside, outside = offered(attention, 42, "    @"), offered(attention, 23, "@")
    assert labels(inside)[:2] == ["ttl.compute", "ttl.datamovement"]
    assert labels(outside)[:2] == ["ttl.operation", "ttl.example"]
    assert plain(outside[0].insert) == 'ttl.operation(grid="auto")'


def test_nothing_in_texts_and_comments_and_behind_what_is_not_known(attention: Analysis) -> None:
    for written in ("    # q_dfb.", '    x = "ttl.', "    unknown.", "    x = 1.", '    """ttl.'):
        assert offered(attention, 41, written) == []


def test_an_import_under_another_name() -> None:
    program = PROGRAM.replace("import ttl\n", "import ttl as lang\n").replace("ttl.", "lang.")
    analysis = analysed(PATH, program)[1]
    assert "fill" in labels(offered(analysis, 22, "            total = lang.block."))
    assert offered(analysis, 22, "            total = ttl.block.") == []


def test_names_of_other_kernels_are_not_in_scope(attention: Analysis) -> None:
    names = labels(offered(attention, 96, "                "))
    assert "o_blk" in names and "query_rows" in names and "scores" not in names and "k_xf" not in names


# --- signature help --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "label", "active"),
    [
        ("x = ttl.copy(a[0, 0], ", "ttl.copy(src, dst) -> Transfer", 1),
        ("x = ttl.math.max(ttl.math.exp(", "ttl.math.exp(expr: BlockExpr", 0),
        ("x = ttl.math.max(ttl.math.exp(a), ", "ttl.math.max(a: BlockExpr | float", 1),
        ("x = ttl.block.fill(0, shape=(1, ", "ttl.block.fill(value: float", 1),
        ("a_dfb.wait(", "ttl.DataflowBuffer.wait() -> Block", None),
        ("ttl.operation(", "ttl.operation(grid='auto'", 0),
    ],
)
def test_the_signature_of_the_call_around(written: str, label: str, active: int | None) -> None:
    line = f"            {written}"
    half = typed(analysed(PATH, PROGRAM)[1], 15, line)
    about = signature(half, 15, len(line) + 1)
    assert about is not None and about.label.startswith(label) and about.active == active


def test_the_signature_of_a_function_of_the_program() -> None:
    program = PROGRAM.replace(
        "@ttl.example", "def scaled(blk, factor=2, *, shift: int = 0):\n    return blk\n\n\n@ttl.example", 1
    )
    half = typed(analysed(PATH, program)[1], 19, "            a_blk = scaled(a_dfb, ")
    about = signature(half, 19, 35)
    assert about is not None
    assert (about.label, about.active) == ("scaled(blk, factor = 2, shift: int = 0)", 1)
