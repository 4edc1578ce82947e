"""What this machine has of the native core, for tests that compare ways to execute an operation."""

from __future__ import annotations

import pytest

from ttl import native

needs_native = pytest.mark.skipif(not native.available(), reason=f"no native core: {native.why_not()}")


def narrower() -> list[str]:
    """Instruction sets of this processor that the machine can use instead of the widest, narrow to wide."""
    if not native.available():
        return []
    there = set(native.machine().isas())
    return [name for name in ("plain", "avx2", "avx512", "avx512bf16") if name in there][:-1]
