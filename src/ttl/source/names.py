"""Names for messages: the variable that the result of a call was assigned to."""

from __future__ import annotations

import dis
from functools import lru_cache

from ttl.source.spans import Site


@lru_cache(maxsize=4096)
def target_name(site: Site | None) -> str | None:
    """Name of the variable, attribute or parameter the value made at a site goes to; None if unclear."""
    if site is None:
        return None
    code, lasti = site
    for instruction in dis.get_instructions(code):
        # In Python 3.11 the last instruction of a frame may be an inline cache of the call, which dis hides.
        if instruction.offset <= lasti or instruction.opname in ("CACHE", "COPY", "NOP"):
            continue
        if instruction.opname.startswith("STORE_") and isinstance(instruction.argval, str):
            return instruction.argval
        return None
    return None
