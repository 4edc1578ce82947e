"""Names of C++ variables: the user's if possible, unique in their scope, and never a reserved name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from ttl.emitc.spelling import KEYWORDS
from ttl.kernel_api import CALLS, fabric

# Reserved names besides the functions of the table: lower-case names of kernel headers and the C library that are
# macros, or functions that the printed text uses.
_TAKEN = """
    alloca asm assert errno final import linux main module offsetof override stderr stdin stdout unix
    kernel_main floor_div floor_mod ceil_div std ckernel experimental noc_index noc_mode my_x my_y my_logical_x_
    my_logical_y_ get_semaphore get_compile_time_arg_val get_arg_val get_common_arg_val tensor_accessor tt_l1_ptr
    tt_reg_ptr int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t uintptr_t bfloat16
"""


@cache
def reserved() -> frozenset[str]:
    """Words that are not allowed as names of variables: those of C++ and of the kernel API."""
    # Calls to other chips are written with their namespaces, so that their names are free.
    words = KEYWORDS | set(_TAKEN.split()) | set(fabric.NAMES)
    return frozenset(words.union(*(call.words() for call in CALLS.values() if call not in fabric.ROWS)))


def identifier(text: str, fallback: str) -> str:
    """Return a valid C++ name that is as similar to ``text`` as possible.

    Names in capitals belong to macros, and names with two underscores, or with an underscore and a capital at the
    start, to the compiler. A single capital is allowed, because it is a usual name for an extent.
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
        # For each scope, the first suffix of a name that may be free. Lower ones are taken until the scope ends.
        self._numbers: list[dict[str, int]] = [{}]

    def enter(self) -> None:
        """Begin a scope, whose names are free again at its end."""
        self._scopes.append(set())
        self._numbers.append({})

    def leave(self) -> None:
        """End the innermost scope."""
        self._scopes.pop()
        self._numbers.pop()

    def fresh(self, hint: str | None, fallback: str) -> str:
        """Return a name that is unique among the visible ones, and take it in the innermost scope."""
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
