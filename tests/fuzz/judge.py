"""What became of a program, and whether that is right.

Right is: it ran; it was refused with a diagnostic that has a page and points into the program; it raised an
exception of its own. Everything else is a finding: an internal error, an exception raised in our code, a
diagnostic without a place, private names in a text, a hang, two runs that differ, something global left changed.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import io
import json
import linecache
import re
import sys
import traceback
import warnings
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any

import numpy as np
from ttl import settings
from ttl.diag import InternalError, ProgramError, TTLError, catalog, report
from ttl.diag import json as diag_json
from ttl.diag import text as diag_text
from ttl.diag.edits import changes
from ttl.host import api as ttnn
from ttl.lang import mistakes
from ttl.lang.context import CURRENT
from ttl.lang.launches import NUMBERS, LaunchNumbers
from ttl.source.spans import is_library_file, is_our_file, is_ours

from fuzz.bounded import ROUNDS, SECONDS, TICK, Counter, TooLong, TooManyRounds, compiled, limits
from fuzz.case import Case

_PRIVATE = re.compile(
    r"\bSim[A-Z]\w+|\bttl\.(sim|host|lang|ops|diag|protocol)\.|<ttl\.|\b_[a-z]\w*\(\)|object at 0x|\bNotImplementedError\b"
)
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """``outcome``: ``ok``, a code, ``exception``, ``endless``, ``not python`` ...; ``finding`` when it is not right.

    ``finding`` names the kind of the defect and its place in our code: two programs with the same finding
    show the same defect. ``text`` is all that the user sees.
    """

    outcome: str
    finding: str | None = None
    text: str = ""


def judge(case: Case, *, rounds: int = ROUNDS, pages: bool = True) -> Verdict:
    """Run a case twice and judge it. ``pages=False`` does not ask for pages of codes."""
    first = run(case, rounds=rounds, pages=pages)
    if first.finding is not None or first.outcome in ("not python", "endless"):
        return first
    second = run(case, rounds=rounds, pages=pages)
    if second.finding is not None:
        return second
    if (first.outcome, first.text) != (second.outcome, second.text):
        return Verdict(
            first.outcome,
            f"differs: {first.outcome}/{second.outcome}",
            f"{first.text}\n--- second run\n{second.text}",
        )
    return first


@cache
def open_chip() -> None:
    """Map the memory of the emulated chip, which is larger than the limit of a program; it stays open."""
    mesh = ttnn.open_mesh_device(ttnn.MeshShape(1, 2))
    ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT, device=mesh).buffer_address()
    ttnn.close_mesh_device(mesh)


def run(case: Case, *, rounds: int = ROUNDS, pages: bool = True, seconds: float = SECONDS) -> Verdict:
    """Run a case once, as ``ttl run`` would."""
    file = f"/fuzz/{case.name}.py"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compiled(case.source, file)
    except (SyntaxError, ValueError, RecursionError):
        return Verdict("not python")
    lines = case.source.splitlines(keepends=True)
    linecache.cache[file] = (len(case.source), None, lines, file)
    report.SAID.get().keys.clear()
    open_chip()
    state = _global_state()
    stdout, stderr = io.StringIO(), io.StringIO()
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": file, TICK: Counter(rounds)}
    with (
        limits(seconds),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        warnings.catch_warnings(record=True) as warned,
        NUMBERS.given(LaunchNumbers()),
    ):
        warnings.simplefilter("always")
        unraisable: list[str] = []
        hook, sys.unraisablehook = sys.unraisablehook, lambda each: unraisable.append(_unraisable(each))
        try:
            verdict = copy_context().run(_execute, code, namespace, case, file, pages)
            namespace.clear()
        finally:
            sys.unraisablehook = hook
    if verdict.finding is not None:
        return verdict
    seen = f"{stdout.getvalue()}\n{stderr.getvalue()}"
    finding = (
        _said_wrongly(stderr.getvalue(), file, lines, pages)
        or _warned(warned)
        or _changed(state)
        or next((each for each in unraisable if each), None)
    )
    builtins.print = state["print"]
    return Verdict(verdict.outcome, finding, f"{verdict.text}\n{_ADDRESS.sub('0x', seen)}")


def _execute(code: Any, namespace: dict[str, Any], case: Case, file: str, pages: bool) -> Verdict:
    try:
        with settings.override(**{"format": "json", **case.settings}):
            exec(code, namespace)
            verdict = Verdict("ok")
    except TooManyRounds:
        verdict = Verdict("endless")
    except BaseException as raised:
        verdict = _of_exception(raised, file, case.source.splitlines(), pages)
    if CURRENT.get() is not None:
        return Verdict(verdict.outcome, "left changed: an operation is still running")
    return verdict


def _of_exception(raised: BaseException, file: str, lines: list[str], pages: bool) -> Verdict:
    if not isinstance(raised, TTLError):
        explained = mistakes.explained(raised)
        if explained is not None:
            raised = ProgramError(explained).with_traceback(raised.__traceback__)
    if isinstance(raised, InternalError):
        return Verdict("internal", f"internal error: {raised.diagnostic.message}", str(raised))
    if isinstance(raised, TTLError):
        findings = [
            _wrong_diagnostic(diag_json.to_object(each), file, lines, pages) for each in raised.diagnostics
        ]
        try:
            shown = "\n".join(diag_text.render(each) for each in raised.diagnostics)
            for each in raised.diagnostics:
                if each.fix is not None:
                    changes(lines, each.fix.edits)
        except Exception as problem:
            return Verdict(raised.code, f"cannot be shown: {_place(problem)}", repr(problem))
        return Verdict(raised.code, next(filter(None, findings), None), shown)
    name = type(raised).__name__
    if isinstance(raised, TooLong):
        if _is_users(raised):
            return Verdict("endless")
        return Verdict("hang", f"hang: {_place(raised)}", _formatted(raised))
    if isinstance(raised, SystemExit | KeyboardInterrupt) or _is_users(raised):
        private = re.search(r"\bSim[A-Z]\w+", str(raised))
        finding = None if private is None else f"{name} of Python says {private[0]!r}"
        return Verdict(f"exception {name}", finding, f"{name}: {_ADDRESS.sub('0x', str(raised))}")
    return Verdict(f"exception {name}", f"raised by us: {name} {_place(raised)}", _formatted(raised))


def _is_users(raised: BaseException) -> bool:
    """Whether the program raised it, or something that is not ours which the program called."""
    frames = _frames(raised)
    if isinstance(raised, RecursionError):
        return sum(frame.tb_frame.f_code.co_filename.startswith("/fuzz/") for frame in frames) > 50
    if isinstance(raised, AttributeError) and str(raised.name or raised).startswith("__"):
        return True  # protocols of Python ask for these, and expect an AttributeError
    for frame in reversed(frames):
        if is_ours(frame.tb_frame.f_code):
            return False
        if frame.tb_frame.f_code.co_filename.startswith("/fuzz/"):
            return True
    return False


def _frames(raised: BaseException) -> list[TracebackType]:
    found, entry = [], raised.__traceback__
    while entry is not None:
        found.append(entry)
        entry = entry.tb_next
    return found


def _place(raised: BaseException) -> str:
    """Innermost function of ours that an exception went through."""
    ours = [frame.tb_frame.f_code for frame in _frames(raised) if is_ours(frame.tb_frame.f_code)]
    if not ours:
        return "outside of our code"
    return f"in {ours[-1].co_filename.rpartition('/ttl/')[2]} {ours[-1].co_qualname}"


def _formatted(raised: BaseException) -> str:
    return "".join(traceback.format_exception(raised, limit=-12))


def _wrong_diagnostic(found: dict[str, Any], file: str, lines: list[str], pages: bool) -> str | None:
    """What is wrong with a diagnostic, in its JSON form."""
    code, message = found["code"], found["message"]
    if pages and code not in catalog.codes():
        return f"{code} has no page"
    if found["primary"] is None:
        return f"{code} has no place"
    for label in (found["primary"], *found["secondary"]):
        if is_our_file(label["file"]) or is_library_file(label["file"]):
            return f"{code} points at a file that is not the user's"
        if label["file"] != file:  # a module of the program's, or text given to exec or eval
            continue
        if (
            not 1 <= label["line"] <= len(lines)
            or not 1 <= label["column"] <= len(lines[label["line"] - 1]) + 1
        ):
            return f"{code} points outside of the text"
    labels = [label["label"] for label in (found["primary"], *found["secondary"])]
    for text in (message, *found["notes"], *found["help"], *labels):
        private = _PRIVATE.search(text)
        if private is not None:
            return f"{code} says {private[0]!r}"
    if not message or "\n" in message or message.endswith("."):
        return f"{code}: message is not one line without a full stop"
    return None


def _said_wrongly(stderr: str, file: str, lines: list[str], pages: bool) -> str | None:
    for line in stderr.splitlines():
        if line.startswith('{"schema"'):
            told = json.loads(line)
            # Statistics and exceptions of the program are objects, too.
            found = _wrong_diagnostic(told, file, lines, pages) if told["kind"] == "diagnostic" else None
            if found is not None:
                return found
    return None


def _unraisable(given: Any) -> str:
    """An exception in a ``__del__`` of ours, which Python can only print; nothing for one of others."""
    raised = given.exc_value
    if raised is None or _is_users(raised):
        return ""
    return f"in __del__: {type(raised).__name__} {_place(raised)}"


def _warned(warned: list[warnings.WarningMessage]) -> str | None:
    for each in warned:
        if "/src/ttl/" in each.filename and "was never awaited" not in str(each.message):
            return f"warning of Python: {each.category.__name__} in {each.filename.rpartition('/ttl/')[2]}"
    return None


def _global_state() -> dict[str, Any]:
    return {
        "print": builtins.print,
        "gc threshold": gc.get_threshold(),
        "numpy errors": np.geterr(),
        "recursion limit": sys.getrecursionlimit(),
        "path": list(sys.path),
    }


def _changed(before: dict[str, Any]) -> str | None:
    for name, value in _global_state().items():
        if value != before[name]:
            return f"left changed: {name}"
    return None
