"""What ``ttmlir-translate`` is made of: the translations from a module to something else.

Exit codes are those of ``ttmlir-opt``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import BinaryIO, NoReturn, TextIO

from ttl.ir.tool import CommandLineError, read_input
from ttmlir.flatbuffer.files import write_whole

KERNEL_APIS = ("2024-11", "0.69", "0.81")
# The translations that there will be, and what they write.
ANNOUNCED = {
    "ttmetal-to-flatbuffer": "a .ttm binary from a module in the ttmetal dialect",
}
_KNOWN = (
    *("ttnn-to-flatbuffer", "no-debug-info", "mlir-to-cpp", "file-id", "ttmetal-to-cpp", "kernel-api"),
    *("allow-unregistered-dialect", "output"),
)
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
        if not (given.ttnn_to_flatbuffer or given.mlir_to_cpp or given.ttmetal_to_cpp):
            raise CommandLineError(f"say what to translate to; {self.name} --help lists what there is")
        text, file = read_input(given.input, stdin)
        content = _translated(text, file, given, stderr)
        if content is None:
            return 1
        if isinstance(content, bytes):
            _write(content, given.output, stdout)
        else:
            _write_texts(content, given.output, stdout)
        return 0

    def _refuse_unknown(self, unknown: Sequence[str]) -> None:
        for argument in unknown:
            name = argument.lstrip("-").partition("=")[0]
            if name in ANNOUNCED:
                raise CommandLineError(
                    f"--{name} ({ANNOUNCED[name]}) is not there yet: it comes with the compiler to TTMetal and C++"
                )
        if unknown:
            known = [*ANNOUNCED, *_KNOWN]
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
            "--mlir-to-cpp",
            action="store_true",
            help="C++ from a module in the emitc dialect, as MLIR prints it",
        )
        add(
            "--file-id",
            default="",
            metavar="ID",
            help="with --mlir-to-cpp: what is in the emitc.file with this id, too",
        )
        add(
            "--ttmetal-to-cpp",
            action="store_true",
            help="C++ of the kernels of a module in the ttmetal dialect: into the folder that -o names, one file for each kernel",
        )
        add(
            "--kernel-api",
            default="0.81",
            choices=KERNEL_APIS,
            help="with --ttmetal-to-cpp: whose functions kernels call, of a generation of ttnn or of 2024-11 (default: 0.81)",
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


Texts = Mapping[str, str]


def _translated(text: str, file: str, given: argparse.Namespace, stderr: TextIO) -> bytes | Texts | None:
    """The bytes of the file, or texts by the names of files; None where the module cannot be written, which is said."""
    from ttl.emitc.printer import NotPrintable, print_cpp
    from ttl.ir.context import make_context
    from ttl.ir.failure import NotLegalized
    from ttl.ir.parser import parse_text
    from ttl.ir.reports import InvalidText, line_of_inputs, render
    from ttl.ir.verifier import verify
    from ttmlir.emitc import kernel_files
    from ttmlir.operations.dialects import DIALECTS
    from ttmlir.translate.serialise import NotSerialised, ttnn_to_flatbuffer

    context = make_context(DIALECTS, allow_unregistered=given.allow_unregistered_dialect)
    reports = []
    try:
        module = parse_text(context, text, file)
        reports = list(verify(module))
        if not reports:
            if given.mlir_to_cpp:
                return {"": print_cpp(module, file=given.file_id)}
            if given.ttmetal_to_cpp:
                return kernel_files(module, given.kernel_api)
            return ttnn_to_flatbuffer(module, debug_info=not given.no_debug_info)
    except InvalidText as problem:
        reports = [problem.report]
    except (NotSerialised, NotPrintable, NotLegalized) as problem:
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


def _write_texts(texts: Texts, name: str, stdout: TextIO) -> None:
    """Into the folder of a name; where they are one text without a name, or nobody has named a folder, one after the other."""
    if name == "-" or "" in texts:
        written = "".join(f"// {file}\n{text}\n" if file else text for file, text in texts.items())
        if name == "-":
            stdout.write(written)
            return
        _write(written.encode(), name, stdout)
        return
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as problem:
        raise CommandLineError(
            f"cannot write to {name}: {problem.strerror}; give the path of a folder"
        ) from None
    for file, text in texts.items():
        _write(text.encode(), os.path.join(name, file), stdout)


TTMLIR_TRANSLATE = TranslateTool(name="ttmlir-translate")
main = TTMLIR_TRANSLATE.main
