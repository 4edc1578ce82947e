"""Whether generated kernels agree with the real kernel headers: types, names, counts of arguments, warnings.

The host's g++ reads the kernel with the headers of a published ttnn (``kernel_headers``) and generates no code, so neither
the RISC-V compiler nor a card is needed. A compute kernel is read as the three units that the build on the device makes
of it, with TRISC_UNPACK, TRISC_MATH and TRISC_PACK (``kernel_compiler``). Warnings about the kernel's own text count, too:
a deprecated name, an unused variable, a conversion that C++ forbids.

Answers are kept by content: a kernel that was accepted once is not compiled again. New ones are compiled many in one
process (``kernel_batches``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from support.kernel_batches import Kernel, batches, judge
from support.kernel_compiler import (
    GENERATIONS,
    UNITS,
    Generation,
    Kind,
    available,
    prepare,
    replace_file,
    version,
)
from support.kernel_headers import cache_folder

__all__ = ["GENERATIONS", "Generation", "Kernel", "Kind", "check", "check_all", "needs_compiler", "prepare"]

needs_compiler = pytest.mark.skipif(not available(), reason="no g++ on this machine")
"""For tests that check kernels: without a C++ compiler they are skipped, as those of the native core are."""


def check(generation: Generation, kind: Kind, text: str, defines: Sequence[str] = ()) -> str | None:
    """What the compiler says about one kernel; None when it accepts it."""
    kernel = Kernel(generation=generation, kind=kind, text=text, defines=tuple(defines))
    return check_all([kernel])[0]


def check_all(kernels: Iterable[Kernel]) -> list[str | None]:
    """As ``check`` for many kernels: an answer for each, in their order, with few runs of the compiler."""
    wanted = list(kernels)
    answers: dict[Kernel, str | None] = {}
    new = []
    for kernel in dict.fromkeys(wanted):
        kept = _kept(kernel)
        if kept.exists():
            answers[kernel] = kept.read_text(encoding="utf-8") or None
        else:
            new.append(kernel)
    for batch in batches(new):
        for kernel, complaint in zip(batch, judge(batch), strict=True):
            answers[kernel] = complaint
            _keep(kernel, complaint)
    return [answers[kernel] for kernel in wanted]


def _kept(kernel: Kernel) -> Path:
    """Where the answer about a kernel is kept: an empty file for one that was accepted."""
    versions = (version(kernel.generation, unit) for unit in UNITS[kernel.kind])
    parts = (*versions, *kernel.defines, kernel.text)
    name = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return cache_folder() / "answers" / name[:2] / name


def _keep(kernel: Kernel, complaint: str | None) -> None:
    kept = _kept(kernel)
    kept.parent.mkdir(parents=True, exist_ok=True)
    replace_file(kept, complaint or "")
