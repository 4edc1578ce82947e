"""The traceback of a user's exception, without the frames of this package."""

from __future__ import annotations

import traceback

from ttl.source.spans import is_our_file


def users_traceback(raised: BaseException, *, whole: bool = False) -> str:
    """The traceback of ``raised`` and all its causes as Python prints it; ``whole`` keeps our own frames."""
    summary = traceback.TracebackException.from_exception(raised)
    if not whole:
        _without_ours(summary)
    return "".join(summary.format())


def _without_ours(summary: traceback.TracebackException) -> None:
    """Take our frames out of ``summary`` and of everything it is chained to or groups."""
    waiting: list[traceback.TracebackException | None] = [summary]
    while waiting:
        part = waiting.pop()
        if part is None:
            continue
        kept = [frame for frame in part.stack if not is_our_file(frame.filename)]
        part.stack = traceback.StackSummary.from_list(kept)
        waiting.extend((part.__cause__, part.__context__, *(part.exceptions or ())))
