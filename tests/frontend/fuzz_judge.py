"""Whether the front end and the checks stand a program, however broken it is.

Right is: findings that have a page and point into the program, IR that verifies, an end within the time allowed. A finding
of the fuzzer is everything else: an exception of ours, an analysis that fails, IR that does not verify, a place
outside of the program, a private name in a text, a hang. With ``compare`` the calls are carried out as well: an error
of the checks where the simulator runs the program to its end is a finding, too.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from random import Random
from typing import Any
from unittest import mock

import ttl
from fuzz.bounded import ROUNDS, TICK, Counter, TooLong, TooManyRounds, compiled, limits
from fuzz.case import Case
from fuzz.judge import _place, _wrong_diagnostic
from fuzz.minimise import _smaller
from fuzz.mutate import mutated
from ttl import settings
from ttl.check.module import check_module
from ttl.diag import Diagnostic, Severity, TTLError, report
from ttl.diag import json as diag_json
from ttl.frontend.file import lower_file
from ttl.frontend.live import lower_call
from ttl.frontend.lowered import Lowered
from ttl.ir.verifier import require_valid
from ttl.lang.context import CURRENT
from ttl.lang.operation import Operation

SECONDS = 2.0
# Processor time a program may use for what is not looked at here: its host code, its runs.
_PROGRAM_SECONDS = 20.0
# What says that Python cannot be compiled: nothing is wrong with the program then.
NOT_COMPILED = "TTL13"
INTERNAL = "TTL9001"
_LAUNCH = Operation._launch.__code__


@dataclass(slots=True)
class Seen:
    """What one program led to."""

    finding: str | None = None
    text: str = ""
    codes: list[str] = field(default_factory=list)
    calls: int = 0
    slowest: float = 0.0
    outcome: str = ""


def case(seed: int, index: int, programs: list[Case]) -> Case:
    """Program number ``index`` of campaign ``seed``: one of ``programs`` with something changed."""
    random = Random(f"check {seed}/{index}")
    while True:
        program = random.choice(programs)
        source = mutated(program.source, random)
        if source is not None:
            return Case(f"{program.name}_{seed}_{index}", source)


def judged(program: Case, *, compare: bool = False, seconds: float = SECONDS) -> Seen:
    """Look at the text of a program, and at each of its calls of operations."""
    path = f"/fuzz/{program.name}.py"
    seen = Seen()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compiled(program.source, path)
    except (SyntaxError, ValueError, RecursionError):
        seen.outcome = "not python"
        return seen
    lines = program.source.splitlines(keepends=True)
    linecache.cache[path] = (len(program.source), None, lines, path)
    report.SAID.get().keys.clear()
    look = _Look(seen, path, lines, seconds)
    try:
        with _quiet(), _unharmed():
            look.at("file", lambda: lower_file(path))
            copy_context().run(_execute, code, path, look, compare)
    finally:
        del linecache.cache[path]
    return seen


class _Look:
    """Looks at what the front end makes of a program."""

    def __init__(self, seen: Seen, path: str, lines: list[str], seconds: float) -> None:
        self.seen, self.path, self.seconds = seen, path, seconds
        self.lines = [line.rstrip("\n") for line in lines]

    def at(self, what: str, lower: Callable[[], Lowered]) -> list[Diagnostic]:
        """Lower and check, and judge what comes of it."""
        started = time.process_time()
        try:
            with limits(self.seconds):
                found = self._checked(lower)
        except TooLong as raised:
            self._wrong(f"{what}: hang {_place(raised)}", raised)
            return []
        except TTLError as raised:
            found = list(raised.diagnostics)
        except TooManyRounds:
            raise
        except BaseException as raised:
            self._wrong(f"{what}: {type(raised).__name__} {_place(raised)}", raised)
            return []
        finally:
            self.seen.slowest = max(self.seen.slowest, time.process_time() - started)
        for each in found:
            self.seen.codes.append(each.code)
            if each.code == INTERNAL:
                place = next((note for note in each.notes if note.startswith("in the analysis")), "")
                self._say(f"{what}: {each.message} {place}", str(each))
            wrong = _wrong_diagnostic(diag_json.to_object(each), self.path, self.lines, True)
            if wrong is not None:
                self._say(f"{what}: {wrong}", str(each))
        return found

    @staticmethod
    def _checked(lower: Callable[[], Lowered]) -> list[Diagnostic]:
        lowered = lower()
        require_valid(lowered.module)
        return [*lowered.diagnostics, *check_module(lowered.module)]

    def _wrong(self, finding: str, raised: BaseException) -> None:
        self._say(finding, "".join(traceback.format_exception(raised, limit=-14)))

    def _say(self, finding: str, text: str) -> None:
        if self.seen.finding is None:
            self.seen.finding, self.seen.text = finding, text


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _unharmed() -> Iterator[None]:
    """Whatever a program assigns in the package's modules and public classes is undone: the next one needs them."""
    import ttnn  # found once ``ttl`` is imported

    modules = [ttl, ttl.math, ttl.block, ttnn]
    public = [value for module in modules for value in vars(module).values() if isinstance(value, type)]
    owners = [*modules, *(each for each in public if each.__module__.startswith("ttl."))]
    before = [(owner, dict(vars(owner))) for owner in owners]
    try:
        yield
    finally:
        for owner, values in before:
            now = vars(owner)
            for name in [*now]:
                if name not in values:
                    delattr(owner, name)
            for name, value in values.items():
                if now.get(name, before) is not value:
                    setattr(owner, name, value)


def _execute(code: Any, path: str, look: _Look, compare: bool) -> None:
    launch, errors = Operation._launch, []
    seen = look.seen

    def before(
        operation: Operation,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        chosen: settings.Settings | None = None,
    ) -> None:
        if CURRENT.get() is not None:
            return
        seen.calls += 1
        found = look.at("call", lambda: lower_call(operation, args, kwargs))
        errors.extend(each for each in found if each.severity is Severity.ERROR)

    def check_only(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        before(operation, args, kwargs)

    with (
        mock.patch("ttl.check.launch.before", before),
        mock.patch.object(Operation, "_launch", launch if compare else check_only),
        settings.override(check="on"),
    ):
        seen.outcome, inside = _run(code, path)
    certain = [each for each in errors if not each.code.startswith(NOT_COMPILED)]
    if compare and seen.outcome == "ok" and certain and seen.finding is None:
        look._say(f"false error {certain[0].code}", "\n".join(str(each) for each in certain))
    if compare and inside and seen.outcome.startswith("TTL") and not errors and seen.finding is None:
        look._say(f"silent {seen.outcome}", "")


def _run(code: Any, path: str) -> tuple[str, bool]:
    """How a program ends, and whether that is in the call of an operation."""
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": path, TICK: Counter(ROUNDS)}
    try:
        with limits(_PROGRAM_SECONDS):
            exec(code, namespace)
    except TTLError as raised:
        frames = traceback.walk_tb(raised.__traceback__)
        return raised.code, any(frame.f_code is _LAUNCH for frame, _ in frames)
    except (TooManyRounds, TooLong):
        return "endless", False
    except BaseException as raised:
        return f"exception {type(raised).__name__}", False
    return "ok", False


def smallest(source: str, shows: Callable[[str], bool], attempts: int = 1500) -> str:
    """A smaller program that shows the same: parts taken away one by one while it does."""
    left = attempts
    changed = True
    while changed and left > 0:
        changed = False
        for smaller in _smaller(source):
            left -= 1
            if len(smaller) < len(source) and shows(smaller):
                source, changed = smaller, True
                break
            if left <= 0:
                break
    return source
