"""The parts of ``ttmlir-translate``: the translations from a module to other forms.

Exit codes are those of ``ttmlir-opt``.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TextIO

from tt_model.flatbuffer.files import write_whole
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.ttnn import has_steps
from ttl.diag.errors import WrongRequest
from ttl.emitc.printer import print_cpp
from ttl.emitc.project import write_files
from ttl.ir.context import make_context
from ttl.ir.failure import NotLegalized
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR, line_of_inputs, render
from ttl.ir.tool import ended, read_input
from ttl.ir.verifier import verify
from ttmlir.transforms.decompose_layouts import in_steps
from ttmlir.transforms.to_emitc.ttnn_to_emitc import cpp_of
from ttmlir.translate.serialise import ttnn_to_flatbuffer

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp


KERNEL_APIS: tuple[Any, ...] = ("2024-11", "0.69", "0.81")
# As in ``ttmlir.standalone.cpp_api``, whose import takes time.
LIBRARY_APIS: tuple[Any, ...] = ("2024-11", "0.81")
_OPTIONS = ("no-debug-info", "file-id", "kernel-api", "library-api", "allow-unregistered-dialect", "output")
_SPELLINGS = ("-o", "-h")
Texts = Mapping[str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModuleTranslation:
    """A translation: its flag, and the function that returns the bytes of a file, or texts by the names of files.

    The function takes the module (with every ``ttnn.to_layout`` split into single steps), the name of
    its file, and the parsed options. It raises ``NotLegalized``.
    """

    flag: str
    summary: str
    translate: Callable[[ModuleOp, str, argparse.Namespace], bytes | Texts]


def _ttnn_to_flatbuffer(module: ModuleOp, file: str, given: argparse.Namespace) -> bytes:
    cpp = "" if given.no_debug_info else _cpp_of(module)
    return ttnn_to_flatbuffer(module, debug_info=not given.no_debug_info, cpp=cpp)


def _cpp_of(module: ModuleOp) -> str:
    """Return the C++ that a binary keeps for its readers; empty if the module has no kernels."""
    try:
        return cpp_of(module)
    except NotLegalized:
        return ""


def _ttmetal_to_flatbuffer(module: ModuleOp, file: str, given: argparse.Namespace) -> bytes:
    from ttmlir.translate.metal import ttmetal_to_flatbuffer

    return ttmetal_to_flatbuffer(module, debug_info=not given.no_debug_info)


def _ttnn_to_python(module: ModuleOp, file: str, given: argparse.Namespace) -> bytes:
    from ttmlir.standalone.script import ttnn_to_python

    return ttnn_to_python(module, file).encode()


def _ttnn_to_standalone(module: ModuleOp, file: str, given: argparse.Namespace) -> Texts:
    from ttmlir.standalone.project import project_of

    if given.output == "-":
        raise WrongRequest("a project is several files: give a folder with -o")
    return project_of(module, file, given.library_api if given.library_api else LIBRARY_APIS[-1])


def _mlir_to_cpp(module: ModuleOp, file: str, given: argparse.Namespace) -> bytes:
    return print_cpp(module, file=given.file_id).encode()


def _ttmetal_to_cpp(module: ModuleOp, file: str, given: argparse.Namespace) -> Texts:
    from ttmlir.emitc import kernel_files

    return kernel_files(module, given.kernel_api if given.kernel_api else KERNEL_APIS[-1])


TRANSLATIONS = (
    ModuleTranslation(
        flag="ttnn-to-flatbuffer",
        summary="a .ttnn binary from a module in the ttnn dialect",
        translate=_ttnn_to_flatbuffer,
    ),
    ModuleTranslation(
        flag="ttmetal-to-flatbuffer",
        summary="a .ttm binary, with its kernels as C++, from a module in the ttmetal dialect",
        translate=_ttmetal_to_flatbuffer,
    ),
    ModuleTranslation(
        flag="ttnn-to-python",
        summary="a script of Python on the library ttnn from a module in the ttnn dialect",
        translate=_ttnn_to_python,
    ),
    ModuleTranslation(
        flag="ttnn-to-standalone",
        summary="a C++ project on the library ttnn from a module in the ttnn dialect, in the folder that -o names",
        translate=_ttnn_to_standalone,
    ),
    ModuleTranslation(
        flag="mlir-to-cpp",
        summary="C++ from a module in the emitc dialect, as MLIR prints it",
        translate=_mlir_to_cpp,
    ),
    ModuleTranslation(
        flag="ttmetal-to-cpp",
        summary="C++ of the kernels of a module in the ttmetal dialect: a file for each in the folder that -o names",
        translate=_ttmetal_to_cpp,
    ),
)


class _TranslateParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongRequest(f"{message}; {self.prog} --help lists the options")


@dataclass(frozen=True, kw_only=True, slots=True)
class TranslateTool:
    """The tool that translates a module to another form."""

    name: str

    def main(self) -> NoReturn:
        """Run as a console script."""
        os._exit(ended(self.name, lambda: self.run(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr)))

    def run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        """Run with these arguments; returns the exit code."""
        try:
            return self._run(arguments, stdin, stdout, stderr)
        except WrongRequest as problem:
            stderr.write(f"{self.name}: error: {problem}\n")
            return 2

    def _run(self, arguments: Sequence[str], stdin: TextIO, stdout: TextIO, stderr: TextIO) -> int:
        parser = self._parser()
        given, unknown = parser.parse_known_args(list(map(_spelled, arguments)))
        if given.help or not arguments:
            stdout.write(parser.format_help())
            return 0 if arguments else 2
        self._refuse_unknown(unknown)
        wanted = [one for one in TRANSLATIONS if getattr(given, one.flag.replace("-", "_"))]
        if len(wanted) != 1:
            asked = " and ".join(f"--{one.flag}" for one in wanted)
            what = f"{asked} are two translations: ask for one" if wanted else "name the translation"
            raise WrongRequest(f"{what}; {self.name} --help lists the translations")
        _refuse_ignored(given, wanted[0])
        text, file = read_input(given.input, stdin)
        content = _translated(text, file, wanted[0], given, stderr)
        if content is None:
            return 1
        if isinstance(content, bytes):
            _write(content, given.output, stdout)
        else:
            _write_texts(content, given.output, stdout)
        return 0

    def _refuse_unknown(self, unknown: Sequence[str]) -> None:
        if unknown:
            known = [*(one.flag for one in TRANSLATIONS), *_OPTIONS]
            near = get_close_matches(unknown[0].lstrip("-"), known, n=1)
            hint = f"did you mean --{near[0]}?" if near else f"{self.name} --help lists the translations"
            raise WrongRequest(f"unknown argument {unknown[0]}; {hint}")

    def _parser(self) -> _TranslateParser:
        parser = _TranslateParser(
            prog=self.name, description="Translate a module.", add_help=False, allow_abbrev=False
        )
        add = parser.add_argument
        add("input", nargs="?", default="-", help="a .mlir file, or - for standard input (the default)")
        add("-h", "--help", action="store_true", help="show this text")
        add("-o", "--output", default="-", metavar="FILE", help="where to write (default: standard output)")
        for one in TRANSLATIONS:
            add(f"--{one.flag}", action="store_true", help=one.summary)
        add(
            "--file-id",
            default="",
            metavar="ID",
            help="with --mlir-to-cpp: also translate the emitc.file with this id",
        )
        add(
            "--kernel-api",
            choices=KERNEL_APIS,
            help="with --ttmetal-to-cpp: whose functions kernels call, of a generation of ttnn or of 2024-11 (default: 0.81)",
        )
        add(
            "--library-api",
            choices=LIBRARY_APIS,
            help="with --ttnn-to-standalone: which library is called, of a release of ttnn or of 2024-11 (default: 0.81)",
        )
        add(
            "--no-debug-info",
            action="store_true",
            help="leave out the text of the module and of each operation; ttrt run --golden needs the module's",
        )
        add("--allow-unregistered-dialect", action="store_true", help="read operations of unknown dialects")
        return parser


# Options that only one translation has.
_ONLY_OF = {
    "file-id": ("mlir-to-cpp",),
    "kernel-api": ("ttmetal-to-cpp",),
    "library-api": ("ttnn-to-standalone",),
    "no-debug-info": ("ttnn-to-flatbuffer", "ttmetal-to-flatbuffer"),
}


def _refuse_ignored(given: argparse.Namespace, translation: ModuleTranslation) -> None:
    """Raise ``WrongRequest`` for an option that the translation does not use."""
    for name, flags in _ONLY_OF.items():
        if getattr(given, name.replace("-", "_")) and translation.flag not in flags:
            of = " and ".join(f"--{flag}" for flag in flags)
            raise WrongRequest(f"--{name} is of {of}: --{translation.flag} does not use it")


def _spelled(argument: str) -> str:
    """Convert MLIR's options with one dash to two dashes."""
    one_dash = argument.startswith("-") and not argument.startswith("--")
    return f"-{argument}" if one_dash and len(argument) > 2 and argument[:2] not in _SPELLINGS else argument


def _translated(
    text: str, file: str, translation: ModuleTranslation, given: argparse.Namespace, stderr: TextIO
) -> bytes | Texts | None:
    """Return the bytes of the file, or texts by file names; None, after a report, if the module cannot be written."""
    context = make_context(DIALECTS, allow_unregistered=given.allow_unregistered_dialect)
    reports = []
    try:
        module = parse_text(context, text, file)
        reports = list(verify(module))
        if not reports:
            return translation.translate(_in_steps(module, context), file, given)
    except (InvalidIR, NotLegalized) as problem:
        reports = list(problem.reports)
    lines = line_of_inputs(file, text)
    stderr.writelines(render(report, lines) for report in reports)
    return None


def _in_steps(module: ModuleOp, context: Context) -> ModuleOp:
    """Split every ``ttnn.to_layout`` into single steps: a module compiled pass by pass may still have whole ones."""
    if not has_steps(module):
        return module

    return in_steps(context, module)


def _write(content: bytes, name: str, stdout: TextIO) -> None:
    if name == "-":
        binary: BinaryIO | None = getattr(stdout, "buffer", None)
        if binary is None:
            raise WrongRequest("standard output cannot take bytes here; name a file with -o")
        binary.write(content)
        binary.flush()
        return
    try:
        write_whole(name, content)
    except OSError as problem:
        raise WrongRequest(f"cannot write {name}: {problem.strerror}; give the path of a file") from None


def _write_texts(texts: Texts, name: str, stdout: TextIO) -> None:
    """Write texts into a folder; for ``-``, to standard output one after the other."""
    if name == "-":
        stdout.write("".join(f"// {file}\n{text}\n" for file, text in texts.items()))
        return
    try:
        write_files(name, texts)
    except OSError as problem:
        raise WrongRequest(
            f"cannot write to {problem.filename}: {problem.strerror}; give the path of a folder"
        ) from None


TTMLIR_TRANSLATE = TranslateTool(name="ttmlir-translate")
main = TTMLIR_TRANSLATE.main
