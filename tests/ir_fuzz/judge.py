"""Runs a tool on a text that may be broken, and judges what its user gets to see."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.bounded import TooLong, limits
from ttl.ir.tool import Tool

# Seconds of processor time that a text of a few kilobytes may take.
SECONDS = 10.0
FILE = "broken.mlir"
REPORT = re.compile(
    r"^(?:(?P<file><stdin>|[^\n: ]+):(?P<line>\d+):(?P<column>\d+)|<unknown>:0|ttmlir-opt): "
    r"(?P<kind>error|warning|note|remark): (?P<text>.*)$",
    re.MULTILINE,
)
# What Python says of its own mistakes, and what the tool says of its own.
INTERNAL = re.compile(
    r"Traceback|cannot cope with|internal error|[A-Z][a-z]+Error\b|KeyError|has no attribute|NoneType|not subscriptable|"
    r"object is not|unexpected keyword|positional argument|list index|out of range \[|'str' object|'int' object|<class |"
    r"object at 0x|xdsl|not supported between|unhashable|Exception|unpack|maximum recursion|must be str|\bAssert"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``finding`` is what is wrong with how the tool behaved, in words that are the same for the same mistake; or None."""

    finding: str | None
    status: int | None
    said: str = ""


def judge(tool: Tool, text: str, flags: Sequence[str]) -> Verdict:
    """Run the tool on a text. A right outcome is status 0, or 1 with errors that are placed within the text."""
    output, errors = io.StringIO(), io.StringIO()
    began = time.process_time()
    try:
        with limits(SECONDS):
            status = tool.run([*flags, "-"], io.StringIO(text), output, errors)
    except TooLong:
        return Verdict("takes too long", None)
    except MemoryError:
        return Verdict("takes too much memory", None)
    except Exception as problem:
        return Verdict(f"raises {type(problem).__name__} in {_where(problem)}", None, str(problem))
    said = errors.getvalue()
    finding = _status(status, said) or _reports(said, text)
    if finding is None and time.process_time() - began > SECONDS / 2:
        finding = "takes long"
    if finding is None and status == 0:
        finding = _read_again(tool, output.getvalue(), flags)
    return Verdict(finding, status, said)


def _where(problem: BaseException) -> str:
    """The innermost function of ours, and the innermost of all."""
    frame = problem.__traceback__
    ours = last = ""
    while frame is not None:
        code = frame.tb_frame.f_code
        last = f"{code.co_filename.rsplit('/', 1)[-1]}:{code.co_name}"
        if "/ttl/" in code.co_filename or "/ttmlir/" in code.co_filename:
            ours = last
        frame = frame.tb_next
    return ours if ours == last else f"{ours} ({last})"


def _status(status: int, said: str) -> str | None:
    if status not in (0, 1):
        return f"ends with status {status}"
    if status == 1 and "error:" not in said:
        return "fails without an error"
    if status == 0 and "error:" in said:
        return "says an error and does not fail"
    return None


def _reports(said: str, text: str) -> str | None:
    lines = text.count("\n") + 2
    for match in REPORT.finditer(said):
        if match["kind"] != "error":
            continue
        if match["line"] is None and text.strip() and "loc(" not in text:
            return f"has an error without a place: {_general(match['text'])}"
        if match["line"] is not None and match["file"] == "<stdin>" and not 1 <= int(match["line"]) <= lines:
            return f"has an error beyond the text: {_general(match['text'])}"
        if not match["text"].strip():
            return "has an error without words"
        if INTERNAL.search(match["text"]):
            return f"talks about itself: {_general(match['text'])}"
    if "Traceback" in said:
        return "shows a traceback"
    return None


def _general(text: str) -> str:
    """A message without what differs from case to case."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|%\w+", "'...'", text))[:110]


def _read_again(tool: Tool, printed: str, flags: Sequence[str]) -> str | None:
    kept = [flag for flag in flags if flag in KEPT]
    again, errors = io.StringIO(), io.StringIO()
    status = tool.run([*kept, "-"], io.StringIO(printed), again, errors)
    if status != 0:
        return f"prints what it cannot read: {_general(errors.getvalue().split(chr(10))[0])}"
    if again.getvalue() != printed:
        return "prints differently what it printed"
    return None


KEPT = (
    "--split-input-file",
    "--allow-unregistered-dialect",
    "--mlir-print-debuginfo",
    "--mlir-print-op-generic",
)
