"""The tapes of one operation: which call may use which, how long they are kept, when they are checked.

The cache belongs to its ``Operation`` and goes with it. It keeps no tensor alive.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from threading import Lock
from types import FunctionType
from typing import Any

from ttl import control
from ttl.diag import ProgramError, TTLError, error
from ttl.diag.words import counted
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.lang.captured import Captured
from ttl.lang.operation import Operation
from ttl.lang.visible import visible
from ttl.session.patience import Unavailable
from ttl.settings import Settings
from ttl.sim.lanes import is_worthwhile
from ttl.sim.native.instruction_sets import use
from ttl.sim.native.nodes import number_class
from ttl.sim.numbers import NumberForm, NumberTrace, floats_of, form_of, traced
from ttl.sim.placement import Launch
from ttl.sim.replay.key import (
    Content,
    LastSharing,
    Sharing,
    arguments,
    digest,
    facts_of,
    news,
    properties,
    surroundings,
)
from ttl.sim.replay.refusals import Judge
from ttl.sim.replay.tape import Tape
from ttl.source.spans import user_span

# A function that keeps the outcome of a launch, and returns the reason when it cannot be replayed.
Keep = Callable[[Tape | str], str | None]
# The most that is kept for one operation: tapes, their bytes, and states of the objects that the operation captures.
_MOST_TAPES, _MOST_BYTES, _MOST_STATES = 16, 64 << 20, 64
# Without a request to replay: after so many calls in a row that were neither recorded nor replayed, only the 32nd,
# 64th, 128th ... call is examined.
_PATIENCE = 16


@dataclass(frozen=True, slots=True)
class SeenState:
    """The objects that an operation could see when they were last examined, and the values it has from libraries."""

    number: int
    function: FunctionType
    captured: Captured
    relied_on: tuple[tuple[Callable[[], Any], Any], ...]
    tensors: tuple[weakref.ref[Tensor], ...]
    takes_traced: bool

    def holds(self, function: FunctionType) -> bool:
        """Whether all of it still is the same."""
        if function is not self.function:
            return False
        for get, value in self.relied_on:
            if get() is not value:
                return False
        return self.captured.holds()


@dataclass(slots=True)
class Entry:
    """The tape for the calls with one key, or the reason why no tape was made."""

    tape: Tape | None
    reason: str
    used: int
    uses: tuple[tuple[int, bool], ...] = ()
    replays: int = 0
    running: Lock = field(default_factory=Lock)
    form: NumberForm | None = None

    def run(
        self, tensors: Sequence[Tensor], threads: int, numbers: Mapping[int, float] | None = None
    ) -> None:
        """Carry out the tape. Tensors whose memory has other users get memory of their own first."""
        assert self.tape is not None
        arrays = [
            writable_array(tensors[index]) if written else array_of(tensors[index])
            for index, written in self.uses
        ]
        with self.running:
            if numbers is not None:
                self.tape.set_numbers(numbers)
            self.tape.run(arrays, threads)


class Replayed:
    """The call is done: a tape was carried out."""

    __slots__ = ()
    story = "replayed"


REPLAYED = Replayed()


class Trace:
    """The kernels have to run. ``story`` says why, for ``--stats``.

    When ``tensors`` is not None, record the launch: a tape over these tensors, or the reason why there is no tape, goes
    to ``recorded`` after the launch has ended well. When ``with_numbers`` is not None, run that launch, whose floats
    are traced; if it does not end well, pass the reason to ``recorded``, and prepare the launch again.

    When ``carry_out`` is not None, nodes that are alike may be run once (``sim/lanes``). Call it with the tape of that
    run, or with None if there is no tape; it returns whether the tape was carried out.
    """

    __slots__ = ("_keep", "carry_out", "story", "tensors", "with_numbers")

    def __init__(
        self,
        story: str,
        tensors: Sequence[Tensor] = (),
        keep: Keep | None = None,
        with_numbers: Launch | None = None,
        carry_out: Callable[[Tape | None], bool] | None = None,
    ) -> None:
        self.story = story
        self.carry_out = carry_out
        self.with_numbers = with_numbers
        self.tensors: tuple[Tensor, ...] | None = None if keep is None else tuple(tensors)
        self._keep = keep

    def recorded(self, outcome: Tape | str) -> None:
        """Keep the outcome of a launch; if nothing could be kept, ``story`` has the reason afterwards.

        Raises ``ProgramError`` TTL1102 when a tape kept earlier would have done something else.
        """
        reason = None if self._keep is None else self._keep(outcome)
        if reason is not None:
            self.story = f"not replayed: {reason}"


class Cache:
    """The tapes of one operation."""

    def __init__(self) -> None:
        self._state: SeenState | None = None
        self._numbers: dict[Content, int] = {}
        self._entries: dict[Content, Entry] = {}
        self._facts: dict[str, str] | None = None
        self._sharing = LastSharing()
        self._next = count()
        self._clock = (
            0  # of uses; threads may set it back a little, which only blurs which entry was used last
        )
        self._lock = Lock()
        # Without a request to replay: the number of calls, the keys that came once and were not recorded, and
        # (``_in_vain``) the calls in a row that were neither recorded nor replayed.
        self._calls = 0
        self._once: set[Content] = set()
        # Forms of which one call was recorded with all its floats.
        self._forms: set[Content] = set()
        self._in_vain = 0
        # Numbers of states whose nodes are not alike.
        self._unlike: set[int] = set()

    def __len__(self) -> int:
        return len(self._entries)

    def prepare_unasked(self, launch: Launch) -> Replayed | Trace | None:
        """Decide as ``prepare`` does for a call without a request to replay.

        The first call, which may be the only one, is not examined; the second is recorded, and later ones if they repeat. If
        calls never repeat, or cannot be replayed, fewer and fewer of them are examined.
        """
        self._calls += 1
        if self._calls == 1 and is_worthwhile(launch):
            return self.prepare(launch)
        if self._calls == 1 or (self._in_vain >= _PATIENCE and self._calls & (self._calls - 1)):
            return None
        outcome = self.prepare(launch, unasked=True)
        recording = isinstance(outcome, Trace) and outcome.tensors is not None
        self._in_vain = 0 if recording or isinstance(outcome, Replayed) else self._in_vain + 1
        return outcome

    def prepare(self, launch: Launch, *, unasked: bool = False) -> Replayed | Trace:
        """Replay a launch, or say that its kernels have to run.

        ``unasked``: record only the first call that is examined, and calls that are like an earlier one.
        """
        settings, function = launch.settings, launch.operation.function
        if sys.gettrace() is not None or _has_debugger():
            return Trace("not replayed: a debugger or another tracer is active")
        if settings.schedules > 1 or settings.sanitize:
            return Trace("not replayed: --schedules and --sanitize need runs of the kernels")
        state = self._state
        try:
            if state is None or not state.holds(function):
                # A function that is refused is examined again at every call, since the objects that it uses may change;
                # its kernels run anyway.
                state = self._look(function)
            key, tensors = self._key(launch, state)
        except Unavailable as reason:
            return Trace(f"not replayed: {reason}")
        except TTLError:  # a tensor that was deallocated: an error, should the kernels use it
            return Trace("not replayed: a tensor was deallocated")
        entry = self._entries.get(key)
        if entry is None and self._forms and state.takes_traced:
            outcome = self._of_form(launch, state, key, tensors)
            if outcome is not None:
                return outcome
        if entry is None and unasked and self._entries and key not in self._once and not self._begins_anew():
            if len(self._once) >= _MOST_STATES:
                self._once.clear()
            self._once.add(key)
            return Trace("")
        if entry is None:
            self._once.discard(key)
            story = "traced: first call"
            if settings.stats:
                judge = Judge()
                judge.function(function)
                facts = facts_of(launch, judge.values)
                story += news(facts, self._facts)
                self._facts = facts
            keep = partial(self._keep, launch, state, key)
            return Trace(story, tensors, keep, carry_out=self._of_lanes(launch, state, key, tensors))
        self._clock += 1
        entry.used = self._clock
        if entry.tape is None:
            return Trace(f"not replayed: {entry.reason}")
        entry.replays += 1
        if settings.replay_check and entry.replays % settings.replay_check == 0:
            return Trace("traced: checks the replays", tensors, partial(self._keep, launch, state, key))
        use(settings)
        entry.run(tensors, settings.threads)
        return REPLAYED

    def _of_form(
        self, launch: Launch, state: SeenState, key: Content, tensors: list[Tensor]
    ) -> Replayed | Trace | None:
        """Prepare a call that differs from recorded ones in its floats only; return None where these matter."""
        if _form(key) not in self._forms:
            return None
        floats = floats_of((*launch.args, *launch.kwargs.values()))
        form = _form(key, floats)
        entry = self._entries.get(form)
        if entry is not None:
            numbers = None if entry.form is None else entry.form.numbers(floats)
            if numbers is None:
                return None
            self._clock += 1
            entry.used = self._clock
            entry.replays += 1
            check = launch.settings.replay_check
            if not check or entry.replays % check:
                use(launch.settings)
                entry.run(tensors, launch.settings.threads, numbers)
                return REPLAYED
        trace = NumberTrace()
        launched = replace(
            launch,
            args=traced(launch.args, trace),
            kwargs=dict(zip(launch.kwargs, traced(tuple(launch.kwargs.values()), trace), strict=True)),
        )
        keep = partial(self._keep_form, launch, state, key, trace)
        story = "traced: first call with other numbers" if entry is None else "traced: checks the replays"
        carry_out = None if entry is not None else self._of_lanes(launch, state, key, tensors)
        return Trace(story, tensors, keep, launched, carry_out)

    def _begins_anew(self) -> bool:
        """Whether this is the second call, and nothing could be kept of the first.

        Tensors that a program has just made may still share memory.
        """
        return self._calls == 2 and all(entry.tape is None for entry in self._entries.values())

    def _of_lanes(
        self, launch: Launch, state: SeenState, key: Content, tensors: list[Tensor]
    ) -> Callable[[Tape | None], bool] | None:
        """Return a function that carries out a tape of nodes that are run as one; None where nodes are run one by one."""
        settings = launch.settings
        run_one_by_one = (
            _is_about_kernels(settings)
            or settings.precision != "spec"
            or not state.takes_traced
            or state.number in self._unlike
            or not is_worthwhile(launch)
        )
        return None if run_one_by_one else partial(self._carry_out, launch, state, key, tensors)

    def _carry_out(
        self, launch: Launch, state: SeenState, key: Content, tensors: list[Tensor], tape: Tape | None
    ) -> bool:
        if tape is None or isinstance(_unless_shared(tape, key[3]), str):
            self._unlike.add(state.number)
            return False
        use(launch.settings)
        entry = Entry(tape, "", 0, tuple(zip(tape.tensors, tape.written, strict=True)))
        entry.run(tensors, launch.settings.threads)
        return True

    def _keep_form(
        self, launch: Launch, state: SeenState, key: Content, trace: NumberTrace, outcome: Tape | str
    ) -> str | None:
        """Keep the outcome of a launch with traced numbers, as ``_keep`` does."""
        floats = floats_of((*launch.args, *launch.kwargs.values()))
        form = _form(key, floats)
        if isinstance(outcome, str):
            with self._lock:
                self._clock += 1
                self._entries[form] = Entry(None, outcome, self._clock)
                self._evict()
            return outcome
        reason = self._keep(launch, state, key, outcome, form)
        entry = self._entries.get(form)
        if entry is not None and entry.tape is not None:
            entry.form = NumberForm(trace, floats, entry.tape.numbers())
        return reason

    def _keep(
        self, launch: Launch, state: SeenState, key: Content, outcome: Tape | str, form: Content | None = None
    ) -> str | None:
        """Keep the outcome of a launch, for calls with its key or of its form. Return why it cannot be replayed."""
        place = key if form is None else form
        changed = self._changed(launch, state, key)
        if changed is not None:
            with self._lock:
                self._entries.pop(place, None)
            return changed
        sharing: Sharing = key[3]
        if not isinstance(outcome, str):
            outcome = _unless_shared(outcome, sharing)
        with self._lock:
            before = self._entries.pop(place, None)
            if before is not None and before.tape is not None:
                difference = _difference(before.tape, outcome)
                if difference is not None:
                    _fail(launch, difference, before.replays)
            self._clock += 1
            if isinstance(outcome, str):
                self._entries[place] = Entry(None, outcome, self._clock)
            else:
                uses = tuple(zip(outcome.tensors, outcome.written, strict=True))
                replays = 0 if before is None else before.replays
                self._entries[place] = Entry(outcome, "", self._clock, uses, replays)
                if form is None and state.takes_traced and floats_of((*launch.args, *launch.kwargs.values())):
                    if len(self._forms) >= _MOST_STATES:
                        self._forms.clear()
                    self._forms.add(_form(key))
            self._evict()
        return outcome if isinstance(outcome, str) else None

    def _key(self, launch: Launch, state: SeenState) -> tuple[Content, list[Tensor]]:
        captured = [reference() for reference in state.tensors]
        content, tensors = arguments(launch, [tensor for tensor in captured if tensor is not None])
        key = (state.number, content, properties(tensors), self._sharing.of(tensors), surroundings(launch))
        return key, tensors

    def _look(self, function: FunctionType) -> SeenState:
        """Examine all objects that the code can see. Raises ``Unavailable``."""
        judge = Judge()
        judge.function(function)
        sights = visible((function,))
        content = (digest(sights), tuple(map(_kept, judge.relied_on)))
        with self._lock:
            if len(self._numbers) >= _MOST_STATES:
                self._numbers.clear()
                self._entries.clear()
                self._forms.clear()
            # Never a number that was used before: entries of a forgotten state must not come to life again.
            number = self._numbers.setdefault(content, next(self._next))
        tensors = tuple(map(weakref.ref, judge.tensors))
        self._state = SeenState(
            number, function, Captured(sights), tuple(judge.relied_on), tensors, judge.takes_traced
        )
        return self._state

    def _changed(self, launch: Launch, state: SeenState, key: Content) -> str | None:
        """Return the parts of its own key that a launch changed, in words, or None. No tape repeats such an effect."""
        name = launch.operation.function.__name__
        function = launch.operation.function
        try:
            if not state.holds(function):
                changes = list(dict.fromkeys(state.captured.changes()))
                now = self._look(function)
                if now.number != state.number:
                    return f"operation {name} changes {', '.join(changes) or 'something'} that it captures"
                state = now
            after, _ = self._key(launch, state)
        except (Unavailable, TTLError):
            after = ()
        return None if after[:2] == key[:2] else f"operation {name} changes its arguments"

    def _evict(self) -> None:
        while self._entries and (
            len(self._entries) > _MOST_TAPES
            or sum(entry.tape.nbytes for entry in self._entries.values() if entry.tape is not None)
            > _MOST_BYTES
        ):
            del self._entries[min(self._entries, key=lambda key: self._entries[key].used)]


def prepare(launch: Launch) -> Replayed | Trace | None:
    """Decide how a launch runs: return ``Replayed`` if it is done, a ``Trace`` to record its kernels, or None to run them only.

    None is returned, too, when replay is off.
    """
    operation: Operation = launch.operation
    settings = launch.settings
    asked = settings.replay == "on" if operation.replay is None else operation.replay
    if not asked and (operation.replay is False or settings.replay == "off" or _is_about_kernels(settings)):
        return None
    cache: Any = operation.kept
    if cache is None:
        cache = operation.kept = Cache()
    outcome: Replayed | Trace | None = cache.prepare(launch) if asked else cache.prepare_unasked(launch)
    return outcome


def _is_about_kernels(settings: Settings) -> bool:
    """Return whether the settings require running kernels, where replay is not set to ``on``."""
    return not control.NATIVE or bool(
        settings.stats
        or settings.profile
        or settings.trace
        or settings.perf_csv
        or settings.compare
        or settings.sanitize
        or settings.schedules > 1
        or settings.schedule_seed is not None
        or settings.executor == "numpy"
        or sys.getprofile() is not None
    )


def _has_debugger() -> bool:
    """Whether a debugger watches through ``sys.monitoring``, of Python 3.12."""
    monitoring: Any = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _form(key: Content, floats: Iterable[float] = ()) -> Content:
    """The key of a call without the values of its floats; with the classes of ``floats``."""
    return (tuple(number_class(value, closely=False) for value in floats), key[0], form_of(key[1]), *key[2:])


def _kept(relied_on: tuple[Callable[[], Any], Any]) -> Any:
    """Return the part of a library's value that is kept in a state."""
    _, value = relied_on
    return value if callable(value) else repr(value)


def _unless_shared(tape: Tape, sharing: Sharing) -> Tape | str:
    """Return the tape, or a reason if it writes memory of two tensors: a tape does not hold the order of accesses."""
    written = {index for index, writes in zip(tape.tensors, tape.written, strict=True) if writes}
    if any(first in written or second in written for first, second, _ in sharing):
        return "two tensors share memory, and one of them is written"
    return tape


def _difference(before: Tape, now: Tape | str) -> str | None:
    if isinstance(now, str):
        return f"the kernels now have effects that cannot be replayed: {now}"
    uses = [dict(zip(tape.tensors, tape.written, strict=True)) for tape in (before, now)]
    if uses[0] != uses[1]:
        return "the kernels now read or write other tensors"
    return now.difference(before)


def _fail(launch: Launch, difference: str, replays: int) -> None:
    name, calls = launch.operation.function.__name__, counted(replays - 1, "call")
    raise ProgramError(
        error(
            "TTL1102",
            f"the kernels of operation {name} no longer do what was replayed for {calls}",
            notes=(
                difference,
                "this call has the results of the kernels; those of the replayed calls may be wrong",
                "replay compares code, captured values and arguments; the difference has another cause",
            ),
            help="give the operation replay=False, or find what changes between calls: a patched module, a C extension",
        ).at(user_span())
    )
