"""``print`` of tensors, blocks and buffers inside an operation (specification, "Debug printing").

The built-in ``print`` takes no ``num_pages``. While an operation runs, ``print`` is this module's function; it
is put back when the operation ends, whatever happens, and it passes on every call that is not about our objects.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ttl.host.tensor import Tensor
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.context import CURRENT
from ttl.lang.deprecated import note_print_options
from ttl.lang.expr import BlockExpr
from ttl.rules.debugging import OLDER_OPTIONS, match_options, match_print
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
        if not isinstance(engine, Engine):
            original(*values, **options)
            return
        older = tuple(name for name in options if name in OLDER_OPTIONS)
        if older:
            note_print_options(older)
            options = {name: value for name, value in options.items() if name not in older}
            if not values:
                return
        wrong = match_options(options)
        if wrong is not None:
            engine.fail(wrong)
        if not ours and num_pages is None:
            original(*values, **options)
            return
        is_tensor = bool(ours) and isinstance(ours[0], Tensor)
        finding = match_print(len(ours), num_pages, tensor=is_tensor)
        if finding is not None:
            engine.fail(finding)
        pages = 1 if num_pages is None else int(num_pages)
        shown = [
            show.tensor(engine, value, pages) if isinstance(value, Tensor) else value for value in values
        ]
        original(*shown, **options)

    with print_replaced(print, original):
        yield


@contextmanager
def print_replaced(replacement: Callable[..., None], after: Callable[..., None]) -> Iterator[None]:
    """A context in which ``print`` is the replacement; at its end ``after`` takes its place, if it is still there."""
    replacement.ttl_original = _real_print()  # type: ignore[attr-defined]
    builtins.print = replacement
    try:
        yield
    finally:
        if builtins.print is replacement:
            builtins.print = after


def _real_print() -> Callable[..., None]:
    """The ``print`` that prints: every replacement refers to it."""
    real: Callable[..., None] = getattr(builtins.print, "ttl_original", builtins.print)
    return real
