"""A share of many cases for ``make test``; the others are ``long``, for ``make test-all``.

For cases that are drawn at random, or that only repeat at other sizes and types what the first ones prove.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def share(cases: Iterable[Any], usual: int) -> list[Any]:
    """The cases as parameters of a test, of which all but the first ``usual`` are marked as long."""
    return [
        case if number < usual else pytest.param(case, marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]
