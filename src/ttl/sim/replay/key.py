"""What a call is the same as an earlier one by: arguments, tensors, memory they share, settings.

The rest of a key, what the code captures, is in ``captures``. All of this runs on every call that is replayed, so the
usual arguments (tensors, numbers, strings) are taken without a call each.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from ttl.host.access import array_of, byte_range
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import Array
from ttl.sim.placement import Launch
from ttl.sim.replay.captures import Content, Walk
from ttl.sim.replay.reason import Argument

# Pairs of tensors that share memory, and by how many bytes the second begins later.
Sharing = tuple[tuple[int, int, int], ...]
_PLAIN = (int, str, bool, type(None))


def arguments(launch: Launch, captured: Sequence[Tensor]) -> tuple[Content, list[Tensor]]:
    """The content of all arguments, and the distinct tensors of a launch: arguments first, then the captured ones.

    Raises ``NotReplayedError`` for an argument that cannot be compared between calls.
    """
    content: list[Any] = []
    walk = Walk()
    tensors = walk.tensors
    for position, arg in enumerate(launch.args):
        content.append(_argument(arg, position, launch, walk, tensors))
    for name, arg in launch.kwargs.items():
        content.append(name)
        content.append(_argument(arg, name, launch, walk, tensors))
    for tensor in captured:
        content.append(walk.tensor(tensor, Argument("")))
    return tuple(content), tensors


def _argument(arg: Any, position: int | str, launch: Launch, walk: Walk, tensors: list[Tensor]) -> Any:
    kind = type(arg)
    if kind is Tensor and arg.shards is None:
        index = 0
        for tensor in tensors:
            if tensor is arg:
                return index
            index += 1
        tensors.append(arg)
        return index
    if kind in _PLAIN:
        return (kind, arg)
    return walk.admit(arg, Argument(argument_name(launch, position)))[0]


def argument_name(launch: Launch, position: int | str) -> str:
    """What the operation calls an argument."""
    if isinstance(position, str):
        return position
    code = launch.operation.function.__code__
    names = code.co_varnames[: code.co_argcount]
    return names[position] if position < len(names) else f"number {position + 1}"


def properties(tensors: Sequence[Tensor]) -> Content:
    """Shapes, element types, layouts and strides."""
    content: list[Any] = []
    for tensor in tensors:
        array = array_of(tensor)
        content += (tuple(tensor.shape), tensor.dtype, tensor.layout, array.shape, array.strides)
    return tuple(content)


class LastSharing:
    """``sharing``, with the last answer kept: programs call an operation with the same tensors again and again."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[list[weakref.ref[Array]], Sharing] = ([], ())

    def of(self, tensors: Sequence[Tensor]) -> Sharing:
        """As ``sharing(tensors)``."""
        references, found = self._last
        if len(references) == len(tensors):
            # An array stays where it is as long as it lives.
            for reference, tensor in zip(references, tensors):
                if reference() is not array_of(tensor):
                    break
            else:
                return found
        found = sharing(tensors)
        self._last = ([weakref.ref(array_of(tensor)) for tensor in tensors], found)
        return found


def sharing(tensors: Sequence[Tensor]) -> Sharing:
    """Which tensors share memory, and how."""
    ranges = [(*byte_range(tensor), index) for index, tensor in enumerate(tensors)]
    ranges.sort()
    found: list[tuple[int, int, int]] = []
    end = 0
    reaching: list[tuple[int, int, int]] = []  # the ranges so far that reach beyond the start of the next
    for start, stop, index in ranges:
        if start < end:
            reaching = [each for each in reaching if each[1] > start]
            found += ((other, index, start - first) for first, _, other in reaching)
        else:
            reaching.clear()
        if start < stop:
            reaching.append((start, stop, index))
        if stop > end:
            end = stop
    return tuple(found)


def surroundings(launch: Launch) -> Content:
    """Grid, chip and the settings that change what is computed or in which order."""
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
