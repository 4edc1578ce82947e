"""Which calls of an operation are like one that was checked: for programs that launch it a thousand times in new ways.

A simulation calls an operation with another number in every step, or makes the operation anew with the number in it. No
rule of the language looks at the value of a floating point number, so one call of a form is checked, whatever the
numbers are. Other differences (integers, shapes) can matter: so many forms of one piece of code are checked, and then
only the 64th, 128th, 256th: a check takes a hundred times as long as a small launch, which checks every rule itself.
"""

from __future__ import annotations

from types import CodeType

from ttl.session import SameObject, cached

# Forms of one piece of code that are all checked.
_ALL = 32
# Forms that are remembered as checked.
_REMEMBERED = 4096


class Forms:
    """The forms in which operations with one code were called."""

    def __init__(self) -> None:
        self._checked: set[str] = set()
        self._count = 0

    def is_due(self, form: str) -> bool:
        """Whether a call of a form has to be checked."""
        if form in self._checked:
            return False
        self._count += 1
        return self._count <= _ALL or self._count & (self._count - 1) == 0

    def checked(self, form: str) -> None:
        """A call of a form has no errors."""
        if len(self._checked) < _REMEMBERED:
            self._checked.add(form)


@cached(maxsize=512)
def _forms_of(code: SameObject) -> Forms:
    return Forms()


def forms_of(code: CodeType) -> Forms:
    """Those of a code, which operations that are made in a loop have in common."""
    return _forms_of(SameObject(code))
