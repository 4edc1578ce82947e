"""A second interpreter whose control plane is the one in Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.child import Child
from ttl import native


@pytest.fixture(scope="session")
def python_core() -> Iterator[Child | None]:
    """An interpreter that runs kernels without the native core; None where this one does so, too."""
    if not native.available():
        yield None
        return
    child = Child({"TTL_CORE": "python"})
    yield child
    child.close()
