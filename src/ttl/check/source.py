"""Whether a text is a Python program, and the place at which Python's parser stops if it is not."""

from __future__ import annotations

import warnings

from ttl.diag import Diagnostic, error
from ttl.source.spans import Span


def problem_of(text: str, program: str, path: str) -> Diagnostic | None:
    """Return TTL0111 with the reason why a text is no Python program; None if it is one. ``program`` names it in the message."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's code: they are shown when it runs
            compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as problem:
        return not_python(program, path, problem)
    except (RecursionError, MemoryError):
        return too_deep(program)
    return None


def too_deep(program: str) -> Diagnostic:
    """Return finding TTL0111 for a text that is too deeply nested for Python."""
    return error("TTL0111", f"'{program}' is not a Python program: it is nested too deep")


def not_python(program: str, path: str, problem: SyntaxError | ValueError) -> Diagnostic:
    """Return finding TTL0111, at the place where Python's parser stops."""
    if not isinstance(problem, SyntaxError):
        return error("TTL0111", f"'{program}' is not a Python program: {problem}")
    finding = error("TTL0111", f"'{program}' is not a Python program: {problem.msg}")
    if problem.lineno is None:
        return finding
    # Python gives these columns in characters from 1, and 0 or -1 for "unknown".
    column = max(problem.offset or 1, 1)
    end_line = problem.end_lineno or problem.lineno
    end = problem.end_offset if problem.end_offset and problem.end_offset > 0 else 0
    if end_line == problem.lineno:
        end = max(end, column + 1)
    return finding.at(
        Span(file=path, line=problem.lineno, column=column, end_line=end_line, end_column=max(end, 1)),
        "Python stops here",
    )
