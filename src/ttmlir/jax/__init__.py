"""Models in JAX: a function becomes a binary that runs, on a simulated device if there is no card. Needs ``jax``.

import jax.numpy as jnp
import ttmlir.jax

def layer(x, weights):
    return jnp.maximum(x @ weights["w"] + weights["b"], 0)

model = ttmlir.jax.compile(layer, (64, 128), {"w": (128, 32), "b": (32,)})
model.run(x, {"w": w, "b": b})       # arrays of JAX or NumPy, as for the function
model.save("layer.ttnn")
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttmlir.jax.array_kernels import tt_lang_operation
    from ttmlir.jax.compiled_function import JaxModel
    from ttmlir.jax.compiling import compile_function as compile
    from ttmlir.jax.compiling import stablehlo_of

__all__ = ["JaxModel", "compile", "stablehlo_of", "tt_lang_operation"]

_NAMES = {
    "JaxModel": ("ttmlir.jax.compiled_function", "JaxModel"),
    "compile": ("ttmlir.jax.compiling", "compile_function"),
    "tt_lang_operation": ("ttmlir.jax.array_kernels", "tt_lang_operation"),
    "stablehlo_of": ("ttmlir.jax.compiling", "stablehlo_of"),
}


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module 'ttmlir.jax' has no attribute {name!r}")
    module, inner = _NAMES[name]
    return getattr(import_module(module), inner)
