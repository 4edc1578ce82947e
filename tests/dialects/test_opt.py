"""``ttl-opt``: its flags, its errors and its exit codes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from ttl.diag.errors import WrongRequest
from ttl.dialects.text import DIALECTS
from ttl.ir.pipeline import parse_pipeline, steps_of
from ttl.opt.main import TTL_OPT

GRID = """\
ttl.operation @f() grid <4x1> {
  ttl.datamovement_kernel @read {
    %n = ttl.grid_size : index
    ttl.print ["", ""](%n : index)
  }
}
"""
WRONG = "module {\n  ttl.require_dst 0\n}\n"


def opt(*arguments: str, text: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    output, errors = io.StringIO(), io.StringIO()
    status = TTL_OPT.run(arguments, io.StringIO(text), output, errors)
    return status, output.getvalue(), errors.getvalue()


class TestInput:
    def test_a_file_or_standard_input(self, tmp_path: Path) -> None:
        path = tmp_path / "f.mlir"
        path.write_text(GRID, encoding="utf-8")
        from_file = opt(str(path))
        assert from_file == opt("-", text=GRID) == opt(text=GRID)
        assert from_file[0] == 0
        assert from_file[1].startswith("module {\n  ttl.operation @f() grid <4x1> {\n")

    def test_output_to_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "out.mlir"
        assert opt("-o", str(path), text=GRID) == (0, "", "")
        assert opt(str(path))[1] == path.read_text(encoding="utf-8")

    def test_pieces_are_apart(self) -> None:
        status, output, errors = opt("--split-input-file", text=f"{GRID}// -----\n{GRID}")
        assert (status, errors) == (0, "")
        assert [piece.strip().startswith("module {") for piece in output.split("// -----")] == [True, True]

    def test_lines_of_a_later_piece_are_those_of_the_file(self) -> None:
        status, _, errors = opt("--split-input-file", text=f"{GRID}// -----\n{WRONG}")
        assert status == 1
        assert errors.startswith(
            "<stdin>:9:3: error: 'ttl.require_dst' op at least one tile is needed, not 0\n"
        )

    @pytest.mark.parametrize("text", ["", "// nothing\n", "#map = affine_map<() -> (0)>\n"])
    def test_a_text_without_operations_is_an_empty_module(self, text: str) -> None:
        assert opt(text=text) == (0, "module {\n}\n", "")


class TestErrors:
    def test_of_a_verifier_have_the_line_and_a_mark(self) -> None:
        assert opt(text=WRONG) == (
            1,
            "",
            "<stdin>:2:3: error: 'ttl.require_dst' op at least one tile is needed, not 0\n"
            "  ttl.require_dst 0\n"
            "  ^\n",
        )

    def test_all_are_reported(self) -> None:
        text = "ttl.require_dst 0\nttl.require_dst -1\n"
        assert opt(text=text)[2].count("error:") == 2

    def test_of_the_parser(self) -> None:
        status, output, errors = opt(text="ttl.require_dst what\n")
        assert (status, output) == (1, "")
        assert errors.startswith("<stdin>:1:17: error: ")
        assert "\nttl.require_dst what\n                ^~~~\n" in errors

    @pytest.mark.parametrize(
        "text",
        [
            "ttl.dfb_wait",
            "%0 = ttl.dfb_wait %a : <[2], f32, 2>",
            '"ttl.block_add"() : () -> ()',
            '"ttl.dfb_wait"() : () -> ()',
            '"ttl.operation"() ({}) : () -> ()',
            "ttl.operation @f() grid <1x1> { ^bb0: ^bb1: }",
            '%0 = "ttl.copy"() : () -> index',
            "ttl.if_pipe_src %x {}",
            "!x = !ttl.dfb<[2], i17, 2>\nttl.dma_barrier",
            "%0 = ttl.create_dfb \"d\" : !ttl.dfb<[2], i17, 2>\n%1 = ttl.dfb_wait %0 : <[2], i17, 2>\n"
            "%2 = ttl.block_read %1 : <[2], i17>",
            "{" * 5000,
            "\0",
            "ttl.operation @f(",
            "%0 = arith.constant 1 : i99999999999",
        ],
    )  # fmt: skip
    def test_wrong_text_is_an_error_with_a_place(self, text: str) -> None:
        status, output, errors = opt(text=text)
        assert (status, output) == (1, "")
        assert errors.startswith("<stdin>:")
        assert ": error: " in errors


class TestCommandLine:
    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            (["--verify-ech"], "unknown argument --verify-ech; did you mean --verify-each?"),
            (["--what"], "unknown argument --what; ttl-opt --help lists the flags"),
            (["-p", "canonicalise"], "unknown pass canonicalise; did you mean canonicalize?"),
            (["-p", "xyz"], "unknown pass xyz; --list-passes lists those there are"),
            (["-p", "cse{x=1}"], "the pass cse has no option x; it has no options"),
            (["-p", "ttl-check{strict=maybe}"], "the option strict of ttl-check is true or false, not maybe"),
            (
                ["-p", "ttl-check{strickt}"],
                "the pass ttl-check has no option strickt; its options are strict",
            ),
            (
                ["--pass-pipeline", "scf.for(cse)"],
                "passes run on builtin.module or func.func, not on scf.for",
            ),
            (["--pass-pipeline", "builtin.module(cse"], "expected a closing parenthesis"),
            (["-p", "cse,,dce"], "expected the name of a pass"),
            (["-p", "cse", "--pass-pipeline", "dce"], "give --pass-pipeline or single passes, not both"),
            (
                ["/no/such/file.mlir"],
                "cannot read /no/such/file.mlir: No such file or directory; give the path",
            ),
            (["-o", "/no/such/file"], "cannot write /no/such/file: No such file or directory; give the path"),
        ],
    )
    def test_a_mistake_is_an_error_with_the_way_out(self, arguments: list[str], expected: str) -> None:
        status, output, errors = opt(*arguments, text=GRID)
        assert (status, output) == (2, "")
        assert errors.startswith(f"ttl-opt: error: {expected}")

    def test_a_file_that_is_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "f.mlir"
        path.write_bytes(b"\xff\xfe")
        status, _, errors = opt(str(path))
        assert status == 2
        assert "is not text in UTF-8" in errors

    def test_list_passes(self) -> None:
        status, output, _ = opt("--list-passes")
        assert status == 0
        assert [line.split()[0] for line in output.splitlines()] == [kind.name for kind in TTL_OPT.passes]

    def test_help(self) -> None:
        status, output, _ = opt("--help")
        assert status == 0
        assert all(f"--{kind.name}" in output for kind in TTL_OPT.passes)
        assert "{strict=false}" in output


class TestPasses:
    @pytest.mark.parametrize(
        "arguments",
        [
            ["--pass-pipeline", "builtin.module(canonicalize,cse)"],
            ["--pass-pipeline", "canonicalize, cse"],
            ["-p", "canonicalize,cse"],
            ["-p", "canonicalize", "-p", "cse"],
            ["--canonicalize", "--cse"],
        ],
    )
    def test_ways_to_name_them(self, arguments: list[str]) -> None:
        status, output, errors = opt(*arguments, text=GRID)
        assert (status, errors) == (0, "")
        assert "%n = arith.constant 4 : index" in output
        assert "grid_size" not in output

    def test_every_pass_of_the_list_can_be_made(self) -> None:
        for kind in TTL_OPT.passes:
            (step,) = parse_pipeline(kind.name)
            assert [type(one) for one in steps_of((step,), TTL_OPT.passes, {})] == [kind]

    def test_options(self) -> None:
        (step,) = parse_pipeline("builtin.module(ttl-check{strict=true})")
        assert step.options == {"strict": "true"}
        assert steps_of((step,), TTL_OPT.passes, {})[0].strict is True  # type: ignore[attr-defined]

    def test_an_empty_pipeline_does_nothing(self) -> None:
        assert parse_pipeline("builtin.module()") == parse_pipeline("") == []

    def test_a_pipeline_that_goes_on_after_its_end(self) -> None:
        with pytest.raises(WrongRequest, match="expected a comma or the end"):
            parse_pipeline("builtin.module(cse))")

    def test_print_after_all(self) -> None:
        status, _, errors = opt("-p", "cse,canonicalize", "--print-ir-after-all", text=GRID)
        assert status == 0
        heads = [line for line in errors.splitlines() if line.startswith("// -----//")]
        assert heads == [f"// -----// IR Dump After {name} //----- //" for name in ("cse", "canonicalize")]
        assert errors.count("module {") == 2

    def test_timing(self) -> None:
        status, _, errors = opt("-p", "cse", "--mlir-timing", text=GRID)
        assert status == 0
        names = [line.split()[-1] for line in errors.splitlines()[4:]]
        assert names == ["Parser", "Verifier", "cse", "Output", "Total"]

    def test_a_pass_that_breaks_is_an_error_with_a_place(self) -> None:
        from dataclasses import dataclass

        from xdsl.dialects.builtin import ModuleOp
        from xdsl.passes import ModulePass

        from ttl.ir.driver import Driver, Options, Timing

        @dataclass(frozen=True)
        class Broken(ModulePass):
            name = "broken"

            def apply(self, ctx: object, op: ModuleOp) -> None:
                raise IndexError("list index out of range")

        outcome = Driver(DIALECTS, [Broken()], Options(), Timing(), str).run(GRID, "f.mlir")
        assert outcome.text is None
        (report,) = outcome.reports
        assert report.message.startswith(
            "the pass broken cannot cope with this module: IndexError: list index"
        )
        assert (report.span.file, report.span.line) == ("f.mlir", 1)

    def test_a_pass_that_makes_nonsense_is_named(self) -> None:
        from dataclasses import dataclass

        from xdsl.dialects.builtin import ModuleOp
        from xdsl.passes import ModulePass

        from ttl.dialects.ttl import RequireDstOp
        from ttl.ir.driver import Driver, Options, Timing

        @dataclass(frozen=True)
        class Nonsense(ModulePass):
            name = "nonsense"

            def apply(self, ctx: object, op: ModuleOp) -> None:
                op.body.block.add_op(RequireDstOp(0))

        outcome = Driver(DIALECTS, [Nonsense()], Options(), Timing(), str).run(GRID, "f.mlir")
        assert [report.message for report in outcome.reports] == [
            "'ttl.require_dst' op at least one tile is needed, not 0 (after nonsense)"
        ]
        unverified = Driver(DIALECTS, [Nonsense()], Options(verify_each=False), Timing(), str).run(
            GRID, "f.mlir"
        )
        assert unverified.reports == ()

    def test_generic_form(self) -> None:
        assert '"ttl.operation"() <{' in opt("--mlir-print-op-generic", text=GRID)[1]

    def test_check_reports_findings_as_diagnostics(self) -> None:
        from ttl.diag.model import warning
        from ttl.ir.reports import report_of
        from ttl.source.spans import Span

        place, other = Span(file="f.py", line=3), Span(file="f.py", line=1)
        found = warning("TTL0301", "read before written", help="write it").at(place).also(other, "made here")
        report = report_of(found)
        assert (report.severity, report.message, report.span) == (
            "warning",
            "read before written [TTL0301]",
            place,
        )
        assert [(note.message, note.span) for note in report.notes] == [
            ("made here", other),
            ("write it", place),
        ]


class TestVerifyDiagnostics:
    def test_what_is_not_expected_is_an_error(self) -> None:
        status, output, errors = opt("--verify-diagnostics", text=WRONG)
        assert (status, output) == (1, "")
        assert "error: unexpected error: 'ttl.require_dst' op at least one tile" in errors

    def test_what_does_not_come_is_an_error(self) -> None:
        text = f"// expected-warning@+1 {{{{something}}}}\n{GRID}"
        status, _, errors = opt("--verify-diagnostics", text=text)
        assert status == 1
        assert '<stdin>:1:4: error: expected warning "something" was not produced' in errors

    def test_another_line_does_not_count(self) -> None:
        assert opt("--verify-diagnostics", text=f"// expected-error {{{{one tile}}}}\n{WRONG}")[0] == 1

    @pytest.mark.parametrize(
        "comment",
        [
            "// expected-error@+2 {{at least one tile}}\n",
            "// expected-error-re@+2 {{at least {{o.e}} tile is {{.*}}, not {{[0-9]}}}}\n",
        ],
    )
    def test_what_is_expected(self, comment: str) -> None:
        assert opt("--verify-diagnostics", text=comment + WRONG) == (0, "", "")

    @pytest.mark.parametrize("where", ["above", "below"])
    def test_above_and_below(self, where: str) -> None:
        comment = f"  // expected-error@{where} {{{{at least one tile}}}}\n"
        line = "  ttl.require_dst 0\n"
        body = line + comment if where == "above" else comment + line
        text = f"module {{\n{body}}}\n"
        assert opt("--verify-diagnostics", text=text) == (0, "", "")
