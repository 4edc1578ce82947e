"""Advice as ``--profile`` shows it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from ttl.emu.advice.piece import Advice
from ttl.emu.program import KernelLine
from ttl.source.files import display_name

MOST = 3
_WIDTH = 118


def lines(advice: Sequence[Advice], cycles: int) -> Iterator[str]:
    """The most valuable pieces of advice for a run of so many cycles."""
    for item in advice[:MOST]:
        yield from wrapped(f"advice: {item.name}: ", item.change, "  ")
        if item.lines:
            yield from wrapped("at ", ", ".join(map(shown, item.lines[:4])), "    ")
        yield from wrapped("saves:   ", f"{saved(item, cycles)}, {item.basis}: {item.how}", "    ")
        yield from wrapped("because: ", item.sentence, "    ")
        if item.results:
            yield from wrapped("results: ", item.results, "    ")
    if len(advice) > MOST:
        yield f"  advice: {len(advice) - MOST} more with --format json"


def saved(item: Advice, cycles: int) -> str:
    """Return the saving of a piece of advice in words, for a run of ``cycles``."""
    if item.l1_bytes:
        return f"{item.l1_bytes:,} bytes of L1 on every node"
    return f"about {item.cycles:,} of {cycles:,} cycles ({100 * item.cycles / max(cycles, 1):.0f} %)"


def wrapped(first: str, text: str, indent: str) -> list[str]:
    """A text behind ``first`` in lines of the width of a report, the further ones indented."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=indent + first,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def shown(line: KernelLine) -> str:
    """A place as the user names its file."""
    return f"{display_name(line.file)}:{line.line}"
