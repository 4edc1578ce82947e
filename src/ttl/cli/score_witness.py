"""A process of ``ttl score`` that runs the program in the simulator and reports its calls.

    python -P -m ttl.cli.score_witness TASK

TASK is a JSON file: ``program``, ``arguments``, ``settings``, ``calls`` (the kinds of calls to record: operation and
arguments), ``salt`` (0: the program's own random numbers), ``spoil`` (the number of a call whose results are to be
spoilt, or null), and ``arrays``, the file for the arrays of the answer. The program can do anything in this process, so
the reader of the answer trusts only results that it can verify elsewhere.
"""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.random

import ttl.sim.launch  # noqa: F401 - like numpy.random, most programs need it: imported once, before processes fork
from ttl import settings
from ttl.check.choosing import completed
from ttl.cli.program import load
from ttl.cli.run import execute
from ttl.frontend.live import lower_call
from ttl.host.access import array_of, writable_array
from ttl.host.comparisons import reseeded, watched
from ttl.host.tensor import Tensor
from ttl.lang.operation import ENDED, OBSERVER, Operation
from ttl.rows.dtypes import Array
from ttl.score.arrays import MOST_BYTES, named, save
from ttl.score.channel import AnswerChannel, task_of_command_line
from ttl.score.watching import CheatWatcher
from ttl.session import CHOSEN
from ttl.utils import correctness

# Functions of ``ttl.utils.correctness`` that compare a result with a reference.
_COMPARING = (
    "pcc", "ulp_error", "comp_pcc", "comp_ulp", "comp_allclose", "assert_with_pcc", "assert_pcc", "assert_with_ulp", "assert_allclose", "assert_equal",
)  # fmt: skip
# The number of references that are kept at most.
_MOST_REFERENCES = 64


class Witness:
    """The record of a run: the calls that a task asks for, and the contents of their tensors."""

    def __init__(self, task: Mapping[str, Any]) -> None:
        self._task = task
        self._chosen = settings.current()
        self._wanted = {
            (call["operation"], *call["arguments"]): number for number, call in enumerate(task["calls"])
        }
        self._under_way: list[tuple[Operation, int | None, tuple[Tensor, ...]]] = []
        self._arrays: dict[str, Array] = {}
        self._bytes = 0
        # The contents of tensors after the calls that were recorded.
        self._after: dict[tuple[int, int], Array] = {}
        self._references: list[tuple[int, int]] = []
        self._keys: set[bytes] = set()
        self.begun = self.ended = 0

    def run(self) -> int:
        """Run the program; return its exit code."""
        task = self._task
        code = load(task["program"])
        sys.path.insert(0, os.path.dirname(os.path.realpath(task["program"])))
        with ExitStack() as stack:
            stack.enter_context(OBSERVER.given(self._begins))
            stack.enter_context(ENDED.given(self._ends))
            if task["salt"]:
                stack.enter_context(reseeded(task["salt"]))
                stack.enter_context(watched(self._compared, correctness, _COMPARING))
            return execute(code, task["program"], task["arguments"], self._chosen)

    def tell(self, status: int, channel: AnswerChannel) -> None:
        """Save the arrays and send the answer."""
        save(self._task["arrays"], self._arrays)
        answer = {
            "status": status,
            "begun": self.begun,
            "ended": self.ended,
            "seen": sorted({call for call, _ in self._after}),
            "references": self._references,
        }
        channel.answer(answer, self._task["arrays"])

    def _begins(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.begun += 1
        number, tensors = self._which(operation, args, kwargs)
        if number is not None:
            for index, tensor in enumerate(tensors):
                self._keep(named(number, str(index), "before"), tensor)
        self._under_way.append((operation, number, tensors))

    def _ends(self, operation: Operation) -> None:
        self.ended += 1
        _, number, tensors = self._under_way.pop()
        if number is None:
            return
        for index, tensor in enumerate(tensors):
            before = self._arrays.get(named(number, str(index), "before"))
            if self._task["spoil"] == number and before is not None:
                _spoil(tensor, before)
            after = self._keep(named(number, str(index), "after"), tensor)
            if after is not None:
                self._after[number, index] = after

    def _which(
        self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[int | None, tuple[Tensor, ...]]:
        """The number of the kind of call and its tensors; the number is None if it is not in the task, or was met."""
        if operation.tunable is not None:
            args, kwargs, _ = completed(operation, args, kwargs, self._chosen)
        calls = lower_call(operation, args, kwargs, host_calls="any").calls
        if not calls:
            return None, ()
        number = self._wanted.pop((calls[0].operation, *calls[0].arguments), None)
        return number, tuple(
            tensor if tensor.shards is None else tensor.shards[0] for tensor in calls[0].tensors
        )

    def _keep(self, name: str, tensor: Tensor) -> Array | None:
        values = tensor.dtype.load(array_of(tensor).copy()).copy()
        self._bytes += values.nbytes
        if self._bytes > MOST_BYTES // 4:
            return None
        self._arrays[name] = values
        return values

    def _compared(self, first: Array, second: Array) -> None:
        """Note that the program compares two arrays: if one is the result of a call, the other is a reference."""
        for result, reference in ((first, second), (second, first)):
            for (number, index), after in self._after.items():
                if after.size != result.size or len(self._references) >= _MOST_REFERENCES:
                    continue
                before = self._arrays.get(named(number, str(index), "before"))
                if before is not None and np.array_equal(before, after, equal_nan=True):
                    continue  # an input
                if np.array_equal(after.reshape(-1), result.reshape(-1), equal_nan=True):
                    values = np.array(reference, np.float64).reshape(after.shape)
                    key = f"{number} {index} ".encode() + values.tobytes()
                    if key not in self._keys:
                        self._keys.add(key)
                        self._arrays[named(number, str(index), f"reference {len(self._references)}")] = values
                        self._references.append((number, index))
                    return


def _spoil(tensor: Tensor, before: Array) -> None:
    """Spoil a tensor that was written: reverse its values and add one."""
    array = writable_array(tensor)
    values = tensor.dtype.load(array.copy()).copy()
    if not np.array_equal(values, before, equal_nan=True):
        array[...] = tensor.dtype.store(values.reshape(-1)[::-1].reshape(values.shape) + values.dtype.type(1))


def main() -> int:
    """Do the task that the command line names."""
    channel, task = AnswerChannel(), task_of_command_line()
    with CHOSEN.given(settings.from_json(task["settings"])):
        witness = Witness(task)
        watcher = CheatWatcher(
            channel.cheat, private=task["private"], own=task["own"], program=task["program"]
        )
        status = witness.run()
        # The program's exit handlers run now, while it is watched.
        atexit._run_exitfuncs()
        watcher.finish()
        witness.tell(int(status), channel)
    channel.leave()


if __name__ == "__main__":
    sys.exit(main())
