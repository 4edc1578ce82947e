"""The command line of a tool that reads IR, runs passes over it and prints it; ``ttl-opt`` is one.

Exit codes: 0 all went well; 1 the text, or what a pass made of it, is wrong; 2 the command line or a file is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NoReturn, TextIO

from xdsl.passes import ModulePass

from ttl.ir.context import DialectTable
from ttl.ir.driver import Driver, Options, Timing
from ttl.ir.expected import compare, expectations
from ttl.ir.pipeline import PipelineError, WrittenPass, instantiate, options_of, parse_pipeline, summary_of
from ttl.ir.reports import line_of_inputs, render

_SPLIT = re.compile(r"^// -----[^\n]*\n?", re.MULTILINE)
_WITH_OPTIONS = re.compile(r"--([\w-]+)(?:\{(.*)\}|=(.*))")


class CommandLineError(Exception):
    """The command line, or a file that it names, is wrong; the text says what to do."""


class _ArgumentParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandLineError(f"{message}; {self.prog} --help lists the flags")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tool:
    """A tool: what it is called, what it reads and what it does to it."""

    name: str
    dialects: DialectTable
    passes: tuple[type[ModulePass], ...]

    def main(self) -> NoReturn:
        """Run as a console script."""
        try:
            sys.exit(self.run(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)

    def run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        """Run with these arguments; returns the exit code."""
        try:
            return self._run(arguments, stdin, stdout, stderr)
        except (CommandLineError, PipelineError) as problem:
            stderr.write(f"{self.name}: error: {problem}\n")
            return 2

    def _run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        parser = _parser(self.name, self.passes)
        given, unknown = parser.parse_known_args(_with_options(arguments, self.passes))
        if unknown:
            flags = re.findall(r"--[\w-]+", parser.format_help())
            near = get_close_matches(unknown[0].split("=")[0], flags, n=1)
            hint = f"did you mean {near[0]}?" if near else f"{self.name} --help lists the flags"
            raise CommandLineError(f"unknown argument {unknown[0]}; {hint}")
        if given.help:
            stdout.write(parser.format_help())
            return 0
        if given.list_passes:
            width = max((len(kind.name) for kind in self.passes), default=0)
            stdout.writelines(f"{kind.name:{width}}  {summary_of(kind)}\n" for kind in self.passes)
            return 0
        steps = [instantiate(step, self.passes) for step in _steps(given)]
        text, file = _read(given.input, stdin)
        timing = Timing()
        options = Options(
            verify_each=given.verify_each,
            print_after_all=given.print_ir_after_all,
            generic=given.mlir_print_op_generic,
            locations=given.print_debuginfo,
            allow_unregistered=given.allow_unregistered_dialect,
        )
        driver = Driver(self.dialects, steps, options, timing, stderr.write)
        status = _over_pieces(driver, text, file, given, stdout, stderr)
        if given.mlir_timing:
            stderr.write(timing.table())
        return status


def _over_pieces(
    driver: Driver, text: str, file: str, given: argparse.Namespace, stdout: TextIO, stderr: TextIO
) -> int:
    line_of = line_of_inputs(file, text)
    printed: list[str] = []
    failed = False
    for piece, first_line in _pieces(text, given.split_input_file):
        outcome = driver.run(piece, file, first_line)
        reports = outcome.reports
        if given.verify_diagnostics:
            wanted = list(expectations(piece.split("\n"), file, first_line))
            reports = tuple(compare(reports, wanted, file))
        stderr.writelines(render(report, line_of) for report in reports)
        failed |= any(report.severity == "error" for report in reports)
        if outcome.text is not None:
            printed.append(outcome.text)
    if not given.verify_diagnostics:
        _write("\n// -----\n".join(printed), given.output, stdout)
    return int(failed)


def _pieces(text: str, split: bool) -> list[tuple[str, int]]:
    """The pieces of a file between ``// -----`` lines, each with the number of its first line."""
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
        raise CommandLineError("give --pass-pipeline or single passes, not both")
    return [step for text in [given.pass_pipeline or "", *given.passes] for step in parse_pipeline(text)]


def _read(name: str, stdin: TextIO) -> tuple[str, str]:
    if name == "-":
        return stdin.read(), "<stdin>"
    try:
        with open(name, encoding="utf-8") as file:
            return file.read(), name
    except UnicodeDecodeError as problem:
        raise CommandLineError(f"{name} is not text in UTF-8: {problem.reason}; give a .mlir file") from None
    except OSError as problem:
        raise CommandLineError(
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
        raise CommandLineError(f"cannot write {name}: {problem.strerror}; give the path of a file") from None


def _with_options(arguments: Sequence[str], passes: Sequence[type[ModulePass]]) -> list[str]:
    """``--pass{option=value}`` and MLIR's ``--pass=option=value`` as ``-p pass{option=value}``."""
    names = {kind.name for kind in passes}
    spelled: list[str] = []
    for argument in arguments:
        match = _WITH_OPTIONS.fullmatch(argument)
        if match is None or match[1] not in names:
            spelled.append(argument)
        else:
            spelled += ["-p", f"{match[1]}{{{match[2] if match[3] is None else match[3]}}}"]
    return spelled


def _parser(name: str, passes: Sequence[type[ModulePass]]) -> _ArgumentParser:
    parser = _ArgumentParser(
        prog=name,
        description="Read IR, run passes over it and print it.",
        add_help=False,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="a .mlir file, or - for standard input (the default)")
    add("-h", "--help", action="store_true", help="show this text")
    add("-o", "--output", default="-", metavar="FILE", help="where to print (default: standard output)")
    add("--pass-pipeline", metavar="TEXT", help="such as 'builtin.module(canonicalize,cse)'")
    add("-p", "--passes", action="append", default=[], metavar="TEXT", help="such as canonicalize,cse")
    add("--list-passes", action="store_true", help="list the passes")
    add("--split-input-file", action="store_true", help="the input is several, between // ----- lines")
    add("--verify-diagnostics", action="store_true", help="compare reports with // expected-error {{...}}")
    add(
        "--verify-each",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify after each pass (the default)",
    )
    add("--print-ir-after-all", action="store_true", help="print to standard error after each pass")
    add("--print-debuginfo", "--mlir-print-debuginfo", action="store_true", help="print locations")
    add("--mlir-print-op-generic", action="store_true", help="print the generic form")
    add("--mlir-timing", action="store_true", help="print how long each pass took")
    add("--allow-unregistered-dialect", action="store_true", help="read operations that nobody defines")
    single = parser.add_argument_group(
        "passes", "each also as a flag, in the order given; with options as --pass{option=value}"
    )
    for kind in passes:
        single.add_argument(
            f"--{kind.name}", dest="passes", action="append_const", const=kind.name, help=_help(kind)
        )
    return parser


def _help(kind: type[ModulePass]) -> str:
    options = ", ".join(f"{name}={default}" for name, default in options_of(kind).items())
    return summary_of(kind) + (f" {{{options}}}" if options else "")
