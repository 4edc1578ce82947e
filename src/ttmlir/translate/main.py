"""What ``ttmlir-translate`` is made of: the translations from a module to something else.

Exit codes are those of ``ttmlir-opt``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import BinaryIO, NoReturn, TextIO

from ttl.ir.tool import CommandLineError, read_input
from ttmlir.flatbuffer.files import write_whole

# The translations that there will be, and what they write.
ANNOUNCED = {
    "mlir-to-cpp": "C++ from a module in the emitc dialect",
}
_SPELLINGS = ("-o", "-h")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise CommandLineError(f"{message}; {self.prog} --help lists what there is")


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslateTool:
    """The tool that turns a module into something that is no module."""

    name: str

    def main(self) -> NoReturn:
        """Run as a console script."""
        sys.exit(self.run(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))

    def run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        """Run with these arguments; returns the exit code."""
        try:
            return self._run(arguments, stdin, stdout, stderr)
        except CommandLineError as problem:
            stderr.write(f"{self.name}: error: {problem}\n")
            return 2

    def _run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        parser = self._parser()
        given, unknown = parser.parse_known_args(list(map(_spelled, arguments)))
        if given.help or not arguments:
            stdout.write(parser.format_help())
            return 0 if arguments else 2
        self._refuse_unknown(unknown)
        if not (given.ttnn_to_flatbuffer or given.ttmetal_to_flatbuffer):
            raise CommandLineError(f"say what to translate to; {self.name} --help lists what there is")
        if given.ttnn_to_flatbuffer and given.ttmetal_to_flatbuffer:
            raise CommandLineError(
                "--ttnn-to-flatbuffer and --ttmetal-to-flatbuffer are two translations; say one"
            )
        text, file = read_input(given.input, stdin)
        content = _translated(text, file, given, stderr)
        if content is None:
            return 1
        _write(content, given.output, stdout)
        return 0

    def _refuse_unknown(self, unknown: Sequence[str]) -> None:
        for argument in unknown:
            name = argument.lstrip("-").partition("=")[0]
            if name in ANNOUNCED:
                raise CommandLineError(
                    f"--{name} ({ANNOUNCED[name]}) is not there yet: it comes with the compiler to TTMetal and C++"
                )
        if unknown:
            known = [*ANNOUNCED, "ttnn-to-flatbuffer", "ttmetal-to-flatbuffer", "no-debug-info", "output"]
            near = get_close_matches(unknown[0].lstrip("-"), known, n=1)
            hint = f"did you mean --{near[0]}?" if near else f"{self.name} --help lists what there is"
            raise CommandLineError(f"unknown argument {unknown[0]}; {hint}")

    def _parser(self) -> _Parser:
        parser = _Parser(
            prog=self.name, description="Translate a module.", add_help=False, allow_abbrev=False
        )
        add = parser.add_argument
        add("input", nargs="?", default="-", help="a .mlir file, or - for standard input (the default)")
        add("-h", "--help", action="store_true", help="show this text")
        add("-o", "--output", default="-", metavar="FILE", help="where to write (default: standard output)")
        add(
            "--ttnn-to-flatbuffer",
            action="store_true",
            help="a .ttnn binary from a module in the ttnn dialect",
        )
        add(
            "--ttmetal-to-flatbuffer",
            action="store_true",
            help="a .ttm binary, with its kernels as C++, from a module in the ttmetal dialect",
        )
        add(
            "--no-debug-info",
            action="store_true",
            help="without the text of the module and of each operation; ttrt run --golden needs the former",
        )
        add("--allow-unregistered-dialect", action="store_true", help="read operations that nobody defines")
        later = "".join(f"\n  --{name}: {what}" for name, what in ANNOUNCED.items())
        parser.epilog = f"Not there yet:{later}"
        return parser


def _spelled(argument: str) -> str:
    """MLIR's spelling with one dash, with two."""
    one_dash = argument.startswith("-") and not argument.startswith("--")
    return f"-{argument}" if one_dash and len(argument) > 2 and argument[:2] not in _SPELLINGS else argument


def _translated(text: str, file: str, given: argparse.Namespace, stderr: TextIO) -> bytes | None:
    """The bytes of the file; None where the module cannot be written, which is said."""
    from ttl.ir.context import make_context
    from ttl.ir.parser import parse_text
    from ttl.ir.reports import InvalidText, line_of_inputs, render
    from ttl.ir.verifier import verify
    from ttmlir.operations.dialects import DIALECTS
    from ttmlir.translate.serialise import NotSerialised, ttnn_to_flatbuffer

    context = make_context(DIALECTS, allow_unregistered=given.allow_unregistered_dialect)
    reports = []
    try:
        module = parse_text(context, text, file)
        reports = list(verify(module))
        if not reports:
            translate = ttnn_to_flatbuffer
            if given.ttmetal_to_flatbuffer:
                from ttmlir.translate.metal import ttmetal_to_flatbuffer as translate
            return translate(module, debug_info=not given.no_debug_info)
    except InvalidText as problem:
        reports = [problem.report]
    except NotSerialised as problem:
        reports = list(problem.reports)
    lines = line_of_inputs(file, text)
    stderr.writelines(render(report, lines) for report in reports)
    return None


def _write(content: bytes, name: str, stdout: TextIO) -> None:
    if name == "-":
        binary: BinaryIO | None = getattr(stdout, "buffer", None)
        if binary is None:
            raise CommandLineError("standard output takes no bytes here; give a file with -o")
        binary.write(content)
        binary.flush()
        return
    try:
        write_whole(name, content)
    except OSError as problem:
        raise CommandLineError(f"cannot write {name}: {problem.strerror}; give the path of a file") from None


TTMLIR_TRANSLATE = TranslateTool(name="ttmlir-translate")
main = TTMLIR_TRANSLATE.main
