"""Expecting a diagnostic of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ttl.diag import TTLError
from ttl.diag.errors import DeadlockError


@contextmanager
def fails(*codes: str, match: str = "") -> Iterator[pytest.ExceptionInfo[TTLError]]:
    """The block raises a diagnostic with one of ``codes``; ``match`` is searched in its whole text."""
    with pytest.raises(TTLError) as caught:
        yield caught
    assert caught.value.code in codes, f"expected {' or '.join(codes)}, got:\n{caught.value}"
    if match:
        assert re.search(match, str(caught.value)), f"{match!r} is not in:\n{caught.value}"


@contextmanager
def deadlocks(match: str = "") -> Iterator[pytest.ExceptionInfo[DeadlockError]]:
    """The block ends in a deadlock report, whatever cause it names."""
    with pytest.raises(TTLError) as caught:
        yield caught
    assert isinstance(caught.value, DeadlockError), f"expected a deadlock, got:\n{caught.value}"
    assert caught.value.code.startswith("TTL09")
    if match:
        assert re.search(match, str(caught.value)), f"{match!r} is not in:\n{caught.value}"


def line_of(caught: pytest.ExceptionInfo[TTLError]) -> str:
    """The source line the first finding points at."""
    import linecache

    primary = caught.value.diagnostic.primary
    assert primary is not None
    return linecache.getline(primary.span.file, primary.span.line).strip()


def pointed_at(caught: pytest.ExceptionInfo[TTLError]) -> str:
    """The source text the first finding underlines."""
    import linecache

    primary = caught.value.diagnostic.primary
    assert primary is not None
    span = primary.span
    assert span.line == span.end_line
    return linecache.getline(span.file, span.line)[span.column - 1 : span.end_column - 1]
