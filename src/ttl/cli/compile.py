"""``ttl compile PROGRAM``: compile the operations that a program calls to C++, descriptions, projects, or IR."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import CodeType
from typing import TYPE_CHECKING, cast

from ttl import settings
from ttl.check.file import in_order, require_parts
from ttl.check.fitting import fits
from ttl.check.module import check_module
from ttl.cli import compile_output as output
from ttl.cli.options import ALLOW_UNCHECKED, Parser, UsageError, add_settings, applied
from ttl.cli.program import load, no_path, no_program, path_of, split, write_file
from ttl.cli.run import execute
from ttl.cli.status import Status
from ttl.codegen.compile import compile_module, options_of_nothing
from ttl.codegen.installed import NEWEST, installed_generation
from ttl.codegen.running import Calls
from ttl.codegen.scheduled import schedule_text
from ttl.codegen.texts import emitc_text, module_text, together
from ttl.diag import Diagnostic, Severity, error, report
from ttl.diag.families import Family
from ttl.diag.grouping import grouped
from ttl.frontend.file import lower_file
from ttl.settings import Setting, Settings

if TYPE_CHECKING:
    from ttl.codegen.compile import Compiled
    from ttl.codegen.explanation import RemarkOrChoice
    from ttl.codegen.texts import Module
    from ttl.frontend.lowered import Lowered
    from ttl.rows.row import Generation

_EMIT = Setting(
    name="emit",
    type="choice",
    default=None,
    help="the output: the IR of the language (ttl) or of the chip (ttkernel), the same for MLIR's C++ printer (emitc), "
    "the kernels (cpp), descriptions of the programs (descriptor), or everything that is needed to run them (project); "
    "default: project with -o, cpp without",
    choices=("ttl", "ttkernel", "emitc", "cpp", "descriptor", "project"),
)
_API = Setting(
    name="api",
    type="choice",
    default=None,
    help="the generation of the kernel API to write for (default: that of the installed TT-NN, else 0.81)",
    choices=("0.69", "0.81"),
)
_OWN = (_EMIT, _API)


def main(argv: Sequence[str]) -> int:
    """Run the verb and return the exit code.

    It is 1 if a part of the program cannot be compiled, or the program has nothing to compile, and 3 if calls were left
    out because their arguments are not known.

    Raises ``UsageError`` TTL0101 (no such ``--emit`` or ``--api``), TTL0102 (no program given), TTL0110 (cannot be read),
    TTL0111 (not Python), TTL0117 (cannot write), TTL0118 (a project without ``-o``) and ``ProgramError`` TTL0116 (not
    installed).
    """
    own, given = split(argv)
    arguments = _parser().parse_mixed(own)
    if arguments.program is None:
        raise no_program("compile", "write 'ttl compile PROGRAM -o FOLDER'")
    for row in _OWN:
        if (value := getattr(arguments, row.name)) is not None:
            settings.parsed(row, value, row.flag)
    with applied(arguments, arguments.program) as chosen:
        require_parts("ttl compile")
        code = load(arguments.program)
        return _Compilation(arguments, chosen, given, code).run()


def _parser() -> Parser:
    parser = Parser(
        "compile",
        "Compile the operations that a program calls, without running any of it.",
        "PROGRAM [-- ARGS]",
    )
    parser.add_argument(
        "program",
        metavar="PROGRAM",
        nargs="?",
        help="the Python file to compile, - for standard input; behind --: its own arguments",
    )
    parser.add_argument(
        "--run",
        action="store_true",
        help="run the program in the simulator, and compile the calls that it makes",
    )
    parser.add_argument("--allow-unchecked", action="store_true", help=ALLOW_UNCHECKED)
    parser.add_argument(
        "-o", "--output", metavar="PATH", help="the file to write (default: standard output), or the folder"
    )
    for row in _OWN:
        parser.add_argument(row.flag, metavar=row.metavar, help=row.help)
    parser.add_argument(
        "--explain",
        action="store_true",
        help="explain line by line how the program was compiled and why; on standard error if there is other output",
    )
    parser.add_argument(
        "--print-ir-after-all", action="store_true", help="show the IR after every step, on standard error"
    )
    parser.add_argument(
        "--print-ir-after-each", dest="print_ir_after_all", action="store_true", help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--print-schedule",
        action="store_true",
        help="print what the compiler does to each operation as a transform sequence, which --schedule takes",
    )
    parser.add_argument("--print-debuginfo", action="store_true", help="print the place of every operation")
    add_settings(parser)
    return parser


class _Compilation:
    """A run of ``ttl compile``."""

    def __init__(
        self, arguments: argparse.Namespace, chosen: Settings, given: tuple[str, ...], code: CodeType
    ) -> None:
        self.program: str = arguments.program
        self.path = path_of(self.program)
        self.given = given
        self.code = code
        self.runs: bool = arguments.run
        self.unchecked = Status.OK if arguments.allow_unchecked else Status.UNCHECKED
        self.output: str | None = None if arguments.output == "-" else arguments.output
        if self.output == "":
            raise UsageError(no_path("write -o PATH, or -o - for standard output"))
        self.explain: bool = arguments.explain
        self.after_all: bool = arguments.print_ir_after_all
        self.places: bool = arguments.print_debuginfo
        self.schedules: bool = arguments.print_schedule
        self.api: str | None = arguments.api
        self.settings = chosen
        self.only_explain = self.explain and arguments.emit is None and arguments.output is None
        usual = "ttl" if self.only_explain else "cpp" if arguments.output is None else "project"
        self.emit: str = arguments.emit or usual
        if self.emit == "project" and self.output is None:
            raise UsageError(
                error("TTL0118", "a project is a folder of files", help="say where to: -o FOLDER")
            )

    def run(self) -> int:
        lowered = self._run_program() if self.runs else self._read_program()
        if isinstance(lowered, int):
            return lowered
        self._show("the front end", lowered.module)
        if self.emit == "ttl" and not self.explain:
            self._write_text(self._printed(lowered.module))
            return self._concluded(
                lowered, self._wrong(lowered), any(call.complete for call in lowered.calls)
            )
        wrong = self._wrong(lowered)
        if wrong:
            return self._concluded(lowered, wrong, False)
        text = self._printed(lowered.module) if self.emit == "ttl" else None
        compiled = self._compile(lowered.module)
        lowered.notes.extend(compiled.notes)
        if text is not None and not self.only_explain:
            self._write_text(text)
        elif text is None:
            self._write(compiled)
        if self.explain:
            self._explain(compiled)
        return self._concluded(lowered, compiled.diagnostics, bool(compiled.programs))

    def _read_program(self) -> Lowered:
        return lower_file(self.path, self.given, fits)

    def _run_program(self) -> Lowered | int:
        """Run the program; return the calls that it makes, or its exit code if it fails.

        The output of the program goes to standard error.
        """
        from contextlib import redirect_stdout

        calls = Calls()
        # The compiler reports the findings; the run does not check.
        with (
            settings.override(target="sim", check="off") as chosen,
            redirect_stdout(sys.stderr),
            calls.collecting(),
        ):
            status = execute(self.code, self.program, self.given, chosen)
        if status == Status.OK:
            return calls.lowered
        report.write(f"nothing was compiled: the program ended with exit code {int(status)}")
        return status

    def _wrong(self, lowered: Lowered) -> list[Diagnostic]:
        """Return the findings that are reported instead of compiling: all of them if one is an error, else none."""
        findings = check_module(lowered.module, settings=self.settings, strict=self.settings.strict)
        return findings if any(finding.severity is Severity.ERROR for finding in findings) else []

    def _compile(self, module: Module) -> Compiled:
        compiled = compile_module(
            module,
            self.settings,
            generation=self._generation(),
            after_each=self._show,
            with_choices=self.explain,
        )
        compiled.diagnostics += options_of_nothing(module, self.settings)
        return compiled

    def _generation(self) -> Generation:
        if self.api is not None:
            return cast("Generation", self.api)
        return installed_generation() or NEWEST

    def _write(self, compiled: Compiled) -> None:
        if self.schedules:
            if compiled.programs:
                self._write_text(schedule_text(compiled.programs, compiled.passes, compiled.schedules))
            return
        match self.emit:
            case "ttkernel":
                self._write_text(self._printed(together(compiled.programs)))
            case "emitc":
                text, missing = emitc_text(compiled.programs, self._generation())
                compiled.diagnostics += missing
                self._write_text(text)
            case "descriptor":
                self._write_text(output.descriptions(compiled.descriptions))
            case "cpp" if self.output is None:
                print(output.listing(compiled.descriptions), end="", flush=True)
            case "cpp":
                assert self.output is not None
                output.write(self.output, output.sources(compiled.descriptions))
            case "project":
                assert self.output is not None
                output.write(self.output, output.projects(compiled))
                print(output.summary(self.output, compiled.descriptions), end="", flush=True)

    def _explain(self, compiled: Compiled) -> None:
        stream = sys.stdout if self.only_explain else sys.stderr
        said: list[RemarkOrChoice] = [
            *compiled.remarks,
            *(point for points in compiled.choices for point in points),
        ]
        if self.settings.format == "json":
            for line in output.explanation_lines(said):
                report.write(line, stream=stream)
            return
        text = output.explanation(said, color=report.colored(stream))
        report.write(text.removesuffix("\n"), stream=stream)

    def _show(self, step: str, module: Module) -> None:
        if self.after_all:
            heading = f"// -----// IR after {step} //----- //\n"
            report.write((heading + self._printed(module)).removesuffix("\n"))

    def _printed(self, module: Module) -> str:
        return module_text(module, locations=self.places)

    def _write_text(self, text: str) -> None:
        if self.output is None:
            print(text, end="", flush=True)
        else:
            write_file(self.output, text, "give the path of a file in a folder that exists")

    def _concluded(self, lowered: Lowered, findings: Sequence[Diagnostic], any_compiled: bool) -> int:
        """Report the findings; return the exit code."""
        result = in_order((*lowered.diagnostics, *findings))
        for finding in grouped(result):
            report.emit(finding)
        for reason in lowered.notes:
            report.write(f"not compiled: {reason}")
        if lowered.notes and not self.runs:
            report.write(f"or run it: ttl compile --run {self.program} compiles the calls that it makes")
        if any(finding.family is Family.DEFECTS for finding in result):
            return Status.INTERNAL
        if any(finding.severity is Severity.ERROR for finding in result):
            return Status.FAILED
        if not any_compiled:
            why = (
                "no call of an operation could be read" if lowered.notes else "the program calls no operation"
            )
            report.write(f"nothing was compiled: {why}")
            return Status.FAILED
        return self.unchecked if lowered.notes or lowered.unread else Status.OK
