"""The key by which a call is the same as an earlier one: objects it can see, arguments, tensors, memory they share, settings.

The arguments are examined on every replayed call, so the usual ones (tensors, numbers, strings) are handled inline.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ttl.diag.values import short
from ttl.host.access import array_of, byte_range
from ttl.host.tensor import Tensor
from ttl.lang.captured import words
from ttl.lang.visible import VisibleObject, visible
from ttl.rows.dtypes import Array
from ttl.sim.placement import Launch
from ttl.sim.replay.refusals import CallArgument, Judge

# A hashable description of a value.
Content = tuple[Any, ...]
# Pairs of tensors that share memory, and by how many bytes the second begins later.
Sharing = tuple[tuple[int, int, int], ...]
_PLAIN = (int, str, bool, type(None))
# Lists whose items are compared one by one: nested at most so deeply, and at most so long.
_DEEPEST, _LONGEST = 3, 1024
# At most so many differences of a new call are listed.
_MOST_NEWS = 3


def digest(sights: Iterable[VisibleObject]) -> str:
    """Return a text that is equal for equal visible objects. Raises ``Unavailable`` for objects that have no text."""
    text = hashlib.sha256()
    for sight in sights:
        for word in words(sight):
            text.update(word.encode(errors="surrogatepass") + b"\0")
    return text.hexdigest()


def arguments(launch: Launch, captured: Sequence[Tensor]) -> tuple[Content, list[Tensor]]:
    """The content of all arguments, and the distinct tensors of a launch: arguments first, then the captured ones.

    Raises ``Unavailable`` for an argument that cannot be compared between calls.
    """
    content: list[Any] = []
    judge = Judge()
    for position, arg in enumerate(launch.args):
        content.append(_argument(arg, position, launch, judge))
    for name, arg in launch.kwargs.items():
        content.append(name)
        content.append(_argument(arg, name, launch, judge))
    judge.met.clear()
    for tensor in captured:
        judge.tensor(tensor, CallArgument(""))
    return (*content, *judge.met), judge.tensors


def _argument(arg: Any, position: int | str, launch: Launch, judge: Judge, depth: int = 0) -> Any:
    kind = type(arg)
    if kind is Tensor and arg.shards is None:
        index = 0
        for tensor in judge.tensors:
            if tensor is arg:
                return index
            index += 1
        judge.tensors.append(arg)
        return index
    if kind in _PLAIN:
        return (kind, arg)
    if kind is float:
        return (kind, repr(arg))  # 0.0 == -0.0, and NaN is not equal to itself
    if (kind is tuple or kind is list) and len(arg) <= _LONGEST and depth < _DEEPEST:
        return (kind, *(_argument(item, position, launch, judge, depth + 1) for item in arg))
    judge.met.clear()
    judge.value(arg, CallArgument(argument_name(launch, position)))
    return (digest(visible((arg,))), *judge.met)


def argument_name(launch: Launch, position: int | str) -> str:
    """Return the operation's name of an argument."""
    if isinstance(position, str):
        return position
    code = launch.operation.function.__code__
    names = code.co_varnames[: code.co_argcount]
    return names[position] if position < len(names) else f"number {position + 1}"


def properties(tensors: Sequence[Tensor]) -> Content:
    """Shapes, element types, layouts, strides and shards."""
    content: list[Any] = []
    for tensor in tensors:
        array = array_of(tensor)
        config = tensor.memory_config()
        shards = config if config.is_sharded() else None
        content += (tuple(tensor.shape), tensor.dtype, tensor.layout, array.shape, array.strides, shards)
    return tuple(content)


class LastSharing:
    """``sharing``, with the last answer kept: programs call an operation with the same tensors again and again."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[list[weakref.ref[Array]], Sharing] = ([], ())

    def of(self, tensors: Sequence[Tensor]) -> Sharing:
        """Return ``sharing(tensors)``, kept from the last call if the arrays are the same."""
        references, last = self._last
        if len(references) == len(tensors):
            # An array stays where it is as long as it lives.
            for reference, tensor in zip(references, tensors):
                if reference() is not array_of(tensor):
                    break
            else:
                return last
        last = sharing(tensors)
        self._last = ([weakref.ref(array_of(tensor)) for tensor in tensors], last)
        return last


def sharing(tensors: Sequence[Tensor]) -> Sharing:
    """Return which tensors share memory, and how."""
    ranges = [(*byte_range(tensor), index) for index, tensor in enumerate(tensors)]
    ranges.sort()
    pairs: list[tuple[int, int, int]] = []
    end = 0
    reaching: list[tuple[int, int, int]] = []  # the ranges so far that reach beyond the start of the next
    for start, stop, index in ranges:
        if start < end:
            reaching = [span for span in reaching if span[1] > start]
            pairs += ((other, index, start - first) for first, _, other in reaching)
        else:
            reaching.clear()
        if start < stop:
            reaching.append((start, stop, index))
        if stop > end:
            end = stop
    return tuple(pairs)


def surroundings(launch: Launch) -> Content:
    """The grid, the chip and the settings that affect the computations or their order."""
    settings, chip = launch.settings, launch.chip
    return (
        launch.grid,
        chip.name,
        chip.grid,
        settings.precision,
        settings.sanitize,
        settings.schedule_seed,
        settings.strict,
        settings.executor,
        settings.isa,
    )


def facts_of(launch: Launch, captured: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments, captured values, grid and settings of a call, each by its name, as text."""
    facts = {argument_name(launch, index): _text(arg) for index, arg in enumerate(launch.args)}
    facts |= {name: _text(arg) for name, arg in launch.kwargs.items()}
    for name, value in captured.items():
        facts.setdefault(name, _text(value))
    settings = launch.settings
    facts["grid"] = str(launch.grid)
    facts["chip"] = launch.chip.name
    for name in ("precision", "sanitize", "strict", "executor", "isa"):
        facts[f"--{name}"] = str(getattr(settings, name))
    facts["--schedule-seed"] = str(settings.schedule_seed)
    return facts


def news(now: dict[str, str], before: dict[str, str] | None) -> str:
    """Return the differences to an earlier call, as text to follow "first call"."""
    if before is None:
        return ""
    different = [f"{name} {text}" for name, text in now.items() if before.get(name) != text]
    if not different:
        return " with other code, or another use of memory"
    rest = f" and {len(different) - _MOST_NEWS} more" if len(different) > _MOST_NEWS else ""
    return f" with {', '.join(different[:_MOST_NEWS])}{rest}"


def _text(value: Any) -> str:
    if not isinstance(value, Tensor):
        return short(value)
    return f"{tuple(value.shape)} {value.dtype} {value.layout.word}"
