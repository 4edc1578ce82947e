"""Names of variables in generated host programs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

_OTHER = re.compile(r"\W", re.ASCII)


def unique_names(wanted: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return a valid and unique Python name for each of these texts, as similar to it as possible."""
    used = set(taken)
    result = []
    for text in wanted:
        plain = _OTHER.sub("_", text) or "_"
        if plain[0].isdigit() or keyword.iskeyword(plain):
            plain = f"_{plain}"
        name, number = plain, 1
        while name in used:
            number += 1
            name = f"{plain}_{number}"
        used.add(name)
        result.append(name)
    return result
