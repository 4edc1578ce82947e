"""Padding that meets data in a launch: noted where it is computed, reported once it reaches a result that is used.

Only blocks that come from the edge of a tensor get here: other blocks have no padding (their ``Value.valid`` is None).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ttl.diag import Diagnostic
from ttl.rows.table import FILL
from ttl.rows.types import Layout
from ttl.rules import padding as rules
from ttl.sim.tensor_slices import SimSlice
from ttl.sim.values import Expr
from ttl.source.calls import operands_within
from ttl.source.spans import Site, span_of_site

if TYPE_CHECKING:
    from ttl.sim.block import SimBlock
    from ttl.sim.kernel import Kernel, RunningLaunch

# The most expressions that are searched for the one in which an operand of a reduction lost its data.
_MOST = 256


class _PaddingFinding:
    """An expression in which padding met data: the kernel of the first time, and the reasons why this matters."""

    __slots__ = ("expr_shape", "kernel", "reasons")

    def __init__(self, kernel: Kernel, shape: tuple[int, ...]) -> None:
        self.kernel = kernel
        self.expr_shape = shape
        self.reasons: dict[rules.PaddingMismatch, str | None] = {}


class Padding:
    """The treatment of padding in a launch."""

    __slots__ = ("_engine", "_met", "_other")

    def __init__(self, engine: RunningLaunch) -> None:
        self._engine = engine
        self._met: dict[Site, _PaddingFinding] = {}
        # Findings about products and copies, by place.
        self._other: dict[Site, tuple[Kernel, Diagnostic]] = {}

    def computed(self, expr: Expr) -> Expr:
        """Note padding that meets data in an expression. Return the expression to compute.

        With the sanitizer that may be NaN.
        """
        op = expr.op
        site = expr.site
        if site is None:
            return expr
        if op.family == "product":
            return self._product(expr, site)
        if op.family == "reduction":
            return self._reduced(expr)
        if len(expr.args) < 2:
            return expr
        meetings = rules.meetings(op, [self._once_broadcast(arg) for arg in expr.args])
        if meetings:
            met = self._met.get(site)
            if met is None:
                met = self._met[site] = _PaddingFinding(self._engine.current, expr.type.shape)
            for meeting in meetings:
                met.reasons.setdefault(meeting, None)
        return expr

    def copied(self, block: SimBlock, valid: tuple[int, int], target: SimSlice, site: Site) -> None:
        """Note a copy of a block with padding to a part of a tensor in which the padding would be data."""
        part = target.valid or target.type.elements[-2:]
        if len(block.buffer.type.shape) < 2 or len(part) < 2:
            return
        for axis in rules.uncovered(valid, part):
            responsible = False
            for met in self._met.values():
                for meeting in met.reasons:
                    if meeting.axis == axis and meeting.small == valid[axis]:
                        met.reasons[meeting] = rules.COPIED
                        responsible = True
            if not responsible and site not in self._other:
                told = rules.padding_copied(block.buffer.name, axis, valid[axis], part[axis])
                self._other[site] = self._engine.current, told

    def warnings(self) -> Iterator[Diagnostic]:
        """Yield the warnings that are due when all kernels have ended."""
        for site, met in self._met.items():
            span = span_of_site(site)
            operands = operands_within(span)
            texts = [text for text, _ in operands]
            by_reason: dict[str, list[rules.PaddingMismatch]] = defaultdict(list)
            for meeting, reason in met.reasons.items():
                if reason is not None:
                    by_reason[reason].append(meeting)
            for reason, meetings in by_reason.items():
                for not_broadcast in rules.not_broadcast(meetings, texts, met.expr_shape, reason):
                    yield not_broadcast.with_fix(operands).at(span).noting(f"in {met.kernel.where}")
        for site, (kernel, told) in self._other.items():
            yield told.at(span_of_site(site)).noting(f"in {kernel.where}")

    def _once_broadcast(self, arg: Any) -> rules.Extents:
        """Return the extents of an operand's data once the dimensions missing in its expression are broadcast.

        With them, a warning can name all operands that lack these dimensions.
        """
        met = self._met.get(arg.site) if isinstance(arg, Expr) and arg.site is not None else None
        extents = _extents(arg)
        return extents if met is None else rules.once_broadcast(extents, tuple(met.reasons))

    def _product(self, expr: Expr, site: Site) -> Expr:
        left, right = expr.args
        depth = left.type.elements[-1]
        differ = rules.product(_extents(left)[-1], _extents(right)[-2], depth)
        if differ is None:
            return expr
        if site not in self._other:
            texts = [text for text, _ in operands_within(span_of_site(site))]
            self._other[site] = self._engine.current, rules.factors_differ(*differ, texts)
        return self._poisoned(expr)

    def _reduced(self, expr: Expr) -> Expr:
        (source,) = expr.args
        valid, elements = source.valid, source.type.elements
        dims = {dim if dim < 0 else dim - len(elements) for dim in expr.params[0]}
        lost = False
        for axis in (-2, -1):
            if axis not in dims or valid is None or not rules.lost_in_sum(axis, valid[axis], elements[axis]):
                continue
            for site in self._sites_in(source):
                met = self._met.get(site)
                for meeting in met.reasons if met is not None else ():
                    if meeting.axis == axis and meeting.small == valid[axis]:
                        assert met is not None
                        met.reasons[meeting] = met.reasons[meeting] or rules.REDUCED
                        lost = True
        return self._poisoned(expr) if lost else expr

    def _sites_in(self, value: Any) -> Iterator[Site]:
        """Places of the expressions a value is computed from, as far as they have not been computed yet."""
        waiting = [value]
        for _ in range(_MOST):
            if not waiting:
                return
            expr = waiting.pop()
            expr = expr if isinstance(expr, Expr) else getattr(expr, "root", None)
            if isinstance(expr, Expr):
                if expr.site is not None:
                    yield expr.site
                waiting.extend(expr.args or ())

    def _poisoned(self, expr: Expr) -> Expr:
        """Return NaN in place of a result from which data are missing, with ``--sanitize``; else the result."""
        if not self._engine.settings.sanitize or not expr.type.dtype.is_float:
            return expr
        params = (float("nan"), expr.type.shape, expr.type.layout)
        return Expr(self._engine, FILL, [], params, expr.type, expr.valid, 1, expr.reads, expr.site)


def _extents(arg: Any) -> rules.Extents:
    """Return the extents of an operand's data; any extents for numbers and constants, which have no padding."""
    if isinstance(arg, int | float) or (isinstance(arg, Expr) and not arg.reads):
        return rules.ANY
    if arg.type.layout is Layout.ROW_MAJOR or len(arg.type.elements) < 2:
        return rules.ANY
    rows, columns = arg.valid or arg.type.elements[-2:]
    return rows, columns
