"""The input of the analyses besides the operation, and the words for places in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.ir import Operation

from ttl.analysis.points import IterationDomain
from ttl.arch import Chip
from ttl.arch.systems import System
from ttl.check.watching import CheckWatcher
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import chain_of, span_of
from ttl.protocol.grid import coordinate
from ttl.rules.words import kernel_where

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckContext:
    """The chip, the settings and the shared results for checking one ``ttl.operation``."""

    chip: Chip
    strict: bool
    """Whether each push, pop and wait that the language infers is a finding."""
    grid: tuple[int, ...]
    """Extents of the grid the operation is launched on."""
    system: System | None = None
    """The system, if one was chosen."""
    watcher: CheckWatcher | None = None
    """The watcher that is notified of the states that analyses follow."""
    results: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """Results that several analyses share; see ``once``."""

    def once(self, name: str, make: Callable[[], Result]) -> Result:
        """Return the result of ``make``, which is called once for this operation."""
        if name not in self.results:
            self.results[name] = make()
        once: Result = self.results[name]
        return once


def placed(finding: Diagnostic, op: Operation, label: str = "") -> Diagnostic:
    """Return the finding with the place of an operation."""
    return finding.at(span_of(op), label).called_from(chain_of(op))


def where(kernel: dialect.UserKernelOp, node: int, grid: tuple[int, ...]) -> str:
    """``kernel read on node (0, 1)``."""
    return kernel_where(kernel.kind, kernel.kernel_name, coordinate(node, grid, len(grid)))


def where_and_when(
    kernel: dialect.UserKernelOp, at: IterationDomain, point: int, grid: tuple[int, ...]
) -> str:
    """``in kernel read on node (0, 1), when m_block is 3``: a point, as a note."""
    iteration = at.iteration(point)
    return f"in {where(kernel, int(at.nodes[point]), grid)}{f', {iteration}' if iteration else ''}"
