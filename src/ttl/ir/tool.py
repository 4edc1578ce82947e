"""The command line of a tool that reads IR, runs passes over it and prints it; ``ttl-opt`` is one.

Exit codes: 0 success; 1 an error in the text, or in the result of a pass; 2 an error in the command line or a file."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, NoReturn, TextIO

from xdsl.passes import ModulePass

from ttl.diag.errors import WrongRequest
from ttl.ir.assembly import Style
from ttl.ir.context import DialectTable
from ttl.ir.driver import Driver, Dumps, Options, Timing, Watch, as_it_is
from ttl.ir.expected import compare, expectations
from ttl.ir.forms import NamedText, TextForm
from ttl.ir.literals import HEX_FROM
from ttl.ir.pipeline import PassPipeline, WrittenPass, options_of, parse_pipeline, steps_of, summary_of
from ttl.ir.reports import LineOf, Report, line_of_inputs, render
from ttl.source.files import check_finite

_SPLIT = re.compile(r"^// -----[^\n]*\n?", re.MULTILINE)
_WITH_OPTIONS = re.compile(r"--?([\w-]+)(?:\{(.*)\}|=(.*))", re.DOTALL)
# Flags of MLIR's tools without effect here, and the reason. The behaviour that the first one requests is the only one.
_IDLE = {
    "mlir-disable-threading": "passes run one after another",
    "mlir-print-stacktrace-on-diagnostic": "a report names the pass and the operation",
    "mlir-pretty-debuginfo": "locations are printed in one form, by --print-debuginfo",
}
_NOTHING = _IDLE.keys() - {"mlir-disable-threading"}
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_DIALECTS_OF_MLIR = ("affine", "arith", "builtin", "cf", "func", "math", "memref", "scf", "tensor")


# A function that returns the hint for an error, from the line that the error is about; None for no hint.
Hint = Callable[[Report, str], "str | None"]


class _ArgumentParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongRequest(f"{message}; {self.prog} --help lists the flags")


def no_hint(report: Report, line: str) -> str | None:
    """Add no hint to an error."""
    return None


def no_name(name: str) -> str | None:
    """Add no hint about the name of a pass."""
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool: its name, the text it reads and the passes it runs."""

    name: str
    dialects: DialectTable
    passes: tuple[type[ModulePass], ...]
    pipelines: Mapping[str, type[PassPipeline]] = field(default_factory=dict)
    form: TextForm = field(default_factory=NamedText)
    # Returns a hint for an error from the line that it is about; it becomes a note.
    hint: Hint = no_hint
    # The Python distribution of the tool, which determines its version.
    distribution: str = "ttlang"
    # The watches: displayed beside the module if their flag is set.
    watches: tuple[type[Watch], ...] = ()
    # Returns a hint about a pass that was requested by a former name; None for other names.
    today: Callable[[str], str | None] = no_name
    # Converts steps from an older spelling to the current one.
    respelled: Callable[[Sequence[WrittenPass]], list[WrittenPass]] = list
    # Converts text in forms that need another parser to the generic form: see ``Driver``.
    generic: Callable[[str, str, int], str] = as_it_is

    def main(self) -> NoReturn:
        """Run as a console script. The process exits at once: unloading all modules would take as long as the run."""
        # A module is a million small objects that stay alive: collecting garbage would be a quarter of the time.
        gc.set_threshold(100_000, 20, 100)
        os._exit(ended(self.name, lambda: self.run(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr)))

    def run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        """Run with these arguments; returns the exit code."""
        try:
            return self._run(arguments, stdin, stdout, stderr)
        except WrongRequest as problem:
            stderr.write(f"{self.name}: error: {problem}\n")
            return 2

    def _run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        kinds: list[type[Any]] = [*self.passes, *self.pipelines.values()]
        parser = _parser(self.name, self.passes, list(self.pipelines.values()), self.watches)
        flags = sorted(
            set(re.findall(r"--[a-z][\w-]+", parser.format_help())) | {f"--{flag}" for flag in _IDLE}
        )
        asked = {watch.flag for watch in self.watches}
        given, unknown = parser.parse_known_args(
            _spelled(arguments, {kind.name for kind in kinds}, flags, asked, _switches(parser))
        )
        if unknown:
            raise WrongRequest(self._unknown(unknown[0], flags))
        if given.help:
            stdout.write(parser.format_help())
            return 0
        if given.version:
            from importlib.metadata import version

            stdout.write(f"{self.name} {version(self.distribution)}\n")
            return 0
        if given.list_passes:
            width = max((len(kind.name) for kind in kinds), default=0)
            stdout.writelines(f"{kind.name:{width}}  {summary_of(kind)}\n" for kind in kinds)
            return 0
        if given.show_dialects:
            names = sorted({*self.dialects, *_DIALECTS_OF_MLIR})
            stdout.write(f"Available Dialects: {','.join(names)}\n")
            return 0
        for flag, why in _IDLE.items():
            if flag in _NOTHING and getattr(given, flag.replace("-", "_")):
                stderr.write(f"{self.name}: warning: --{flag} has no effect: {why}\n")
        written = self.respelled(_steps(given))
        known = {kind.name for kind in kinds}
        for step in written:
            if step.name not in known and (moved := self.today(step.name)):
                raise WrongRequest(moved)
        steps = steps_of(written, self.passes, self.pipelines)
        text, file = read_input(given.input, stdin)
        timing = Timing()
        watches = [(watch(), to) for watch in self.watches if (to := getattr(given, watch.flag)) is not None]
        driver = Driver(
            self.dialects,
            steps,
            _options(given, kinds),
            timing,
            stderr.write,
            self.form,
            [watch for watch, _ in watches],
            self.generic,
        )
        status = _over_pieces(driver, self.hint, text, file, given, stdout, stderr)
        for watch, to in watches:
            _write(watch.text(as_json=to.endswith(".json")), to, stderr)
        if given.mlir_timing:
            stderr.write(timing.table())
        return status

    def _unknown(self, argument: str, flags: Sequence[str]) -> str:
        if not argument.startswith("-"):
            return f"one file at a time: {argument} is one too many"
        if moved := self.today(argument):
            return moved
        near = get_close_matches(f"--{argument.lstrip('-').partition('=')[0]}", flags, n=1)
        hint = f"did you mean {near[0]}?" if near else f"{self.name} --help lists the flags"
        return f"unknown argument {argument}; {hint}"


def _options(given: argparse.Namespace, kinds: Sequence[type[Any]]) -> Options:
    names = {kind.name for kind in kinds}
    for name in (*given.print_ir_before, *given.print_ir_after):
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]}?" if near else "; --list-passes lists those there are"
            raise WrongRequest(f"unknown pass {name}{hint}")
    return Options(
        verify_each=given.verify_each,
        allow_unregistered=given.allow_unregistered_dialect,
        style=Style(
            generic=given.mlir_print_op_generic,
            locations=given.print_debuginfo,
            local_scope=given.mlir_print_local_scope,
            elide_from=given.mlir_elide_elementsattrs_if_larger,
            hex_from=given.mlir_print_elementsattrs_with_hex_if_larger,
        ),
        dumps=Dumps(
            before_all=given.print_ir_before_all,
            after_all=given.print_ir_after_all,
            before=tuple(given.print_ir_before),
            after=tuple(given.print_ir_after),
            only_changes=given.print_ir_after_change,
            after_failure=given.print_ir_after_failure,
        ),
    )


def _over_pieces(
    driver: Driver,
    hint: Hint,
    text: str,
    file: str,
    given: argparse.Namespace,
    stdout: TextIO,
    stderr: TextIO,
) -> int:
    line_of = line_of_inputs(file, text)
    printed: list[str | None] = []
    failed = False
    for piece, first_line in _pieces(text, given.split_input_file):
        outcome = driver.run(piece, file, first_line)
        reports = outcome.reports
        if given.verify_diagnostics:
            asked = list(expectations(piece.split("\n"), file, first_line))
            reports = tuple(compare(reports, asked, file))
        stderr.writelines(render(_with_hint(report, hint, line_of), line_of) for report in reports)
        failed |= any(report.severity == "error" for report in reports)
        printed.append(outcome.text)
    # MLIR's tools write no file if there was an error in every piece.
    wanted = given.output == "-" or any(text is not None for text in printed)
    if wanted and not given.verify_diagnostics:
        _write(driver.form.joined(printed), given.output, stdout)
    return int(failed)


def _with_hint(report: Report, hint: Hint, line_of: LineOf) -> Report:
    span = report.span
    line = (span and line_of(span.file, span.line)) or ""
    text = hint(report, line) if report.severity == "error" else None
    if text is None:
        return report
    return replace(report, notes=(*report.notes, Report(message=text, severity="note", span=report.span)))


def _pieces(text: str, split: bool) -> list[tuple[str, int]]:
    """Return the pieces of a file between ``// -----`` lines, each with the number of its first line."""
    if not split:
        return [(text, 1)]
    pieces: list[tuple[str, int]] = []
    start = 0
    for mark in [*_SPLIT.finditer(text), None]:
        end = len(text) if mark is None else mark.start()
        if text[start:end].strip():
            pieces.append((text[start:end], text.count("\n", 0, start) + 1))
        start = end if mark is None else mark.end()
    return pieces


def _steps(given: argparse.Namespace) -> list[WrittenPass]:
    if given.pass_pipeline is not None and given.passes:
        raise WrongRequest("give --pass-pipeline or single passes, not both")
    return [step for text in [given.pass_pipeline or "", *given.passes] for step in parse_pipeline(text)]


def ended(name: str, run: Callable[[], int]) -> int:
    """Return the exit code of ``run``, even if its output is closed or the user interrupts it."""
    try:
        status = run()
        sys.stdout.flush()
    except BrokenPipeError:
        return 1
    except KeyboardInterrupt:
        return 130
    except OSError as problem:
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        sys.stderr.write(
            f"{name}: error: cannot write standard output: {os.strerror(problem.errno).lower()}\n"
        )
        return 2
    return status


def read_input(name: str, stdin: TextIO) -> tuple[str, str]:
    """Return the text of a file or of standard input, and its name in errors. Raises ``WrongRequest``."""
    if name == "-":
        return stdin.read(), "<stdin>"
    try:
        check_finite(name)
        with open(name, encoding="utf-8-sig") as file:
            return file.read(), name
    except UnicodeDecodeError as problem:
        raise WrongRequest(f"{name} is not text in UTF-8: {problem.reason}; give a .mlir file") from None
    except OSError as problem:
        raise WrongRequest(
            f"cannot read {name}: {problem.strerror}; give the path of a .mlir file, or - for standard input"
        ) from None


def _write(text: str, name: str, stdout: TextIO) -> None:
    if name == "-":
        stdout.write(text)
        return
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as problem:
        raise WrongRequest(f"cannot write {name}: {problem.strerror}; give the path of a file") from None


def _switches(parser: argparse.ArgumentParser) -> set[str]:
    """Return the boolean flags, without their dashes, each also with MLIR's prefix ``mlir-``."""
    values = vars(parser.parse_args([]))
    names = {name.replace("_", "-") for name, value in values.items() if isinstance(value, bool)}
    return names | {f"mlir-{name}" for name in names}


def _spelled(
    arguments: Sequence[str], names: set[str], flags: Sequence[str], watches: set[str], switches: set[str]
) -> list[str]:
    """Return arguments in one spelling: ``--pass{option=value}`` and MLIR's ``--pass=option=value`` as ``-p pass{option=value}``;
    one dash as two.

    The flag of a watch takes no value but one with ``=``: the argument after it is the input. A switch may be set ``=true`` or
    ``=false``, and never takes the argument after it.
    """
    spelled: list[str] = []
    for argument in arguments:
        name, told, value = argument.lstrip("-").partition("=")
        if argument.startswith("-") and name in switches:
            if name == "verify-each":
                argument = f"--{name}={value or 'true'}"
            elif told and value in _TRUTHS:
                if _TRUTHS[value]:
                    spelled.append(f"--{name}")
                continue
        if argument.lstrip("-") in watches and argument.startswith("-"):
            spelled.append(f"--{argument.lstrip('-')}=-")
            continue
        match = _WITH_OPTIONS.fullmatch(argument)
        if match is not None and match[1] in names:
            spelled += ["-p", f"{match[1]}{{{match[2] if match[3] is None else match[3]}}}"]
        elif re.fullmatch(r"-[a-z][\w-]+(=.*)?", argument, re.DOTALL) and (
            f"-{argument.partition('=')[0]}" in flags
        ):
            spelled.append(f"-{argument}")
        else:
            spelled.append(argument)
    return spelled


def _parser(
    name: str,
    passes: Sequence[type[ModulePass]],
    pipelines: Sequence[type[PassPipeline]],
    watches: Sequence[type[Watch]],
) -> _ArgumentParser:
    parser = _ArgumentParser(
        prog=name,
        description="Read IR, run passes over it and print it.",
        epilog="Exit codes: 0 all went well; 1 the text, or what a pass made of it, is wrong; 2 the command line or a file is.",
        add_help=False,
        allow_abbrev=False,
    )
    add = parser.add_argument
    switch = partial(add, action="store_true")
    add("input", nargs="?", default="-", help="a .mlir file, or - for standard input (the default)")
    switch("-h", "--help", help="show this text")
    switch("--version", help="show the version")
    add("-o", "--output", default="-", metavar="FILE", help="where to print (default: standard output)")
    add("--pass-pipeline", metavar="TEXT", help="such as 'builtin.module(canonicalize,cse)'")
    add("-p", "--passes", action="append", default=[], metavar="TEXT", help="such as canonicalize,cse")
    switch("--list-passes", help="list the passes")
    switch("--show-dialects", help="list the dialects")
    switch("--split-input-file", help="the input is several, between // ----- lines")
    switch("--verify-diagnostics", help="compare reports with // expected-error {{...}}")
    add(
        "--verify-each",
        type=_truth,
        nargs="?",
        const=True,
        default=True,
        metavar="BOOL",
        help="verify after each pass (the default)",
    )
    add("--no-verify-each", dest="verify_each", action="store_false", help="do not verify after each pass")
    switch("--allow-unregistered-dialect", help="read operations of unknown dialects")
    switch("--mlir-timing", help="print how long each pass took")
    for watch in watches:
        text = f"{watch.summary}; to standard error, or to --{watch.flag}=FILE (as JSON to FILE.json)"
        add(f"--{watch.flag}", dest=watch.flag, metavar="FILE", help=text)
    _add_printing(parser)
    for flag in _IDLE:
        switch(f"--{flag}", help=argparse.SUPPRESS)
    for title, kinds in (("passes", passes), ("pipelines", pipelines)):
        if not kinds:
            continue
        single = parser.add_argument_group(
            title,
            'each also as a flag, in the order given; with options as --name="option=value option=value"',
        )
        for kind in kinds:
            single.add_argument(
                f"--{kind.name}", dest="passes", action="append_const", const=kind.name, help=_help(kind)
            )
    return parser


def _add_printing(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("printing").add_argument
    switch = partial(add, action="store_true")
    switch("--print-debuginfo", "--mlir-print-debuginfo", help="print locations")
    switch("--mlir-print-op-generic", help="print the generic form")
    switch("--mlir-print-local-scope", help="print without aliases")
    add("--mlir-elide-elementsattrs-if-larger", type=int, metavar="COUNT", help="leave out larger constants")
    add(
        "--mlir-print-elementsattrs-with-hex-if-larger",
        type=int,
        default=HEX_FROM,
        metavar="COUNT",
        help="print larger constants as bytes",
    )
    switch("--print-ir-before-all", "--mlir-print-ir-before-all", help="print before each pass, to stderr")
    switch("--print-ir-after-all", "--mlir-print-ir-after-all", help="print after each pass, to stderr")
    switch(
        "--print-ir-after-change",
        "--mlir-print-ir-after-change",
        help="print after passes that change something",
    )
    switch("--print-ir-after-failure", "--mlir-print-ir-after-failure", help="print after a pass that fails")
    switch("--print-ir-module-scope", "--mlir-print-ir-module-scope", help=argparse.SUPPRESS)
    for when in ("before", "after"):
        add(
            f"--print-ir-{when}",
            f"--mlir-print-ir-{when}",
            type=_names,
            default=[],
            metavar="PASS",
            help=f"print {when} a pass, to stderr",
        )


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTHS:
        raise argparse.ArgumentTypeError(f"it is true or false, not {text}")
    return _TRUTHS[text.lower()]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _help(kind: type[Any]) -> str:
    options = ", ".join(f"{name}={default}" for name, default in options_of(kind).items())
    return (summary_of(kind) + (f" {{{options}}}" if options else "")).replace("%", "%%")
