"""``print`` of tensors, blocks and buffers inside an operation (specification, "Debug printing").

The built-in ``print`` takes no ``num_pages``. While an operation runs, ``print`` is this module's function; it
is put back when the operation ends, whatever happens, and it passes on every call that is not about our objects.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ttl.diag import error
from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.check import describe, is_int
from ttl.lang.context import CURRENT
from ttl.lang.expr import BlockExpr
from ttl.sim import show
from ttl.sim.engine import Engine


@contextmanager
def kernel_print() -> Iterator[None]:
    """Let ``print`` understand tensors, blocks and buffers of the running launch."""
    # Launches of several threads may overlap: every replacement knows the real one, and passes on to it.
    original = _real_print()

    def print(*values: Any, num_pages: Any = None, **options: Any) -> None:
        ours = [value for value in values if isinstance(value, Tensor | BlockExpr | DataflowBuffer)]
        engine = CURRENT.get()
        if not isinstance(engine, Engine) or (not ours and num_pages is None):
            original(*values, **options)
            return
        if len(ours) > 1:
            engine.fail(
                error(
                    "TTL0212",
                    f"print of {len(ours)} blocks, buffers or tensors at once",
                    notes=("one print shows one of them, with any number of strings and numbers",),
                    help="use one print for each",
                )
            )
        if num_pages is not None and not (ours and isinstance(ours[0], Tensor)):
            engine.fail(
                error(
                    "TTL0216",
                    "num_pages given to a print without a tensor",
                    help="num_pages says how many pages of a tensor to print",
                )
            )
        pages = 1 if num_pages is None else num_pages
        if not is_int(pages) or pages < 1:
            engine.fail(
                error(
                    "TTL0217",
                    f"num_pages is a positive int, not {describe(num_pages)}",
                    help="write print(x, num_pages=2)",
                )
            )
        shown = [
            show.tensor(engine, value, int(pages)) if isinstance(value, Tensor) else value for value in values
        ]
        original(*shown, **options)

    with print_replaced(print, original):
        yield


@contextmanager
def print_replaced(replacement: Callable[..., None], after: Callable[..., None]) -> Iterator[None]:
    """Inside, ``print`` is the replacement; ``after`` is put in its place at the end, if it is still there."""
    replacement.ttl_original = _real_print()  # type: ignore[attr-defined]
    builtins.print = replacement
    try:
        yield
    finally:
        if builtins.print is replacement:
            builtins.print = after


def _real_print() -> Callable[..., None]:
    """The one that prints: whatever replaces it knows it."""
    real: Callable[..., None] = getattr(builtins.print, "ttl_original", builtins.print)
    return real
