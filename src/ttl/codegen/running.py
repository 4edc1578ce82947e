"""The calls of operations in a running program, which the front end reads for the compiler: each kind of call once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ttl.check.seen import CallCache
from ttl.diag import Diagnostic, TTLError
from ttl.frontend.live import lower_call
from ttl.frontend.lowered import Lowered, UnreadableOperation
from ttl.lang.captured import specialisation_key
from ttl.lang.operation import OBSERVER, Operation
from ttl.settings import current


class Calls:
    """The operations that a program has called, as one module. ``lowered`` grows while the program runs."""

    def __init__(self) -> None:
        self.lowered = Lowered(module=ModuleOp([]))
        # The operations of earlier calls, by keys that describe the whole call; calls without a key are in ``_seen``.
        self._keys: dict[str, Operation] = {}
        self._seen: dict[int, tuple[Operation, CallCache[bool]]] = {}
        self._findings: dict[object, Diagnostic] = {}

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Read every call of an operation in this context before it is launched."""
        with OBSERVER.given(self.called):
            yield

    def called(self, operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Read a call that is about to be launched."""
        chosen = current()
        special = specialisation_key(operation, args, kwargs, chosen.arch)
        if special is not None:
            special = f"{id(operation)} {special}"
            if special in self._keys:
                return
            self._keys[special] = operation
        else:
            _, seen = self._seen.setdefault(id(operation), (operation, CallCache(operation.function)))
            key = seen.key(args, kwargs, chosen)
            if any(seen.known(key)):
                return
            seen.keep(key, args, kwargs, True)
        try:
            lowered = lower_call(operation, args, kwargs, module=self.lowered.module, host_calls="any")
        except TTLError:
            return  # the call cannot be lowered: the run itself reports the error
        self.lowered.notes.extend(note for note in lowered.notes if note not in self.lowered.notes)
        # The tensors are not kept, so that the program can free them.
        self.lowered.calls.extend(replace(call, tensors=()) for call in lowered.calls)
        if not lowered.calls:
            line = operation.function.__code__.co_firstlineno
            self.lowered.unread.append(UnreadableOperation(operation=operation.function.__name__, line=line))
        for finding in lowered.diagnostics:
            place = None if finding.primary is None else finding.primary.span
            if (finding.code, place) not in self._findings:
                self._findings[finding.code, place] = finding
                self.lowered.diagnostics.append(finding)
