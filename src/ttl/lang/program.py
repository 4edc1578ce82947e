"""``ttl.Program``, with which operations of the first specification ended (LANGUAGE.md, "Older spellings")."""

from __future__ import annotations

from typing import Any

from ttl.lang.check import fail
from ttl.lang.deprecated import note_program
from ttl.lang.kernels import KernelFunction
from ttl.rules.kernels import not_a_kernel


class Program:
    """``return ttl.Program(compute, read, write)(a, out)``: does nothing, kernels are started by their decorators."""

    __slots__ = ()

    def __init__(self, *kernels: Any) -> None:
        note_program()
        for kernel in kernels:
            if not isinstance(kernel, KernelFunction):
                fail(not_a_kernel(kernel))

    def __call__(self, *tensors: Any) -> None:
        """Nothing: the operation runs its kernels when its body has ended."""
