"""Makes ``import ttnn`` find this library, at the end of the import path: a real ``ttnn`` always wins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, cast

# Imported by ``import ttl``: modules for error messages are imported only when there is an error.
if TYPE_CHECKING:
    from ttl.diag.model import Diagnostic
    from ttl.host.errors import MissingModuleError

_LIBRARY = "ttl.host.api"


class _LibraryLoader:
    """Loads nothing: ``ttnn`` is the module ``ttl.host.api`` under a second name."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_LIBRARY)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _SubmoduleLoader:
    """Loads nothing: the module exists already."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _OlderPackage(ModuleType):
    """``ttlang``, the package's former name, with one name in it: the language itself."""

    def __getattr__(self, name: str) -> Any:
        if name != "ttl":
            raise AttributeError(name)
        return import_module("ttl.lang.older_functions").older_package()


class _OlderLoader(_SubmoduleLoader):
    """Loads nothing: the package exists already."""

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, but keep the package's own specification, its only one."""


class TtnnFinder:
    """Finds ``ttnn`` and its submodules, and explains which submodules do not exist."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find ``ttnn``, its submodules and ``ttlang``; return None for other modules.

        Raises ``MissingModuleError`` for a module or name that does not exist in them (TTL1017 for a module), and for
        known modules of other implementations of the language.
        """
        if fullname in _OF_OTHERS:
            problem = _missing(fullname, f"there is no module '{fullname}' here", _OF_OTHERS[fullname])
            # With the whole name, "from ttl.dialects import ttcore" would raise an error of its own.
            problem.name = fullname.rpartition(".")[2]
            raise problem
        if fullname.partition(".")[0] == "ttlang":
            return _older(fullname)
        if fullname == "ttnn":
            loader: Any = _LibraryLoader()  # its type is in importlib.abc, which takes long to import
            return ModuleSpec("ttnn", loader, is_package=True)
        if fullname.startswith("ttnn.") and sys.modules.get("ttnn") is sys.modules.get(_LIBRARY):
            module = import_module(_LIBRARY).submodules().get(fullname.removeprefix("ttnn."))
            if module is not None:
                return ModuleSpec(fullname, cast("Any", _SubmoduleLoader(module)), is_package=True)
            raise _missing(fullname)
        # "from ttnn import name" looks for this module if there is no such name.
        if fullname.startswith(f"{_LIBRARY}."):
            name = fullname.removeprefix(_LIBRARY + ".")
            raise _refused(f"ttnn.{name}", import_module(_LIBRARY).missing(name))
        return None


def _older(fullname: str) -> ModuleSpec | None:
    """Find the package ``ttlang``; return None for other modules.

    Raises ``MissingModuleError`` (TTL1017), with the alternative, for the package's former modules.
    """
    if fullname == "ttlang":
        package = _OlderPackage(fullname, "The language under the name of its package of earlier days.")
        return ModuleSpec(fullname, cast("Any", _OlderLoader(package)), is_package=True)
    from ttl.diag.plan_names import MODULES

    if fullname not in MODULES:
        return None
    raise _missing(fullname, f"there is no module '{fullname}' any more", MODULES[fullname])


def install() -> None:
    """Append the finder to ``sys.meta_path``, unless it is there."""
    if not any(isinstance(finder, TtnnFinder) for finder in sys.meta_path):
        sys.meta_path.append(TtnnFinder())


# Modules of other implementations of the language that programs import, and the alternatives.
_OF_OTHERS = {
    "ttl.dialects.ttcore": "a program needs no dialect of a compiler: remove the import; "
    "'ttl compile --emit ttl PROGRAM' prints the IR of its operations, and ttl-opt reads it",
    "ttl.diagnostics": "errors of the language are ttl.TTLError and, of these, ttl.ProgramError, ttl.ResourceError and "
    "ttl.DeadlockError: write 'import ttl' and catch those",
}


def _missing(
    fullname: str,
    message: str = "",
    advice: str = "use the names of 'import ttnn' itself; docs/reference/host.md lists them",
) -> MissingModuleError:
    from ttl.diag.model import error
    from ttl.host.errors import Code

    finding = error(
        Code.NO_MODULE.value,
        message or f"there is no module '{fullname}' without the real ttnn",
        help=advice,
    )
    return _refused(fullname, finding)


def _refused(name: str, finding: Diagnostic) -> MissingModuleError:
    from ttl.host.errors import MissingModuleError

    problem = MissingModuleError(_at_import(finding))
    problem.name = name
    return problem


def _at_import(finding: Diagnostic) -> Diagnostic:
    """Place a diagnostic at the import statement, outside of this package and of Python's import machinery."""
    from dataclasses import replace

    from ttl.source.spans import READING, is_ours, span_of_site

    reading = READING.get()
    if reading is not None:
        return replace(finding, primary=None).at(reading.span)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (is_ours(frame.f_code) or frame.f_code.co_filename.startswith("<frozen ")):
        frame = frame.f_back
    span = None if frame is None else span_of_site((frame.f_code, frame.f_lasti))
    return replace(finding, primary=None).at(span)
