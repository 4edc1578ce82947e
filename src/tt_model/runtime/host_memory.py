"""The limit on the memory of this machine that a run may take. A simulated chip has 12 GB, in the machine's memory.

The bytes of a program are counted before it runs: those of the tensors that are live at once, without tensors that
share the memory of another. A binary that needs more is refused with the tensor's name, before any memory is taken.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cache
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tt_model.layouts.enums import DataType
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNReshapeOp
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNEmptyOp, TTNNPlacementOp
from tt_model.runtime.numbers import is_integer
from tt_model.runtime.operands import first_read
from tt_model.runtime.problems import At, RuntimeProblem

if TYPE_CHECKING:
    from tt_model.runtime.tensors import TensorDescription

# Bytes, or a number with one of these units; by default half of the memory of the machine.
VARIABLE = "TTMLIR_RUNTIME_HOST_MEMORY"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
# Operations whose result shares the memory of their input.
_SHARING = (TTNNPlacementOp, TTNNReshapeOp)


def bytes_of(text: str, name: str) -> int:
    """Parse a number of bytes, such as ``8G``.

    Raises ``RuntimeProblem``; ``name`` is the option or variable with the text.
    """
    written = _WRITTEN.fullmatch(text.strip())
    if written is None:
        raise RuntimeProblem(f"{name} is {text!r}; expected a number of bytes, such as 8G or 512M")
    number = int(float(written[1]) * _UNITS[written[2].lower()])
    if number < 1:
        raise RuntimeProblem(f"{name} is {text!r}; expected at least one byte")
    return number


def limit() -> int:
    """Return the bytes that a run may take by default.

    Raises ``RuntimeProblem`` if the variable's value is not a number.
    """
    given = os.environ.get(VARIABLE, "")
    return bytes_of(given, VARIABLE) if given else _half_of_the_machine()


@cache
def _half_of_the_machine() -> int:
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        whole = 16 << 30
    try:
        # In a container, its own limit.
        of_group = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        whole = min(whole, int(of_group))
    except (OSError, ValueError):
        pass
    return whole // 2


def check_bytes(
    inputs: Iterable[TensorDescription],
    operations: Iterable[tuple[At, type[TTNNOperation], Mapping[str, Any], TensorDescription | None]],
    most: int,
) -> None:
    """Raise ``RuntimeProblem`` if the tensors that are live at once take more than ``most`` bytes.

    Args:
        inputs: of the program.
        operations: for each its place, its class, its table, and the tensor that it writes.
    """
    count = _Counting(most)
    for described in inputs:
        count.add(described, None)
    for at, kind, fields, out in operations:
        if kind is TTNNDeallocateOp:
            count.remove(first_read(fields))
        elif out is not None and issubclass(kind, _SHARING):
            count.share(out.id, first_read(fields))
        elif out is not None and kind is not TTNNEmptyOp:
            count.add(out, at)


class _Counting:
    """Counts the bytes of live tensors. A tensor that shares the memory of another one keeps that memory alive."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._live = 0
        self._root: dict[int, int] = {}
        self._users: dict[int, int] = {}
        self._bytes: dict[int, int] = {}
        self._next_root = 0

    def add(self, described: TensorDescription, at: At | None) -> None:
        taken = prod(described.shape) * _bytes_of_element(described.data_type)
        self.remove(described.id)
        self._next_root += 1
        root = self._root[described.id] = self._next_root
        self._users[root], self._bytes[root] = 1, taken
        self._live += taken
        if self._live > self._most:
            place = "an input" if at is None else "a result"
            raise RuntimeProblem(
                f"{described} ({place}): TensorDesc.shape is {list(described.shape)}, which takes {taken:,} bytes of this "
                f"machine, {self._live:,} with the other tensors that are live; {self._most:,} may be taken: allow more "
                f"with --host-memory or {VARIABLE}",
                at=at,
            )

    def share(self, number: int, of: int) -> None:
        root = self._root.get(of)
        if root is None or number == of:
            return
        self._users[root] += 1
        self.remove(number)
        self._root[number] = root

    def remove(self, number: int) -> None:
        root = self._root.pop(number, None)
        if root is None:
            return
        self._users[root] -= 1
        if self._users[root] == 0:
            self._live -= self._bytes[root]


def _bytes_of_element(data_type: DataType) -> int:
    """Bytes of an element in the type in which values are computed."""
    if is_integer(data_type):
        return 8
    return 2 if data_type in (DataType.BFloat16, DataType.Float16) else 4
