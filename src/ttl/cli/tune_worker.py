"""A process of ``ttl tune``: runs a program up to a call without its tunable parameters, and tries configurations.

Every item has ``decided``: for each tuned call that the program must pass, the path of a file of tuned configurations
and the text of that file after the call. At the next call,

- ``{"about": true}`` is answered by ``{"call": ...}``, or by ``{"end": 0}`` if the program has ended before it;
- ``{"screen": [number]}`` by ``{"screened": [...]}``, lower bounds and estimates of the configurations' cycles;
- ``{"try": number, "limit": cycles, "compile_option": ..., "schedule": ...}`` by ``{"trial": ...}``;
- ``{"schedule_steps": number}`` by ``{"schedule_steps": ...}``, the steps of schedules that may help a configuration;
- ``{"choices": number}`` by ``{"choices": ...}``, the compiler's choices for a configuration, and the alternatives.

A program that fails ends the process with its exit code.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ttl import settings
from ttl.check.choosing import completed
from ttl.cli.program import load
from ttl.cli.run import execute
from ttl.diag import TTLError
from ttl.diag.report import COLLECTOR
from ttl.host.access import array_of
from ttl.host.convert import from_numpy
from ttl.host.tensor import Tensor
from ttl.lang.operation import OBSERVER, Operation
from ttl.session import CHOSEN, SOURCES
from ttl.sweeps.channel import ParentChannel
from ttl.tuner.trial import Bench
from ttl.tuning.choice import agrees, is_open
from ttl.tuning.key import key_of, normal
from ttl.tuning.space import Configuration, configurations
from ttl.tuning.table import path_for


class Worker:
    """Runs the program, and answers the tuner's items at its calls."""

    def __init__(self, channel: ParentChannel) -> None:
        self._channel = channel
        self._seen: set[tuple[str, ...]] = set()
        self._item: dict[str, Any] = channel.item()
        self._call = 0
        """The number of calls for which a configuration was decided."""

    def run(self) -> int:
        """Answer the tuner's items until the tuner ends this process; return the exit code of a program that fails."""
        task = self._channel.task
        chosen = self._chosen = settings.from_json(task["settings"])
        if os.path.isdir(task["folder"]):  # on a cluster, a process begins in the folder of its worker
            os.chdir(task["folder"])
        self._sources = sources = SOURCES.get()
        if chosen.tuned is not None and not sources.is_file(chosen.tuned):
            sources.show(chosen.tuned, "")  # the file does not exist yet
        with CHOSEN.given(chosen):
            code = load(task["program"])
            with OBSERVER.given(self._observe), COLLECTOR.given(lambda finding: None):
                status = int(execute(code, task["program"], task["arguments"], chosen))
        if status:
            return status
        while True:
            self._channel.answer({"end": 0})
            self._channel.item()

    def _observe(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        tunable = operation.tunable
        if tunable is None:
            return
        bound = operation.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if not is_open(tunable, bound.arguments):
            return
        self._once(operation, bound)
        for number, shape in enumerate(self._channel.task.get("shapes", ())):
            if not all(isinstance(bound.arguments.get(name), Tensor) for name in shape):
                continue
            other = operation.signature.bind(*args, **kwargs)
            other.apply_defaults()
            problem = ""
            for name, extents in shape.items():
                resized = _resized(other.arguments[name], extents)
                if resized is None:
                    problem = (
                        f"{name} is sharded or spread over a mesh: --shape takes tensors that are interleaved"
                    )
                else:
                    other.arguments[name] = resized
            self._once(operation, other, number, problem)

    def _once(
        self, operation: Operation, bound: inspect.BoundArguments, shape: int | None = None, problem: str = ""
    ) -> None:
        """Tune a kind of call when it is first met; ``shape`` is the number of the ``--shape`` of its tensors."""
        assert operation.tunable is not None
        key = key_of(operation.tunable, bound.arguments)
        if (operation.function.__name__, *key) not in self._seen:
            self._seen.add((operation.function.__name__, *key))
            self._tune(operation, bound, key, shape, problem)

    def _tune(
        self,
        operation: Operation,
        bound: inspect.BoundArguments,
        key: tuple[str, ...],
        shape: int | None,
        problem: str,
    ) -> None:
        tunable, own = operation.tunable, self._chosen
        chip = settings.current_chip(own)
        assert tunable is not None
        given = {name: value for name, value in bound.arguments.items() if name in tunable.names}
        candidates = [item for item in configurations(tunable, chip.name) if agrees(item, given)]
        call: dict[str, Any] = {
            "operation": operation.function.__name__,
            "file": operation.function.__code__.co_filename,
            "table": path_for(operation.function.__code__.co_filename, own),
            "line": operation.function.__code__.co_firstlineno,
            "key": key,
            "chip": chip.name,
            "grid": list(chip.grid if isinstance(operation.grid, str) else operation.grid),
            "configurations": [{name: normal(value) for name, value in item.items()} for item in candidates],
            "shape": shape,
        }
        bench = None
        try:
            args, kwargs, _ = completed(operation, bound.args, bound.kwargs, own)
            chosen = operation.signature.bind(*args, **kwargs).arguments
            preferred = {name: chosen[name] for name in tunable.names}
            call["preferred"] = {name: normal(value) for name, value in preferred.items()}
            allowed = [{**bound.arguments, **item} for item in candidates]
            call["excluded"] = [
                number
                for number, arguments in enumerate(allowed)
                if tunable.where is not None
                and not tunable.where(**{name: arguments[name] for name in tunable.condition})
            ]
            bench = Bench(operation, bound.arguments, preferred, own)
        except TTLError as raised:
            call["problem"] = {"code": raised.diagnostic.code, "message": raised.diagnostic.message}
        except Exception as raised:
            if shape is None:
                raise
            # The operation's own Python code does not support tensors of this shape.
            call["problem"] = {"code": "", "message": f"{type(raised).__name__}: {raised}"}
        if problem:
            call["problem"] = {"code": "", "message": problem}
        while len(self._item["decided"]) == self._call:
            self._channel.answer(self._answer(call, candidates, bench))
            self._item = self._channel.item()
        path, text = self._item["decided"][self._call]
        self._sources.show(path, text)
        self._call += 1

    def _answer(
        self, call: dict[str, Any], candidates: Sequence[Configuration], bench: Bench | None
    ) -> dict[str, Any]:
        self._channel.begun()
        if "about" in self._item:
            return {"call": call}
        assert bench is not None
        if "screen" in self._item:
            screened = [bench.screened(number, candidates[number]) for number in self._item["screen"]]
            return {"screened": [entry.as_json() for entry in screened]}
        if "choices" in self._item:
            return {"choices": bench.choices(candidates[self._item["choices"]])}
        if "schedule_steps" in self._item:
            return {"schedule_steps": bench.schedule_steps(candidates[self._item["schedule_steps"]])}
        number, limit = self._item["try"], self._item["limit"]
        option, schedule = self._item.get("compile_option", ""), self._item.get("schedule", "")
        trial = bench.trial(number, candidates[number], limit, option, schedule)
        return {"trial": trial.as_json()}


def _resized(tensor: Tensor, extents: Sequence[int]) -> Tensor | None:
    """Return a tensor of another shape, with the values of this one repeated; None if it is sharded or on a mesh."""
    config = tensor.memory_config()
    if tensor.shards is not None or config.is_sharded():
        return None
    values = np.resize(tensor.dtype.load(array_of(tensor)), tuple(extents))
    return from_numpy(
        values, dtype=tensor.dtype, layout=tensor.layout, device=tensor.device(), memory_config=config
    )


def main() -> int:
    """Run the worker on its standard streams."""
    return Worker(ParentChannel()).run()


if __name__ == "__main__":
    sys.exit(main())
