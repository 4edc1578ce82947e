"""``ttl.Program``, with which operations of the first specification ended (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

from typing import Any

from ttl.diag import error
from ttl.lang.check import describe, fail
from ttl.lang.deprecated import note_program
from ttl.lang.kernels import KernelFunction


class Program:
    """``return ttl.Program(compute, read, write)(a, out)``: does nothing, kernels are started by their decorators."""

    __slots__ = ()

    def __init__(self, *kernels: Any) -> None:
        note_program()
        for kernel in kernels:
            if not isinstance(kernel, KernelFunction):
                fail(
                    error(
                        "TTL0229",
                        f"ttl.Program takes kernels, not {describe(kernel)}",
                        help="decorate the kernels with @ttl.compute() and @ttl.datamovement() and drop ttl.Program",
                    )
                )

    def __call__(self, *tensors: Any) -> None:
        """Nothing: the operation runs its kernels when its body has ended."""
