"""Compiles the TTIR of a framework's model to the bytes of a file: the pipeline to TTNN, with the defaults for such models."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ttl.diag import TTLWarning
from ttl.session.collector import patient_collector
from ttmlir.inspection import memory_needs
from ttmlir.loaded import CompileError
from ttmlir.passes import flatbuffer_of, ttir_to_ttnn_backend_pipeline

if TYPE_CHECKING:
    from ttmlir.ir import Module
    from ttmlir.transforms.orders.permutations import Order

# Weights are inputs of the program, which may change; or constants in the file, with their present values.
Weights: TypeAlias = Literal["inputs", "constants"]
_WEIGHTS: tuple[Weights, ...] = ("inputs", "constants")
# For models whose images have channels first.
_PROPAGATE = "propagate-transposes"


def require_weights(weights: str) -> None:
    """Raise ``CompileError`` for an unknown value of ``weights``."""
    if weights not in _WEIGHTS:
        raise CompileError(f"weights are {weights!r}; there are {', '.join(_WEIGHTS)}")


def compiled_content(
    module: Module,
    options: str = "",
    *,
    kernel_modules: Sequence[str] = (),
    weights: Set[int] | None = None,
    goldens: Callable[[Mapping[str, Order]], Mapping[str, Any]] = lambda moved: {},
) -> bytes:
    """Compile a TTIR module to the bytes of a file. The module is converted to TTNN in place. Raises ``RuntimeError``.

    Args:
        options: of the pipeline. By default, operations work in the order of dimensions that convolutions need.
        kernel_modules: Python modules of the operations of TT-Lang that it calls.
        weights: the arguments, by position, that are weights, where that is known.
        goldens: a function that returns golden tensors by name; its argument is the permutation of results, by the names of their locations.
    """
    if _PROPAGATE not in options:
        options = f"{options} {_PROPAGATE}=true".strip()
    if kernel_modules and "allow-tt-lang" not in options:
        options = f"{options} allow-tt-lang={','.join(kernel_modules)}"
    moved: dict[str, Order] = {}
    with patient_collector():
        ttir_to_ttnn_backend_pipeline(module, options, moved=moved)
        _require_memory(module, weights)
        return flatbuffer_of(module, goldens(moved))


def _require_memory(module: Module, weights: Set[int] | None) -> None:
    """Raise ``RuntimeError`` for a model that does not fit on a chip; warn if the weights do not fit all at once."""
    for needs in memory_needs(module, weights):
        if not needs.fits:
            raise RuntimeError(f"TTL1709: it does not fit into the chip's {needs.memory}\n{needs}")
        if not needs.weights_stay:
            text = (
                f"TTL1709: the weights do not stay on the chip, and are brought there at every run\n{needs}"
            )
            warnings.warn(text, TTLWarning, stacklevel=_levels_to_the_user())


def _levels_to_the_user() -> int:
    """Return how many calls up, counted as by ``warnings.warn``, the first code outside of this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith(
        ("ttmlir", "tt_model")
    ):
        level, frame = level + 1, frame.f_back
    return level
