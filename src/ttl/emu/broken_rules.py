"""Messages about a rule of the hardware that a kernel broke: the facts of the failure, and the text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleMessage:
    """A broken rule in words."""

    code: str
    text: str
    help: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FailureFacts:
    """The facts about one failure: its numbers, and functions that name the objects behind them."""

    values: tuple[int, ...]
    text: str
    buffer: Callable[[int], str]
    core: Callable[[int], str]
    function: Callable[[int], str]
    chip: Callable[[int], str]


RuleWords: TypeAlias = Callable[[FailureFacts], RuleMessage]


def rule(code: str, text: Callable[[FailureFacts], str], help: str | None = None) -> RuleWords:
    """The words for a rule: its code, a function that makes the text from the facts, and the way out."""
    return lambda facts: RuleMessage(code=code, text=text(facts), help=help)
