"""A tool over dialects and passes of somebody else's: what ``ttl.ir`` is for. Nothing of the ``ttl`` dialects is in here."""

from __future__ import annotations

import io
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Dialect, ParametrizedAttribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_attr_definition, prop_def, result_def, traits_def
from xdsl.parser import AttrParser
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

import ttl.ir
from ttl.diag.model import error
from ttl.ir.failure import NotLowered, placed
from ttl.ir.rewriting import rewrite
from ttl.ir.syntax import Aliased, NamesValues, WordAttr, operation_definition
from ttl.ir.tool import Tool


class Shelf(StrEnum):
    """Where jars stand."""

    TOP = "top"
    CELLAR = "cellar"


@irdl_attr_definition
class ShelfAttr(WordAttr[Shelf], Aliased):
    name = "jam.shelf"
    WORDS = Shelf

    def alias(self) -> str:
        return self.data.value


@irdl_attr_definition
class PlaceAttr(ParametrizedAttribute, Aliased):
    """``#jam.place<3, #jam.shelf<top>>``: an attribute with an alias, of which a part has one."""

    name = "jam.place"
    row: IntAttr
    shelf: ShelfAttr

    def alias(self) -> str:
        return "place"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> tuple[IntAttr, ShelfAttr]:
        with parser.in_angle_brackets():
            row = parser.parse_integer()
            parser.parse_punctuation(",")
            shelf = parser.parse_attribute()
        assert isinstance(shelf, ShelfAttr)
        return IntAttr(row), shelf

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.row.data}, ")
            printer.print_attribute(self.shelf)


@operation_definition
class JarOp(IRDLOperation, NamesValues):
    """A jar of something."""

    name = "jam.jar"
    fruit = prop_def(StringAttr)
    place = prop_def(PlaceAttr)
    result = result_def(i32)
    traits = traits_def(Pure())
    assembly_format = "$fruit `at` qualified($place) attr-dict"

    def usual_name(self, value: SSAValue) -> str | None:
        return self.fruit.data

    def verify_(self) -> None:
        if self.place.row.data < 0:
            raise VerifyException(f"a row is counted from 0, not {self.place.row.data}")


class _Move(RewritePattern):
    def __init__(self, shelf: str, up: int) -> None:
        self.shelf, self.up = ShelfAttr(Shelf(shelf)), up

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: JarOp, rewriter: PatternRewriter) -> None:
        if op.place.shelf != self.shelf:
            place = PlaceAttr(IntAttr(op.place.row.data + self.up), self.shelf)
            moved = JarOp.create(properties={"fruit": op.fruit, "place": place}, result_types=[i32])
            rewriter.replace(op, moved)


@dataclass(frozen=True)
class Store(ModulePass):
    """Move every jar to a shelf."""

    name = "jam-store"
    shelf: str = "cellar"
    rows_up: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, [_Move(self.shelf, self.rows_up)])


@dataclass(frozen=True)
class Eat(ModulePass):
    """Eat every jar."""

    name = "jam-eat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        jars = [inner for inner in op.walk() if isinstance(inner, JarOp)]
        raise NotLowered([placed(error("TTL9999", f"nobody can eat {jar.fruit.data}"), jar) for jar in jars])


TOOL = Tool(
    name="jam-opt",
    dialects={"jam": lambda: Dialect("jam", [JarOp], [ShelfAttr, PlaceAttr])},
    passes=(Store, Eat),
)
JARS = """\
%a = jam.jar "plum" at #jam.place<1, #jam.shelf<top>>
%0 = jam.jar "fig" at #jam.place<2, #jam.shelf<top>>
"""


def run(*arguments: str, text: str = JARS) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    output, errors = io.StringIO(), io.StringIO()
    return TOOL.run(arguments, io.StringIO(text), output, errors), output.getvalue(), errors.getvalue()


def test_text_has_the_aliases_and_names_that_the_dialect_asks_for() -> None:
    printed = """\
#top = #jam.shelf<top>
#place = #jam.place<1, #top>
#place1 = #jam.place<2, #top>
module {
  %a = jam.jar "plum" at #place
  %fig = jam.jar "fig" at #place1
}
"""
    assert run() == (0, printed, "")
    assert run(text=printed) == (0, printed, "")


def test_options_of_a_pass_are_its_fields() -> None:
    wanted = run("-p", "jam-store{shelf=cellar rows-up=2}")
    assert wanted[0] == 0
    assert "#place = #jam.place<3, #cellar>" in wanted[1] and "#top" not in wanted[1]
    assert run("--jam-store{rows-up=2}") == run("--jam-store=rows-up=2") == wanted
    assert "--jam-store move every jar to a shelf {shelf=cellar, rows-up=0}" in " ".join(
        run("--help")[1].split()
    )
    assert run("--jam-store{row=1}") == (
        2,
        "",
        "jam-opt: error: the pass jam-store has no option row; its options are shelf, rows-up\n",
    )


def test_rewriting_keeps_places() -> None:
    status, printed, _ = run("--jam-store", "--print-debuginfo")
    assert status == 0
    assert '%a = jam.jar "plum" at #place loc("<stdin>":1:6)' in printed


def test_what_a_pass_made_is_verified_and_the_pass_named() -> None:
    status, output, errors = run("--jam-store{rows-up=-9}")
    assert (status, output) == (1, "")
    assert "<stdin>:1:6: error: 'jam.jar' op a row is counted from 0, not -8 (after jam-store)" in errors
    assert run("--jam-store{rows-up=-9}", "--no-verify-each")[0] == 0


def test_what_a_pass_cannot_lower_is_said_at_its_place() -> None:
    status, _, errors = run("--jam-eat")
    assert status == 1
    assert errors.startswith("<stdin>:1:6: error: nobody can eat plum [TTL9999]\n%a = jam.jar")
    expecting = "// expected-error@+1 {{nobody can eat plum}}\n" + JARS.splitlines(keepends=True)[0]
    assert run("--jam-eat", "--verify-diagnostics", text=expecting) == (0, "", "")


def test_an_operation_that_the_dialect_does_not_have_is_a_mistake_of_the_text() -> None:
    status, _, errors = run(
        "--allow-unregistered-dialect", text='"jam.jarr"() : () -> ()\n"tea.cup"() : () -> ()\n'
    )
    assert status == 1
    assert (
        "<stdin>:1:1: error: unregistered operation 'jam.jarr' found in dialect ('jam') that does not allow unknown operations; did you mean jam.jar?"
        in errors
    )
    assert "tea.cup" not in errors


def test_infrastructure_loads_no_dialect_of_ours() -> None:
    modules = sorted(f"ttl.ir.{path.stem}" for path in Path(ttl.ir.__file__).parent.glob("*.py"))
    program = f"import sys, {', '.join(modules)}\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[1] for name in done.stdout.split() if name.startswith("ttl.")}
    assert "ir" in loaded
    assert loaded.isdisjoint({"dialects", "passes", "kernel_api", "check", "frontend", "opt"})


def test_a_string_that_is_not_closed_is_seen_at_once() -> None:
    status, _, errors = run(text='%a = "jam.jar' + "a" * 10_000)
    assert status == 1
    assert errors.startswith("<stdin>:1:6: error: expected '\"' in string literal")


FUNCTION = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  {}\n  return {} : {}\n}}\n"


def test_mistakes_are_named_in_the_words_of_mlir() -> None:
    """As ``mlir-opt`` of LLVM 19 says them, at the same places."""
    for text, said in (
        (FUNCTION.format("", "%b", "tensor<4xf32>"), "3:10: error: use of undeclared SSA value name"),
        (
            FUNCTION.format("", "%a", "tensor<5xf32>"),
            "3:10: error: use of value '%a' expects different type than prior uses: 'tensor<5xf32>' vs 'tensor<4xf32>'",
        ),
        (
            FUNCTION.format("%0 = tensor.empty() : tensor<5xf32>", "%0", "tensor<5xf32>"),
            "3:3: error: type of return operand 0 ('tensor<5xf32>') doesn't match function result type "
            "('tensor<4xf32>') in function @f",
        ),
        (
            FUNCTION.format(
                "%0 = tensor.empty() : tensor<4xf32>\n  %0 = tensor.empty() : tensor<4xf32>",
                "%0",
                "tensor<4xf32>",
            ),
            "3:3: error: redefinition of SSA value '%0'",
        ),
        (
            FUNCTION.format("call @g() : () -> ()", "%a", "tensor<4xf32>"),
            "2:3: error: 'func.call' op 'g' does not reference a valid function",
        ),
        (
            FUNCTION.format("call @f(%a) : (tensor<4xf32>) -> ()", "%a", "tensor<4xf32>"),
            "2:3: error: 'func.call' op incorrect number of results for callee",
        ),
        (
            FUNCTION.format("%0 = tensor.empty() : tensor<?xf32>", "%a", "tensor<4xf32>"),
            "2:8: error: 'tensor.empty' op incorrect number of dynamic sizes, has 0, expected 1",
        ),
        ("func.func private @g()\nfunc.func private @g()\n", "2:1: error: redefinition of symbol named 'g'"),
        ("func.func @f(%a: i32) {\n}\n", "1:1: error: empty block: expect at least a terminator"),
        (
            "module attributes {c = 1 : i32} {}\n",
            "1:1: error: 'builtin.module' op can only contain attributes with dialect-prefixed names, found: 'c'",
        ),
    ):
        status, _, errors = run(text=text)
        assert status == 1, text
        assert f"<stdin>:{said}" in errors
