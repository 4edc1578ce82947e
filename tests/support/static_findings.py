"""What the checker says about the operations a program calls, in place of running them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from ttl.check import implicit, states, transfers, unused
from ttl.check.context import CheckContext
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.passes.infer_sync import infer_sync
from ttl.settings import current_chip

Check = Callable[[dialect.OperationOp, CheckContext], list[Diagnostic]]
CHECKS: tuple[Check, ...] = (states.check, transfers.check, unused.check, implicit.check)


@contextmanager
def checked_instead(*, strict: bool = False, checks: Sequence[Check] = CHECKS) -> Iterator[list[Diagnostic]]:
    """Calls of operations are looked at and not carried out; what is found comes into the list."""
    found: list[Diagnostic] = []

    def look(operation: Operation, *args: Any, **kwargs: Any) -> None:
        lowered = lower_call(operation, args, kwargs)
        found.extend(lowered.diagnostics)
        for op in lowered.module.ops:
            if isinstance(op, dialect.OperationOp):
                infer_sync(op)
                context = CheckContext(chip=current_chip(), strict=strict, grid=tuple(op.grid.extents))
                for check in checks:
                    found.extend(check(op, context))

    with mock.patch.object(Operation, "__call__", look):
        yield found
