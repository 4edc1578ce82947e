"""Rules of advice that others have written: functions named by entry points of the group ``ttl.advice``.

A rule gets the profile of a launch and returns pieces of advice. A rule that fails, or returns something else, is
reported once for a program, and its advice is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING

from ttl.diag import report
from ttl.emu.advice.piece import Advice

if TYPE_CHECKING:
    from ttl.emu.profile import Profile

GROUP = "ttl.advice"
InstalledRule = Callable[["Profile"], Iterable[Advice]]


def installed() -> tuple[EntryPoint, ...]:
    """The entry points, by their names."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def advice_of_installed(profile: Callable[[], Profile]) -> Iterator[Advice]:
    """Yield the advice of the installed rules. ``profile`` is called only where a rule is installed."""
    points = installed()
    if not points:
        return
    facts = profile()
    for point in points:
        try:
            rule: InstalledRule = point.load()
            pieces = list(rule(facts))
            wrong = next((piece for piece in pieces if not isinstance(piece, Advice)), None)
            if wrong is not None:
                raise TypeError(
                    f"it gave {type(wrong).__name__}, and advice is a ttl.emu.advice.piece.Advice"
                )
        except Exception as problem:  # the rule is a user's, and the run has succeeded
            report.write(
                f"no advice of the rule {point.name} ({point.value}): {type(problem).__name__}: {problem}"
            )
            continue
        yield from pieces
