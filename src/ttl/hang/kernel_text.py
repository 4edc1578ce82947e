"""The calls in a kernel's C++: which circular buffer, how many pages, which semaphore each is about.

Names are followed to numbers through the lines that define them, as the compiler of this package writes them; a number that is
computed while the kernel runs stays unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from ttl.sim.diaries import PAGES, SEMAPHORE, SPACE

_DEFINED = re.compile(
    r"\b(?:constexpr|const)\s+(?:std::)?(?:uint32_t|int|auto|uint8_t)\s+(\w{1,80})\s*=\s*([^;\n]{1,200});"
)
_WORD = re.compile(r"get_compile_time_arg_val\(\s*(\d{1,3})\s*\)")
_SEMAPHORE_OF = re.compile(r"get_semaphore(?:<[^>]{0,40}>)?\(\s*(\w{1,80})\s*\)")
_POINTER = re.compile(r"reinterpret_cast<[^>]{1,80}>\(\s*(\w{1,80})\s*\)")
_CALL = re.compile(
    r"\b(cb_wait_front|cb_reserve_back|cb_push_back|cb_pop_front|noc_semaphore_wait_min|noc_semaphore_wait)"
    r"\s*\(\s*(\w{1,80})\s*,\s*([^;\n]{1,80}?)\s*\)\s*;"
)
# The object of the wait of each call.
_WAITS = {
    "cb_wait_front": PAGES,
    "cb_reserve_back": SPACE,
    "noc_semaphore_wait": SEMAPHORE,
    "noc_semaphore_wait_min": SEMAPHORE,
}
ENDS: dict[Literal["pushes", "pops"], str] = {"pushes": "cb_push_back", "pops": "cb_pop_front"}

_OF_BUFFERS = {"cb_wait_front", "cb_reserve_back", *ENDS.values()}


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitCall:
    """A call that waits: ``what`` is the number of a buffer or semaphore, ``amount`` pages or a value; -1 where unknown."""

    line: int
    kind: int
    what: int
    amount: int
    exact: bool


@dataclass(slots=True)
class KernelCalls:
    """The C++ of one kernel with its compile-time arguments."""

    source: str
    words: Sequence[object] = ()
    numbers: dict[str, int] = field(default_factory=dict)
    """The values of names: for a semaphore, or a pointer to it, its number."""

    def __post_init__(self) -> None:
        for name, text in _DEFINED.findall(self.source):
            value = self._value(text.strip())
            if value >= 0:
                self.numbers.setdefault(name, value)

    def _value(self, text: str) -> int:
        if text.isdecimal() and text.isascii():
            return int(text[:10])
        for pattern in (_SEMAPHORE_OF, _POINTER):
            match = pattern.fullmatch(text)
            if match is not None:
                return self._value(match[1])
        word = _WORD.fullmatch(text)
        if word is not None:
            at = int(word[1])
            value = self.words[at] if at < len(self.words) else -1
            return value if isinstance(value, int) else -1
        return self.numbers.get(text, -1)

    def waits(self) -> list[WaitCall]:
        """The calls that wait, in the order of the text."""
        result = []
        for number, line in enumerate(self.source.split("\n"), 1):
            for name, what, amount in _CALL.findall(line):
                if name in _WAITS:
                    result.append(
                        WaitCall(
                            line=number,
                            kind=_WAITS[name],
                            what=self._value(what),
                            amount=self._value(amount),
                            exact=name == "noc_semaphore_wait",
                        )
                    )
        return result

    def wait_at(self, line: int) -> WaitCall | None:
        """The call that waits on a line; None if the line has no such call, or several."""
        calls = [call for call in self.waits() if call.line == line]
        return calls[0] if len(calls) == 1 else None

    def buffer_names(self) -> dict[int, str]:
        """Return the names of the buffers that the text waits for, reserves, fills and empties, by their numbers."""
        calls = (call for call in _CALL.findall(self.source) if call[0] in _OF_BUFFERS)
        return {self.numbers[what]: what for _, what, _ in calls if what in self.numbers}

    def semaphore_names(self) -> dict[int, str]:
        """Return the names of the semaphores that the text waits for, by their numbers."""
        return {
            self.numbers[what]: what
            for name, what, _ in _CALL.findall(self.source)
            if _WAITS.get(name) == SEMAPHORE and what in self.numbers
        }

    def uses(self, end: Literal["pushes", "pops"], buffer: int) -> bool:
        """Whether the kernel pushes to, or pops from, a buffer."""
        calls = (call for call in _CALL.findall(self.source) if call[0] == ENDS[end])
        return any(self._value(what) == buffer for _, what, _ in calls)
