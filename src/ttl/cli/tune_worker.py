"""A process of ``ttl tune``: runs the program up to a call that leaves tunable parameters out, and tries what it is told.

It talks to the tuner over a socket, one JSON object on a line:

- tuner: ``{"program", "arguments", "settings"}``, once;
- worker: ``{"call": ...}`` at such a call;
- tuner: ``{"try": number}``, answered by ``{"trial": ...}``; or ``{"table": path, "use": text}``, the file of tuned configurations as it is to be now;
- worker: ``{"end": status}`` when the program has ended.
"""

from __future__ import annotations

import inspect
import json
import os
import socket
import sys
from typing import Any

from ttl import settings
from ttl.check.choosing import completed
from ttl.cli.program import load
from ttl.cli.run import execute
from ttl.diag import TTLError
from ttl.diag.report import COLLECTOR
from ttl.lang.operation import OBSERVER, Operation
from ttl.session import SOURCES
from ttl.tuner.trial import Bench
from ttl.tuning.choice import agrees, is_open
from ttl.tuning.key import key_of, normal
from ttl.tuning.space import configurations
from ttl.tuning.table import path_for


class Worker:
    """The end of the socket in the process that runs the program."""

    def __init__(self, channel: socket.socket) -> None:
        self._reader = channel.makefile("r", encoding="utf-8")
        self._writer = channel.makefile("w", encoding="utf-8")
        self._decided: set[tuple[str, ...]] = set()

    def run(self) -> None:
        """Do what the tuner says until the program ends, or the tuner is gone."""
        task = self._receive()
        # JSON has no tuples: a grid is one.
        given: dict[str, Any] = {
            name: tuple(item) if isinstance(item, list) else item for name, item in task["settings"].items()
        }
        tuned = given.get("tuned")
        if tuned is not None and not SOURCES.get().is_file(tuned):
            SOURCES.get().show(tuned, "")  # it is made now
        with settings.overriding(given, dict.fromkeys(given, "ttl tune")):
            code = load(task["program"])
            with OBSERVER.given(self._observe), COLLECTOR.given(lambda finding: None):
                status = execute(code, task["program"], task["arguments"])
        self._send({"end": int(status)})

    def _receive(self) -> Any:
        line = self._reader.readline()
        if not line:  # the tuner is gone
            os._exit(0)
        return json.loads(line)

    def _send(self, message: object) -> None:
        self._writer.write(json.dumps(message) + "\n")
        self._writer.flush()

    def _observe(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        tunable = operation.tunable
        if tunable is None:
            return
        bound = operation.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if not is_open(tunable, bound.arguments):
            return
        key = key_of(tunable, bound.arguments)
        if (operation.function.__name__, *key) in self._decided:
            return
        self._decided.add((operation.function.__name__, *key))
        self._tune(operation, bound, key)

    def _tune(self, operation: Operation, bound: inspect.BoundArguments, key: tuple[str, ...]) -> None:
        tunable, chip = operation.tunable, settings.current_chip()
        assert tunable is not None
        given = {name: value for name, value in bound.arguments.items() if name in tunable.names}
        candidates = [item for item in configurations(tunable, chip.name) if agrees(item, given)]
        call: dict[str, Any] = {
            "operation": operation.function.__name__,
            "file": operation.function.__code__.co_filename,
            "table": path_for(operation.function.__code__.co_filename, settings.current()),
            "line": operation.function.__code__.co_firstlineno,
            "key": key,
            "chip": chip.name,
            "grid": list(chip.grid if isinstance(operation.grid, str) else operation.grid),
            "configurations": [{name: normal(value) for name, value in item.items()} for item in candidates],
        }
        bench = None
        try:
            args, kwargs = completed(operation, bound.args, bound.kwargs, settings.current())
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
            bench = Bench(operation, bound.arguments, preferred)
        except TTLError as raised:
            call["problem"] = {"code": raised.diagnostic.code, "message": raised.diagnostic.message}
        self._send({"call": call})
        while True:
            message = self._receive()
            if "use" in message:
                SOURCES.get().show(message["table"], message["use"])
                return
            number = message["try"]
            assert bench is not None
            self._send({"trial": bench.trial(number, candidates[number]).as_json()})


def main() -> int:
    """Run the worker on the socket whose descriptor is the first argument."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    Worker(channel).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
