"""What is new about a call, in words for ``--stats``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ttl.diag.values import short
from ttl.host.tensor import Tensor
from ttl.sim.placement import Launch
from ttl.sim.replay.captures import Content
from ttl.sim.replay.key import argument_name

_MOST_NEWS = 3


def facts_of(
    launch: Launch, captured: dict[str, Content], tensors: Sequence[Tensor | None]
) -> dict[str, str]:
    """What a call is made with: arguments, captured values, grid and settings, each by its name."""
    facts = {argument_name(launch, index): _value(arg) for index, arg in enumerate(launch.args)}
    facts |= {name: _value(arg) for name, arg in launch.kwargs.items()}
    for name, content in captured.items():
        facts.setdefault(name, _content(content, tensors))
    settings = launch.settings
    facts["grid"] = str(launch.grid)
    facts["chip"] = launch.chip.name
    for name in ("precision", "sanitize", "strict", "executor", "isa"):
        facts[f"--{name}"] = str(getattr(settings, name))
    facts["--schedule-seed"] = str(settings.schedule_seed)
    return facts


def news(now: dict[str, str], before: dict[str, str] | None) -> str:
    """What an earlier call was made with otherwise, to follow "first call"."""
    if before is None:
        return ""
    found = [f"{name} {text}" for name, text in now.items() if before.get(name) != text]
    if not found:
        return " with other code, or another use of memory"
    rest = f" and {len(found) - _MOST_NEWS} more" if len(found) > _MOST_NEWS else ""
    return f" with {', '.join(found[:_MOST_NEWS])}{rest}"


def _value(value: Any) -> str:
    if not isinstance(value, Tensor):
        return short(value)
    return f"{tuple(value.shape)} {value.dtype} {value.layout.word}"


def _content(content: Content, tensors: Sequence[Tensor | None]) -> str:
    kind, *parts = content
    if kind == "tensor":
        return _value(tensors[parts[0]])
    if kind in (float, complex):
        return str(parts[0])
    if isinstance(kind, type) and len(parts) == 1 and not isinstance(parts[0], tuple):
        return repr(parts[0])
    if kind in (tuple, list):
        inner = ", ".join(_content(part, tensors) for part in parts)
        return f"({inner})" if kind is tuple else f"[{inner}]"
    return f"another value {hash(content) & 0xFFFF:04x}"
