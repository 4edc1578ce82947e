"""Importing xDSL without the parts that a program of the language does not need: most of the time of a first check is imports.

Nothing here imports xDSL by itself, so that this can be imported before."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl.irdl import IRDLOperation
    from xdsl.irdl.declarative_assembly_format import FormatProgram
    from xdsl.parser import Parser
    from xdsl.printer import Printer

_AFFINE, _MEMREF, _LOADER = "xdsl.dialects.affine", "xdsl.dialects.memref", "xdsl.utils.dialect_loader"


def import_lean() -> None:
    """Import xDSL's ``affine``, and its dependencies, without the parts that a program of the language does not need.

    ``affine`` needs one name of ``memref``, and that one is of ``builtin``; the rest of ``memref`` is a third of the time of
    importing xDSL. All dialects need the finder of IRDL files, and with it the resources of packages, temporary files and network
    addresses. Both can still be imported afterwards. The text of ``arith`` and of others is read when the first operation is
    parsed or printed.
    """
    if _AFFINE in sys.modules or _MEMREF in sys.modules:
        return
    with _stand_in(_LOADER, IRDLDialectFinder=FilesOfIRDL):
        from xdsl.dialects.builtin import MemRefType
    with _stand_in(_MEMREF, MemRefType=MemRefType), _formats_read_later():
        import xdsl.dialects.affine
        import xdsl.dialects.scf  # noqa: F401


@contextmanager
def _stand_in(name: str, **names: Any) -> Iterator[None]:
    """Inside, a module that is not imported yet has only these names."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = stand_in = ModuleType(name)
    vars(stand_in).update(names)
    try:
        yield
    finally:
        del sys.modules[name]


class FilesOfIRDL:
    """xDSL's finder of IRDL files as modules, which is imported when there is such a file."""

    def __init__(self, get_all_dialects: Callable[[], dict[str, Any]]) -> None:
        self._dialects = get_all_dialects

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the specification of a module from an IRDL file; None where no such file has its name."""
        file = f"{fullname.rpartition('.')[2]}.irdl"
        if not any(os.path.isfile(os.path.join(folder, file)) for folder in path or [os.getcwd()]):
            return None
        from xdsl.utils.dialect_loader import IRDLDialectFinder

        spec: ModuleSpec | None = IRDLDialectFinder(self._dialects).find_spec(fullname, path, target)
        return spec


class FormatReadLater:
    """The assembly format of an operation (``FormatProgram``), parsed from its text when it is first used."""

    def __init__(self, read: Callable[[], FormatProgram]) -> None:
        self._read = read

    @cached_property
    def _program(self) -> FormatProgram:
        return self._read()

    def parse(self, parser: Parser, operation: type[IRDLOperation]) -> IRDLOperation:
        """Parse the operation at the parser's position."""
        return self._program.parse(parser, operation)

    def print(self, printer: Printer, operation: IRDLOperation) -> None:
        """Print an operation."""
        self._program.print(printer, operation)


@contextmanager
def _formats_read_later() -> Iterator[None]:
    """Inside, formats are parsed later; only for xDSL's own operations, whose formats are correct."""
    from xdsl.irdl.declarative_assembly_format import FormatProgram

    read = FormatProgram.from_str
    format_program: Any = FormatProgram
    format_program.from_str = lambda text, definition: FormatReadLater(partial(read, text, definition))
    try:
        yield
    finally:
        format_program.from_str = staticmethod(read)
