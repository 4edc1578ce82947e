"""``ttl.profile``: the cost of a call as an object, for programs and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ttl import settings
from ttl.diag.words import listed
from ttl.emu import profile_json, profile_text, runtime
from ttl.emu.critical import Resource
from ttl.emu.headline import headline_of
from ttl.emu.profile import LineCost, Profile, lines_together, path_together
from ttl.emu.profile import profile as profile_of
from ttl.emu.program import KernelLine
from ttl.emu.recorder import RECORDER, RecordedLaunch, collecting
from ttl.lang.check import describe, fail, public
from ttl.lang.launches import NUMBERS, LaunchNumbers
from ttl.lang.operation import Operation
from ttl.report import notebook
from ttl.report.collector import REPORTS, ReportCollector
from ttl.report.notebook import ReportPage
from ttl.rules.launches import nothing_to_profile


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class CallProfile:
    """The cost of a call on the emulated chip, launch by launch. ``print`` shows the report of ``ttl run --profile``."""

    name: str
    """The name of the called object."""
    launches: tuple[Profile, ...]
    """Every launch that the call made, in order; at least one."""
    result: Any = field(default=None, compare=False)
    """The value that the call returned."""
    _collector: ReportCollector | None = field(default=None, compare=False)

    @property
    def cycles(self) -> int:
        """The cycles of all launches."""
        return sum(launch.cycles for launch in self.launches)

    @property
    def nanoseconds(self) -> float:
        """The nanoseconds of all launches, one after the other, at the clock of the chip."""
        return sum(launch.nanoseconds for launch in self.launches)

    @property
    def path(self) -> Mapping[Resource, int]:
        """Cycles of the critical paths by resource, the most first."""
        return path_together(self.launches)

    @property
    def lines(self) -> Mapping[KernelLine, LineCost]:
        """The cost of every line in all launches, in the order of the lines."""
        return lines_together(self.launches)

    @property
    def headline(self) -> str:
        """The first thing to do, in a sentence: the strongest advice, or, without advice, the hottest line."""
        return headline_of(self.launches)

    @property
    def verdict(self) -> str:
        """The measured result, in a sentence."""
        first, *others = self.launches
        if not others:
            return first.verdict
        most = max(self.launches, key=lambda launch: launch.cycles)
        number = "" if most.launch is None else f", launch {most.launch.number},"
        return (
            f"{self.name}: {self.cycles:,} cycles in {len(self.launches)} launches of "
            f"{listed(launch.name for launch in self.launches)} ({self.nanoseconds / 1e3:,.1f} µs), "
            f"{100 * most.cycles / max(self.cycles, 1):.0f} % of them in {most.name}{number} bound by {most.bound_by}"
        )

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes; ``launches`` are the objects of ``--profile --format json``."""
        return {
            "schema": profile_json.SCHEMA,
            "kind": "profiles",
            "name": self.name,
            "cycles": self.cycles,
            "nanoseconds": round(self.nanoseconds, 3),
            "headline": self.headline,
            "verdict": self.verdict,
            "launches": [profile_json.to_object(launch) for launch in self.launches],
        }

    def to_json(self) -> str:
        """Return the profile as JSON, which ``ttl profile --diff`` reads."""
        import json

        return json.dumps(self.to_object(), ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write the JSON to a file. Raises ``OSError``."""
        Path(path).write_text(self.to_json() + "\n", encoding="utf-8")

    def report(self, path: str | Path | None = None) -> ReportPage:
        """Return the launches as a page: a map of the chip, a timeline, buffers, pipes, the source with its cycles.

        The page is written to ``path``, which ends in ``.html``, or in ``.json`` for the data alone. A notebook shows
        the returned page. Raises ``OSError`` where it cannot be written, ``ProgramError`` TTL0140 where the page was
        not built.
        """
        page = ReportPage({} if self._collector is None else self._collector.to_object())
        if path is not None:
            page.save(path)
        return page

    def __str__(self) -> str:
        return profile_text.render_all(self.launches)

    def _repr_html_(self) -> str:
        return notebook.profile_html(self.verdict, self.launches)

    def __repr__(self) -> str:
        return f"<ttl.profile of {self.verdict}>"


class ProfileListener:
    """Makes a profile of every launch that did not fail."""

    wants_advice = True

    def __init__(self) -> None:
        self.profiles: list[Profile] = []

    def add(self, launch: RecordedLaunch) -> None:
        """Add the profile of a launch, unless the launch has failed."""
        if launch.stopped is None:
            self.profiles.append(profile_of(launch.run, launch.chip, launch.description, launch=launch.name))


@public
def profile(call: Callable[..., Any], /, *args: Any, target: str = "emu", **kwargs: Any) -> CallProfile:
    """Call an operation, or a function that calls operations, on the emulated chip, and return the cost of the call.

    ``call(*args, **kwargs)`` runs once, with the settings in effect except for the target. It writes to its tensors as
    in any run, and its exceptions are raised. Each launch of the call has a profile of its own.
    Errors: TTL1518 where nothing is launched on the emulated chip, TTL1505 where there is no emulated chip.
    """
    name = _name(call)
    if not callable(call):
        fail(
            nothing_to_profile(
                name, "it is not an operation and no function", "write ttl.profile(operation, ...)"
            )
        )
    if target != "emu":
        why = f"target {target!r} counts no cycles of lines"
        fail(nothing_to_profile(name, why, "leave target out: the emulated chip counts them"))
    runtime.require()
    listener = ProfileListener()
    with ExitStack() as stack:
        collector = ReportCollector(
            title=name, command=f"ttl.profile({name})", outer=REPORTS.get(), lazy=True
        )
        stack.enter_context(REPORTS.given(collector))
        # The file of the report is named later, by the method report, if at all.
        stack.enter_context(settings.override(origin="ttl.profile", target="emu", profile=False, report="-"))
        if not RECORDER.get():
            stack.enter_context(NUMBERS.given(LaunchNumbers()))
        stack.enter_context(collecting(listener))
        result = call(*args, **kwargs)
    if not listener.profiles:
        fail(
            nothing_to_profile(
                name, "it launched no operation", "give an operation, or a function that calls some"
            )
        )
    return CallProfile(name=name, launches=tuple(listener.profiles), result=result, _collector=collector)


def _name(call: object) -> str:
    if isinstance(call, Operation):
        return call.function.__name__
    name = getattr(call, "__name__", None)
    return name if isinstance(name, str) else describe(call)
