"""What printed kernels look like beside what they compute: comments, declarations, headers, types, refusals."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region
from xdsl.irdl import IRDLOperation, irdl_op_definition

from ttl.codegen.cpp import file_names, kernel_sources
from ttl.codegen.cpp.expr import CppExpr, conditional, infix, literal, name, negation, prefix
from ttl.codegen.cpp.names import Names, identifier
from ttl.codegen.cpp.writer import CppWriter
from ttl.diag.errors import InternalError
from ttl.dialects.elements import TileType
from ttl.dialects.text import parse_module
from ttl.dialects.ttkernel import CBType, CircularBufferOp, GetCBOp, KernelOp, ProgramOp, call
from ttl.ir.locations import location
from ttl.source.spans import Span

TILE = TileType(32, 32, "bf16")


def program(*ops: Operation, name: str = "read") -> ProgramOp:
    """A program with one kernel and one circular buffer."""
    buffer = CircularBufferOp("a_dfb", 0, 1, 2048, TILE)
    kernel = KernelOp(name, "noc", Region([Block(ops)]), processor="ncrisc", noc=0)
    return ProgramOp("program", (1, 1), Region([Block([buffer, kernel])]))


def body(found: ProgramOp) -> list[str]:
    """The lines of its kernel, after the declarations."""
    (text,) = kernel_sources(found, "0.81").values()
    lines = text.partition("void kernel_main() {\n")[2].splitlines()[:-1]
    return [line.strip() for line in lines[lines.index("") + 1 :]]


def steps(file: str, *lines: int) -> list[Operation]:
    """A wait for each line, and a release that has the place of the first."""
    buffer = GetCBOp("a_dfb", CBType(1, TILE))
    one = arith.ConstantOp(IntegerAttr.from_index_int_value(1))
    ops: list[Operation] = [buffer, one]
    for line in lines:
        ops.append(call("cb_wait_front", buffer.result, one.result))
        ops[-1].location = location(Span(file=file, line=line, column=1, end_line=line, end_column=5))
    ops.append(call("cb_pop_front", buffer.result, one.result))
    ops[-1].location = ops[2].location
    return ops


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "user.py"
    path.write_text(
        "with a_dfb.wait() as a_blk:\n    y = a_blk  # größer \\\n\nz = f(\n    1,\n)\n", encoding="utf-8"
    )
    return str(path)


def test_the_users_line_is_above_what_became_of_it(source: str) -> None:
    assert body(program(*steps(source, 1, 1, 2))) == [
        "// with a_dfb.wait() as a_blk:",
        "cb_wait_front(a_dfb, 1);",
        "cb_wait_front(a_dfb, 1);",
        # A backslash would continue the comment on the next line.
        "// y = a_blk  # größer",
        "cb_wait_front(a_dfb, 1);",
        "cb_pop_front(a_dfb, 1);",
    ]


def test_a_line_is_shown_again_where_its_turn_begins_again(source: str) -> None:
    assert body(program(*steps(source, 1, 2, 1)))[4:6] == [
        "// with a_dfb.wait() as a_blk:",
        "cb_wait_front(a_dfb, 1);",
    ]


def test_a_line_is_shown_again_in_a_loop_where_other_lines_came_first(source: str) -> None:
    *before, first, second, pop = steps(source, 2, 1, 2)
    bounds = [arith.ConstantOp(IntegerAttr.from_index_int_value(number)) for number in (0, 4, 1)]
    loop = scf.ForOp(*bounds, [], Block([first, second, pop, scf.YieldOp()], arg_types=[IndexType()]))
    # The place of a loop is that of something in it, which says nothing where it acquires a block.
    loop.location = first.location
    assert body(program(*before, *bounds, loop)) == [
        "// y = a_blk  # größer",
        "cb_wait_front(a_dfb, 1);",
        "for (uint32_t i = 0; i < 4; ++i) {",
        "// with a_dfb.wait() as a_blk:",
        "cb_wait_front(a_dfb, 1);",
        "// y = a_blk  # größer",
        "cb_wait_front(a_dfb, 1);",
        "cb_pop_front(a_dfb, 1);",
        "}",
    ]


def test_the_header_calls_buffers_what_the_kernel_calls_them() -> None:
    buffer = GetCBOp("new", CBType(1, TILE))
    one = arith.ConstantOp(IntegerAttr.from_index_int_value(1))
    ops = [buffer, one, call("cb_wait_front", buffer.result, one.result)]
    kernel = KernelOp("read", "noc", Region([Block(ops)]), processor="ncrisc", noc=0)
    declared = CircularBufferOp("new", 0, 1, 2048, TILE)
    (text,) = kernel_sources(
        ProgramOp("program", (1, 1), Region([Block([declared, kernel])])), "0.81"
    ).values()
    assert "// new_1: 1 page of 2048 bytes (bfloat16 tile)" in text
    assert "constexpr uint32_t new_1 = 0;" in text


def test_an_expression_over_several_lines_is_one(source: str) -> None:
    ops = steps(source, 4)
    ops[2].location = location(Span(file=source, line=4, column=1, end_line=6, end_column=2))
    assert body(program(*ops))[0] == "// z = f(1,)"


def test_there_is_no_comment_where_the_file_is_gone() -> None:
    assert body(program(*steps("/nowhere/gone.py", 1)))[0] == "cb_wait_front(a_dfb, 1);"


def test_the_folder_of_the_user_is_nowhere(source: str, tmp_path: Path) -> None:
    found = program(*steps(source, 1))
    found.kernels[0].location = location(Span(file=source, line=3))
    (text,) = kernel_sources(found, "0.81").values()
    assert str(tmp_path) not in text
    assert "// Kernel read of operation program (user.py:3)" in text


def test_only_what_is_used_is_declared_and_included() -> None:
    (text,) = kernel_sources(program(GetCBOp("a_dfb", CBType(1, TILE))), "0.81").values()
    assert "a_dfb" not in text
    assert text.count("#include") == 2


@pytest.mark.parametrize("thread", ["tensix", "noc"])
def test_prints_of_both_generations(thread: str) -> None:
    where = "tensix" if thread == "tensix" else "noc on ncrisc noc 0"
    text = f"""
    ttkernel.program @program() grid <1x1> {{
      ttkernel.kernel @print {where} {{
        %i = arith.constant 3 : index
        %x = arith.constant 1.5 : f32
        ttkernel.dprint ["i = ", ", \\22x\\22 = {{", "}}"](%i, %x : index, f32)
      }}
    }}
    """
    found = next(op for op in parse_module(text).walk() if isinstance(op, ProgramOp))
    (old,) = kernel_sources(found, "0.69").values()
    (new,) = kernel_sources(found, "0.81").values()
    stream = 'DPRINT << "i = " << 3 << ", \\"x\\" = {" << (1.5f) << "}" << ENDL()'
    assert (f"DPRINT_MATH({stream});" if thread == "tensix" else f"{stream};") in old
    assert (
        f'{"DPRINT_MATH" if thread == "tensix" else "DPRINT"}("i = {{}}, \\"x\\" = {{{{{{}}}}}}\\n", 3, 1.5f);'
        in new
    )


def test_what_is_only_printed_may_be_unused_after_any_number_of_steps() -> None:
    steps = 64  # each has two users in the next one
    text = "\n".join(
        f"%t{step} = arith.muli %s{step}, %s{step} : index\n%s{step + 1} = arith.remsi %t{step}, %m : index"
        for step in range(steps)
    )
    module = f"""
    ttkernel.program @program() grid <8x8> {{
      ttkernel.kernel @print noc on ncrisc noc 0 {{
        %m = arith.constant 1000 : index
        %s0 = ttkernel.get_absolute_logical_x
        {text}
        ttkernel.dprint ["", ""](%s{steps} : index)
      }}
    }}
    """
    (kernel,) = kernel_sources(
        next(op for op in parse_module(module).walk() if isinstance(op, ProgramOp)), "0.81"
    ).values()
    assert kernel.count("[[maybe_unused]]") >= steps


def test_an_operation_that_no_pass_should_have_left_is_named() -> None:
    @irdl_op_definition
    class Strange(IRDLOperation):
        name = "strange.thing"

    with pytest.raises(InternalError, match=r"strange\.thing cannot be printed as C\+\+"):
        kernel_sources(program(Strange()), "0.81")


def test_arithmetic_without_a_counterpart_is_named() -> None:
    one = arith.ConstantOp(IntegerAttr(1, 32))
    extended = arith.MulSIExtendedOp(one.result, one.result)
    buffer = GetCBOp("a_dfb", CBType(1, TILE))
    index = arith.IndexCastOp(extended.results[1], IntegerAttr.from_index_int_value(0).type)
    use = call("cb_push_back", buffer.result, index.result)
    with pytest.raises(InternalError, match=r"arith\.mulsi_extended"):
        kernel_sources(program(one, extended, buffer, index, use), "0.81")


def test_files_are_named_after_kernels_and_differ_everywhere() -> None:
    found = program()
    found.body.block.add_op(KernelOp("Read", "noc", Region([Block()]), processor="brisc", noc=1))
    found.body.block.add_op(KernelOp("lesen_größe", "tensix", Region([Block()])))
    assert file_names(found) == {"read": "read.cpp", "Read": "Read_1.cpp", "lesen_größe": "lesen_groe.cpp"}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("row", "row"),
        ("_x", "x"),
        ("a__b", "a_b"),
        ("KT", "kt"),
        ("K", "K"),
        ("_", "v"),
        ("été", "ete"),
        ("2d", "v_2d"),
    ],
)
def test_identifiers(given: str, wanted: str) -> None:
    assert identifier(given, "v") == wanted


def test_a_name_is_taken_where_it_is_visible_and_nowhere_else() -> None:
    names = Names()
    assert names.fresh("row", "v") == "row"
    names.enter()
    assert [names.fresh("row", "v"), names.fresh("for", "v"), names.fresh("noc_async_read", "v")] == [
        "row_1", "for_1", "noc_async_read_1",
    ]  # fmt: skip
    names.leave()
    assert names.fresh("row", "v") == "row_1"
    names.enter()
    assert [names.fresh("row_2", "v"), names.fresh("row", "v"), names.fresh("row", "v")] == [
        "row_2",
        "row_3",
        "row_4",
    ]
    names.leave()
    assert [names.fresh("row", "v"), names.fresh("row", "v")] == ["row_2", "row_3"]


a, b, c = map(name, "abc")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (infix(infix(a, "+", b, "uint32_t"), "*", c, "uint32_t"), "(a + b) * c"),
        (infix(a, "+", infix(b, "*", c, "uint32_t"), "uint32_t"), "a + b * c"),
        (infix(a, "+", infix(b, "-", c, "uint32_t"), "uint32_t"), "a + b - c"),
        (infix(a, "-", infix(b, "+", c, "uint32_t"), "uint32_t"), "a - (b + c)"),
        (infix(a, "*", infix(b, "/", c, "uint32_t"), "uint32_t"), "a * (b / c)"),
        (infix(a, "*", infix(b, "*", c, "uint32_t"), "uint32_t"), "a * b * c"),
        (infix(a, "*", infix(infix(b, "%", c, "uint32_t"), "*", c, "uint32_t"), "uint32_t"), "a * (b % c * c)"),
        (infix(a, "+", infix(b, "+", c, "double"), "double"), "a + (b + c)"),
        (infix(a, "*", infix(b, "*", c, "float"), "float"), "a * (b * c)"),
        (infix(a, "<<", infix(b, "+", c, "uint32_t"), "uint32_t"), "a << (b + c)"),
        (infix(infix(a, "&", b, "uint32_t"), "==", c, "bool"), "(a & b) == c"),
        (infix(infix(a, "<", b, "bool"), "||", infix(b, "<", c, "bool"), "bool"), "a < b || b < c"),
        (infix(prefix("-", a, "int32_t"), "+", b, "int32_t"), "b - a"),
        (infix(b, "-", literal(-3), "int32_t"), "b - (-3)"),
        (negation(infix(a, "<=", b, "bool")), "a > b"),
        (negation(name("flag", "bool")), "!flag"),
        (negation(negation(name("flag", "bool"))), "flag"),
        (infix(negation(negation(infix(a, "||", b, "bool"))), "&&", a, "bool"), "(a || b) && a"),
        (conditional(infix(a, "<", b, "bool"), a, conditional(name("d", "bool"), b, c)),
         "a < b ? a : d ? b : c"),
        (literal(2**31), "0x80000000u"),
        (literal(0x3F803F80), "0x3f803f80"),
        (literal(-(2**31)), "INT32_MIN"),
    ],
)  # fmt: skip
def test_parentheses(expr: CppExpr, text: str) -> None:
    assert expr.text == text


def _random_tree(random: Random, depth: int) -> tuple[CppExpr, int]:
    """An expression of the operators whose precedence Python shares with C++, and its value."""
    if depth == 0 or random.random() < 0.2:
        number = random.randint(1, 9)
        return literal(number), number
    (left, x), (right, y) = _random_tree(random, depth - 1), _random_tree(random, depth - 1)
    operator = random.choice("+-*/%")
    if operator in "/%" and y == 0:
        operator = "+"
    compute = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__, "%": int.__mod__}
    return infix(left, operator, right, "int64_t"), compute[operator](x, y)


def test_parentheses_of_random_expressions_keep_their_value() -> None:
    random = Random(1)
    for _ in range(4000):
        expr, value = _random_tree(random, 5)
        assert eval(expr.text.replace("/", "//")) == value, expr.text


def test_long_lines_end_inside_as_few_parentheses_as_can_be() -> None:
    writer = CppWriter()
    arguments = ", ".join(f"argument_{number}(x, y)" for number in range(8))
    writer.line(f"function({arguments});")
    lines = writer.text().splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert all(line.endswith("y),") for line in lines[:-1])
    assert lines[1].startswith("    argument_")
