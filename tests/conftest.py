"""What every test starts with: no settings of the developer's shell, nothing said before, fixed random examples."""

from __future__ import annotations

import os
from collections.abc import Iterator

import hypothesis
import pytest

from ttl.diag import report
from ttl.lang.context import LAST_GRID

hypothesis.settings.register_profile("ttl", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ttl")


@pytest.fixture(scope="session", autouse=True)
def _environment() -> Iterator[None]:
    """None of our variables in the environment, except that IR is verified after every pass."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("TTL_") or name == "NO_COLOR":
                patch.delenv(name)
        patch.setenv("TTL_VERIFY_EACH", "1")
        yield


@pytest.fixture(autouse=True)
def _nothing_said() -> None:
    """Notes that are given once per process are given once per test."""
    report.SAID.get().keys.clear()
    LAST_GRID.set(None)
