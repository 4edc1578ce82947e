"""The modules below ``ttnn`` that programs name: ``ttnn.transformer``, ``ttnn.experimental``, ``ttnn.device`` and others."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from ttl.host.errors import Code, MissingNameError, placed
from ttl.host.names import nearest

# Modules of the real library, below ``ttnn``, that have nothing of their own here.
EMPTY = (
    "_ttnn", "operations", "types", "core", "tensor", "distributed", "graph", "cluster", "profiler", "tracer",
    "database", "decorators", "events", "model_preprocessing", "fabric", "reports",
)  # fmt: skip


class Submodule(ModuleType):
    """A module below ``ttnn``. A name that it has not is an error of ours (TTL1001), which is an AttributeError, too."""

    def __init__(
        self, name: str, names: Mapping[str, Any], doc: str, elsewhere: ModuleType | None = None
    ) -> None:
        super().__init__(f"ttnn.{name}", doc)
        self.__dict__.update(names)
        self.__dict__["__all__"] = sorted(names)
        self.__dict__["__path__"] = []
        self.__dict__["_elsewhere"] = elsewhere

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # Names of the library itself are also found in the modules where the real one keeps them.
        elsewhere = self.__dict__["_elsewhere"]
        if elsewhere is not None and not name.startswith("_") and hasattr(elsewhere, name):
            return getattr(elsewhere, name)
        raise MissingNameError(missing(self.__name__, name, self.__dict__["__all__"]))


def missing(module: str, name: str, known: Any) -> Any:
    """The error for a name that a module below ``ttnn`` has not got here."""
    return placed(
        Code.ABSENT_NAME,
        f"{module}.{name} is not part of the library that stands in for TT-NN here",
        help=nearest(name, known),
    )
