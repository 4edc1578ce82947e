"""The page of a campaign of mutations: which calls were taken out of kernels, and what became of the programs."""

from __future__ import annotations

from collections import Counter

from support.kernel_mutations import Fate

_FATES: tuple[Fate, ...] = ("reported", "differs", "another schedule", "harmless")
_TITLES = ("reported", "other results", "another schedule", "no difference")


class MutationPage:
    """Counts of a campaign. ``programs`` says what kernels belong to; with ``tells_last``, harmless last calls are counted apart."""

    def __init__(self, heading: str, programs: str, *, tells_last: bool) -> None:
        self._heading = heading
        self._programs = programs
        self._tells_last = tells_last
        self._counts: Counter[tuple[str, str]] = Counter()
        self._codes: Counter[str] = Counter()
        self.whole = 0
        """Programs that were taken as they are."""

    @property
    def total(self) -> int:
        """Calls that were taken out so far."""
        return sum(self._counts[call, fate] for call, fate in self._counts if fate in _FATES)

    def add(self, call: str, fate: Fate, code: str, *, is_the_last: bool = False) -> None:
        """What became of a program without a call; ``code`` is that of the report, if any."""
        self._counts[call, fate] += 1
        self._codes[code] += fate != "harmless"
        self._counts[call, "last"] += is_the_last and fate == "harmless"

    def text(self) -> str:
        """The page."""
        columns = (*_FATES, "last") if self._tells_last else _FATES
        titles = (*_TITLES, "of these the last") if self._tells_last else _TITLES
        calls = sorted({call for call, _ in self._counts})
        sums = {fate: sum(self._counts[call, fate] for call in calls) for fate in (*_FATES, "last")}
        matter = self.total - sums["harmless"]
        of_the_last = f", of which {sums['last']} are the last" if self._tells_last else ""
        rows = [
            _row(
                f"`{call}`",
                [self._counts[call, fate] for fate in _FATES],
                [self._counts[call, fate] for fate in columns],
            )
            for call in calls
        ]
        return "\n".join(
            [
                self._heading,
                f"{self.total} calls of {self.whole} {self._programs}: {sums['reported']} reported, {sums['differs']} with other results, "
                f"{sums['another schedule']} in another schedule, {sums['harmless']} without a difference{of_the_last}. Of the {matter} that make a "
                f"difference, {100 * sums['reported'] / max(matter, 1):.1f} % are reported by the emulated chip in the usual schedule.\n",
                f"| call | taken out | {' | '.join(titles)} |",
                f"| --- {'| ---: ' * (len(titles) + 1)}|",
                *rows,
                _row("all", [self.total], [sums[fate] for fate in columns]) + "\n",
                "The codes of the reports:\n",
                "| code | reports |",
                "| --- | ---: |",
                *(f"| {code} | {count} |" for code, count in sorted(self._codes.items()) if code and count),
                "",
            ]
        )


def _row(title: str, taken_out: list[int], counts: list[int]) -> str:
    return f"| {title} | {sum(taken_out)} | {' | '.join(map(str, counts))} |"
