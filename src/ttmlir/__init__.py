"""TT-MLIR: the compiler of whole models for Tenstorrent chips, without a build of LLVM.

The dialects, layouts and passes are those of 2024-11-21. ``compile`` makes a binary of a function, ``load`` reads one, both
run; the names of the real bindings are in the modules. This package is light to import: each part is imported where it is
used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttmlir.dispatch import compile
    from ttmlir.loaded import CompileError, LoadedModel, load, stitch

__all__ = ["CompileError", "LoadedModel", "compile", "load", "stitch"]

_NAMES = {
    "CompileError": ("ttmlir.loaded", "CompileError"),
    "LoadedModel": ("ttmlir.loaded", "LoadedModel"),
    "compile": ("ttmlir.dispatch", "compile"),
    "load": ("ttmlir.loaded", "load"),
    "stitch": ("ttmlir.loaded", "stitch"),
}


# Modules for frameworks, which are imported on first use.
_MODULES = ("jax", "torch")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"ttmlir.{name}")
    if name not in _NAMES:
        raise AttributeError(f"module 'ttmlir' has no attribute {name!r}")
    module, inner = _NAMES[name]
    return getattr(import_module(module), inner)


def __dir__() -> list[str]:
    return sorted([*globals(), *_NAMES])
