"""Names of C++ variables: the user's where possible, unique where they are visible, never a name that is taken."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from ttl.emitc.spelling import KEYWORDS
from ttl.kernel_api import CALLS, fabric

# Beside the functions of the table: what kernel headers and the C library call by lower-case names, as macros or
# as functions that the text itself uses.
_TAKEN = """
    alloca asm assert errno final import linux main module offsetof override stderr stdin stdout unix
    kernel_main floor_div floor_mod ceil_div std ckernel experimental noc_index noc_mode my_x my_y my_logical_x_
    my_logical_y_ get_semaphore get_compile_time_arg_val get_arg_val get_common_arg_val tensor_accessor tt_l1_ptr
    tt_reg_ptr int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t uintptr_t bfloat16
"""


@cache
def reserved() -> frozenset[str]:
    """Words that no variable may have: of C++, and of the kernel API."""
    # Calls to other chips are written with their namespaces, so that their names are free.
    words = KEYWORDS | set(_TAKEN.split()) | set(fabric.NAMES)
    return frozenset(words.union(*(call.words() for call in CALLS.values() if call not in fabric.ROWS)))


def identifier(text: str, fallback: str) -> str:
    """A name of C++ as near to the given one as can be.

    Names in capitals only are those of macros, and those with two underscores, or one and a capital at the start,
    belong to the compiler. A single capital is a usual name for an extent.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    plain = re.sub(r"_+", "_", re.sub(r"\W", "_", plain)).lstrip("_")
    if not plain:
        return fallback
    if plain[0].isdigit():
        plain = f"{fallback}_{plain}"
    letters = [item for item in plain if item.isalpha()]
    return plain.lower() if len(letters) > 1 and plain.upper() == plain else plain


class Names:
    """The names in use, by scope."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._scopes: list[set[str]] = [set(taken)]
        # For each scope: the first number behind a name that may be free. Those before it are taken while the scope lasts.
        self._numbers: list[dict[str, int]] = [{}]

    def enter(self) -> None:
        """A scope begins: its names are free again when it ends."""
        self._scopes.append(set())
        self._numbers.append({})

    def leave(self) -> None:
        """The innermost scope ends."""
        self._scopes.pop()
        self._numbers.pop()

    def fresh(self, hint: str | None, fallback: str) -> str:
        """A name that nothing visible has, now taken in the innermost scope."""
        base = identifier(hint, fallback) if hint else fallback
        number = next((numbers[base] for numbers in reversed(self._numbers) if base in numbers), 0)
        while not self.is_free(name := f"{base}_{number}" if number else base):
            number += 1
        self._scopes[-1].add(name)
        self._numbers[-1][base] = number + 1
        return name

    def is_free(self, name: str) -> bool:
        """Whether a variable can have a name here."""
        return name not in reserved() and not any(name in scope for scope in self._scopes)
