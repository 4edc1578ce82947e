"""Advice as ``--profile`` shows it."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence

from ttl.emu.advice.model import Advice
from ttl.emu.program import KernelLine

MOST = 3
_WIDTH = 118


def lines(advice: Sequence[Advice], cycles: int) -> Iterator[str]:
    """The most valuable pieces of advice for a run of so many cycles."""
    for item in advice[:MOST]:
        yield from _wrapped(f"advice: {item.name}: ", item.sentence, "  ")
        if item.lines:
            yield from _wrapped("at ", ", ".join(_shown(line) for line in item.lines[:4]), "    ")
        yield from _wrapped("change: ", item.change, "    ")
        yield from _wrapped("saves:  ", f"{_saved(item, cycles)}, {item.basis}: {item.how}", "    ")
        if item.results:
            yield from _wrapped("results: ", item.results, "    ")
    if len(advice) > MOST:
        yield f"  advice: {len(advice) - MOST} more with --format json"


def _saved(item: Advice, cycles: int) -> str:
    if item.l1_bytes:
        return f"{item.l1_bytes:,} bytes of L1 on every node"
    return f"about {item.cycles:,} of {cycles:,} cycles ({100 * item.cycles / max(cycles, 1):.0f} %)"


def _wrapped(first: str, text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent + first,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _shown(line: KernelLine) -> str:
    path = os.path.relpath(line.file) if os.path.isabs(line.file) else line.file
    return f"{line.file if path.startswith('..') else path}:{line.line}"
