"""A model that a framework was asked for, from TTIR to the bytes of a file: the pipeline to TTNN, with what such models want of it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttmlir.ir import Module
    from ttmlir.transforms.permutations import Order

# Objects that are made between two collections of the youngest; the default is some hundreds.
_ALLOCATIONS = 200_000
# Their images have channels first.
_PROPAGATE = "propagate-transposes"


def compiled_content(
    module: Module,
    options: str = "",
    *,
    kernel_modules: Sequence[str] = (),
    goldens: Callable[[Mapping[str, Order]], Mapping[str, Any]] = lambda moved: {},
) -> bytes:
    """The file of a module in TTIR, which is one in TTNN afterwards. Raises ``RuntimeError``.

    Args:
        options: of the pipeline. Unless they say so, operations work in the order of dimensions that convolutions want.
        kernel_modules: Python modules of the operations of TT-Lang that it calls.
        goldens: golden tensors by name, given how results are permuted by the names of their locations.
    """
    from ttmlir.passes import flatbuffer_of, ttir_to_ttnn_backend_pipeline

    if _PROPAGATE not in options:
        options = f"{options} {_PROPAGATE}=true".strip()
    if kernel_modules and "allow-tt-lang" not in options:
        options = f"{options} allow-tt-lang={','.join(kernel_modules)}"
    moved: dict[str, Order] = {}
    with rare_collections():
        ttir_to_ttnn_backend_pipeline(module, options, moved=moved)
        return flatbuffer_of(module, goldens(moved))


@contextmanager
def rare_collections() -> Iterator[None]:
    """Python looks for cyclic garbage less often: of a module of thousands of operations, all of which stay, it finds next to
    nothing, and takes a third of the time. What it does for others is as before, afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
