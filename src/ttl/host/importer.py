"""Makes ``import ttnn`` find this library, at the end of the import path: a real ``ttnn`` always wins."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from ttl.host.errors import MissingModuleError, placed

_LIBRARY = "ttl.host.api"


class _LibraryLoader(Loader):
    """Loads nothing: the module is ``ttl.host.api``, once, under a second name."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_LIBRARY)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class TtnnFinder(MetaPathFinder):
    """Finds ``ttnn``, and explains that it has no submodules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The library for ``ttnn``, an error (TTL1017) for a submodule of it, None for everything else."""
        if fullname == "ttnn":
            return ModuleSpec("ttnn", _LibraryLoader(), is_package=True)
        if fullname.startswith("ttnn.") and sys.modules.get("ttnn") is sys.modules.get(_LIBRARY):
            raise _missing(fullname)
        if fullname.startswith(_LIBRARY + "."):  # "from ttnn import name" asks for this when there is no such name
            name = fullname.removeprefix(_LIBRARY + ".")
            api = import_module(_LIBRARY)
            error = MissingModuleError(api.missing(name))
            error.name = f"ttnn.{name}"
            raise error
        return None


def install() -> None:
    """Append the finder to ``sys.meta_path``, unless it is there."""
    if not any(isinstance(finder, TtnnFinder) for finder in sys.meta_path):
        sys.meta_path.append(TtnnFinder())


def _missing(fullname: str) -> MissingModuleError:
    found = placed(
        "TTL1017",
        f"there is no module '{fullname}' without the real ttnn",
        help="use the names of 'import ttnn' itself; docs/reference/host.md lists them",
    )
    error = MissingModuleError(found)
    error.name = fullname
    return error
