"""Names for messages: the variable a call's result was assigned to, or the one a kernel knows it by."""

from __future__ import annotations

import dis
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from ttl.source.spans import Site

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


@lru_cache(maxsize=4096)
def target_name(site: Site | None) -> str | None:
    """Name of the variable, attribute or parameter the value made at a site goes to; None if unclear."""
    if site is None:
        return None
    code, lasti = site
    for instruction in dis.get_instructions(code):
        # In Python 3.11 the last instruction of a frame may be an inline cache of the call, which dis hides.
        if instruction.offset <= lasti or instruction.opname in ("CACHE", "COPY", "NOP"):
            continue
        if instruction.opname.startswith("STORE_") and isinstance(instruction.argval, str):
            return instruction.argval
        return None
    return None
