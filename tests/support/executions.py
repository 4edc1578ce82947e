"""What this process has of the native core, for tests that compare ways to execute an operation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.child import Child
from ttl import control, native

# Whether kernels run on the native core here, and blocks are computed by the machine.
NATIVE = control.NATIVE and native.available()

needs_native = pytest.mark.skipif(
    not NATIVE, reason=f"no native core: {native.why_not() or 'TTL_CORE=python'}"
)


@pytest.fixture(scope="session")
def python_core() -> Iterator[Child | None]:
    """An interpreter that runs kernels without the native core; None where this one does so, too."""
    if not NATIVE:
        yield None
        return
    child = Child({"TTL_CORE": "python"})
    yield child
    child.close()


def narrower() -> list[str]:
    """Instruction sets of this processor that the machine can use instead of the widest, narrow to wide."""
    if not NATIVE:
        return []
    there = set(native.machine().isas())
    return [name for name in ("plain", "avx2", "avx512", "avx512bf16") if name in there][:-1]
