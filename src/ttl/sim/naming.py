"""Names for messages: the variable that a kernel knows an object by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ttl.sim.kernel import Kernel


def captured_name(kernels: Iterable[Kernel], value: object) -> str | None:
    """What kernels call an object they capture: ``a_dfb``, or ``dfbs[0]`` in a list, tuple or dict."""
    for kernel in kernels:
        function = kernel.function
        cells = getattr(function, "__closure__", None)
        if function is None or cells is None:
            continue
        for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
            try:
                content = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
            if content is value:
                return name
            items: Iterable[tuple[object, object]] = ()
            if isinstance(content, list | tuple):
                items = enumerate(content)
            elif isinstance(content, dict):
                items = content.items()
            for key, item in items:
                if item is value:
                    return f"{name}[{key!r}]"
    return None
