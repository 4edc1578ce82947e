"""Whether a name is another name with a typing mistake, the only case in which a fix may rename it.

Names that are merely similar are often different functions: ``reduce_mean`` and ``reduce_max``, ``log2`` and ``log``,
``z_blk`` and ``y_blk``. They are offered ("did you mean ...?") and never written by ``--fix``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable

# Functions of torch, JAX and TT-NN that NumPy and ``math`` do not have, one letter away from a function of ours.
_FUNCTIONS = frozenset(
    {
        "cot",
        "coth",
        "csc",
        "sec",
        "sech",
        "acot",
        "glu",
        "geglu",
        "reglu",
        "rrelu",
        "crelu",
        "sgn",
        "sqr",
        "erf",
        "mish",
    }
)


def meant(name: str, known: Iterable[str]) -> str | None:
    """The known name of which ``name`` is a misspelling; None if no name, or more than one, is that close.

    A mistake is a letter too many, too few or wrong, or two exchanged letters, in one of the words between underscores;
    two mistakes are possible in a word of six letters or more. Differences in case or underscores alone are not
    mistakes. A word with other digits, of one or two letters, or that is a function of ``math``, NumPy, torch, JAX or
    TT-NN is never taken as a misspelling.
    """
    distances = {other: distance for other in known if (distance := _distance(name, other)) is not None}
    least = min(distances.values(), default=0)
    near = [other for other, distance in distances.items() if distance == least]
    return near[0] if len(near) == 1 else None


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _distance(name: str, other: str) -> int | None:
    """Return the number of mistakes that turn one name into the other; None if they are different names."""
    if _plain(name) == _plain(other):
        return 0
    words, others = name.split("_"), other.split("_")
    different = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) != len(others) or len(different) != 1:
        return None
    word, wanted = different[0]
    if min(len(word), len(wanted)) < 3 or _digits(word) != _digits(wanted) or _is_a_function(word):
        return None
    slips = _slips(word.lower(), wanted.lower())
    return slips if slips <= (2 if len(wanted) >= 6 else 1) else None


def _digits(word: str) -> str:
    return "".join(filter(str.isdigit, word))


def _is_a_function(word: str) -> bool:
    numpy = sys.modules.get("numpy")  # loaded whenever programs are read or run
    return word in _FUNCTIONS or any(callable(getattr(library, word, None)) for library in (math, numpy))


def _slips(word: str, other: str) -> int:
    """The Damerau-Levenshtein distance in which an exchange of neighbours counts as one (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            least = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == wanted:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1]
