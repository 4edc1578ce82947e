"""CPython as the judge of the reader: the kernels of a program run as they stand, for every node, and what they show is compared.

With what the simulator shows (``simulated``), with what the operation in the dialect shows when it is interpreted (``judged``), and
with what the chip shows (``chip``).
"""

from __future__ import annotations

import contextlib
import io
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tests.support.ir_events import ir_events
from tests.support.python_events import Event, Events, printed_text, python_events
from xdsl.dialects.builtin import ModuleOp

from fuzz.bounded import TooLong, limits
from support.random_programs.python.programs import GRID, Loaded, Program, load, unload
from ttl import settings
from ttl.check.module import check_module
from ttl.diag import Diagnostic, Severity, TTLError
from ttl.frontend.live import lower_call
from ttl.ir.verifier import require_valid
from ttl.lang.context import CURRENT

Verdict = Literal["right", "refused", "disagreement", "never ends", "internal error", "not a program"]
# Processor time for what is read and checked; what CPython itself may take is less.
SECONDS = 5.0
_INTERNAL = "TTL9001"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What became of a program. ``module`` is it in the dialect, where it is right so far."""

    program: Program
    verdict: Verdict
    codes: tuple[str, ...] = ()
    text: str = ""
    module: ModuleOp | None = None
    expected: Events | None = None

    @property
    def is_wrong(self) -> bool:
        """Neither right nor refused."""
        return self.verdict not in ("right", "refused", "not a program")

    @property
    def kind(self) -> str:
        """The verdict, with the first code."""
        return " ".join([self.verdict, *self.codes[:1]])

    def __str__(self) -> str:
        return f"{self.kind}\n{self.text}\n{self.program.own_source}"


def judged(program: Program, *, checked: bool = True, seconds: float = SECONDS) -> Judgement:
    """Read a program, and compare what it is in the dialect with what CPython does."""
    with _loaded(program) as loaded:
        if isinstance(loaded, Judgement):
            return loaded
        expected = expected_events(loaded, seconds)
        if isinstance(expected, Judgement):
            return expected
        try:
            with limits(seconds):
                return _read(loaded, expected, checked)
        except TooLong as raised:
            return Judgement(program=program, verdict="never ends", text=_place(raised))
        except TTLError as raised:
            return _refused(program, list(raised.diagnostics))
        except Exception as raised:
            text = "".join(traceback.format_exception(raised, limit=-6))
            return Judgement(
                program=program, verdict="internal error", codes=(type(raised).__name__,), text=text
            )


@contextlib.contextmanager
def _loaded(program: Program) -> Iterator[Loaded | Judgement]:
    try:
        loaded: Loaded | Judgement = load(program)
    except (SyntaxError, NameError) as raised:
        loaded = Judgement(program=program, verdict="not a program", text=repr(raised))
    try:
        yield loaded
    finally:
        unload(program)


def cpython(program: Program) -> Events:
    """What CPython does with a program that it runs to its end."""
    with _loaded(program) as loaded:
        assert isinstance(loaded, Loaded), loaded
        events = expected_events(loaded)
    assert not isinstance(events, Judgement), events.text
    return events


def expected_events(loaded: Loaded, seconds: float = SECONDS) -> Events | Judgement:
    """What CPython does on every node; a judgement where it raises an exception or does not end."""
    try:
        with limits(seconds):
            return python_events(loaded.operation, GRID, *loaded.tensors())
    except TooLong as raised:
        return Judgement(program=loaded.program, verdict="not a program", text=_place(raised))
    except Exception as raised:
        return Judgement(program=loaded.program, verdict="not a program", text=f"CPython: {raised!r}")


def _read(loaded: Loaded, expected: Events, checked: bool) -> Judgement:
    program = loaded.program
    lowered = lower_call(loaded.operation, loaded.tensors(), {})
    wrong = _errors(lowered.diagnostics)
    if not wrong and not all(call.complete for call in lowered.calls):
        return Judgement(program=program, verdict="internal error", text="incomplete without an error")
    if wrong:
        return _refused(program, wrong)
    require_valid(lowered.module)
    (operation,) = lowered.module.body.block.ops
    different = difference(expected, ir_events(operation))  # type: ignore[arg-type]
    if different is not None:
        return Judgement(program=program, verdict="disagreement", text=different)
    wrong = _errors(check_module(lowered.module)) if checked else []
    if wrong:
        return _refused(program, wrong)
    return Judgement(program=program, verdict="right", module=lowered.module, expected=expected)


def _errors(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return [each for each in diagnostics if each.severity is Severity.ERROR]


def _refused(program: Program, diagnostics: list[Diagnostic]) -> Judgement:
    codes = tuple(dict.fromkeys(each.code for each in diagnostics))
    text = "\n".join(_said(each) for each in diagnostics[:3])
    verdict: Verdict = "internal error" if _INTERNAL in codes else "refused"
    return Judgement(program=program, verdict=verdict, codes=codes, text=text)


def _said(diagnostic: Diagnostic) -> str:
    line = "" if diagnostic.primary is None else f" (line {diagnostic.primary.span.line})"
    return f"{diagnostic.code}: {diagnostic.message}{line}"


def _place(raised: BaseException) -> str:
    frames = [each for each in traceback.extract_tb(raised.__traceback__) if "/ttl/" in each.filename]
    return " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-6:]))


def difference(expected: Events, found: Events, who: str = "the compiled program") -> str | None:
    """Where the two differ first; None where they do the same."""
    for key, noted in expected.items():
        events, others = ([plain(event) for event in each] for each in (noted, found.get(key, [])))
        if others == events:
            continue
        number = next(
            (i for i, pair in enumerate(zip(events, others, strict=False)) if pair[0] != pair[1]),
            min(len(events), len(others)),
        )
        node, kernel = key
        return (
            f"kernel {kernel} on node {node}, event {number}: CPython {_shown(events, number)}, "
            f"{who} {_shown(others, number)}"
        )
    return None


def plain(event: Event) -> Event:
    """What an event shows: the number of a fill may be known when it is read, or not."""
    if event[:2] == ("apply", "fill"):
        (value, *_), numbers = event[2:]
        return ("fill", value if value is not None else numbers[0])
    return event


def _shown(events: list[Any], number: int) -> str:
    return repr(events[number]) if number < len(events) else "nothing more"


def printed_by_cpython(expected: Events) -> dict[tuple[int, str], list[str]]:
    """What is printed, by node and kernel, of all that is done."""
    return {
        key: [str(event[1]) for event in events if event[0] == "print"] for key, events in expected.items()
    }


def simulated(program: Program) -> tuple[dict[tuple[int, str], list[str]], Any]:
    """What the simulator prints, by node and kernel, and what is in the tensor afterwards."""
    import ttnn

    import ttl

    loaded = load(program)
    found: dict[tuple[int, str], list[str]] = {}

    def note(*values: Any, **how: Any) -> None:
        assert CURRENT.get() is not None
        kernel = _kernel()
        if kernel is not None:  # the operation's body prints where it is run, which is not on the chip
            found.setdefault((ttl.node(dims=1), kernel), []).append(printed_text(*values, **how))

    loaded.scope["print"] = note
    try:
        tensors = loaded.tensors()
        with settings.override(check="off", target="sim"), contextlib.redirect_stderr(io.StringIO()):
            loaded.operation(*tensors)
        return found, ttnn.to_numpy(tensors[1])[::32, 0].copy()
    finally:
        unload(program)


def _kernel() -> str | None:
    import inspect

    frame = inspect.currentframe()
    names = []
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return next((name for name in names if name in ("read", "compute", "write")), None)


def shares(judgements: list[Judgement]) -> str:
    """How many of the programs are right, and of the others how many by code."""
    real = [each for each in judgements if each.verdict != "not a program"]
    counts = Counter(each.kind for each in real)
    lines = [f"{len(real)} programs, {len(judgements) - len(real)} more of which CPython makes nothing"]
    lines += [f"{count:6} {100 * count / len(real):5.1f} %  {kind}" for kind, count in counts.most_common()]
    return "\n".join(lines)
