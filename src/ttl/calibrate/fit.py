"""Costs from measurements: least squares over emulated cycles, with bounds, and each kernel left out once.

All is in logarithms: a row is off by ln(emulated / measured), a cost by ln(cost / the chip's), so that an entry of the Jacobian says by
how many percent a row changes where a cost changes by one. Rows of a kernel weigh as one together: they are hardly independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from ttl.arch.costs_file import is_rate

Costs = Mapping[str, int]
Cycles = Mapping[str, float]
"""The cycles of one kernel, by its measurements."""

# A cost stays within these times what the chip's record says.
_BOUND = 4.0
# Steps of a search; from one to the next the error has to get smaller by this part.
_STEPS, _ENOUGH = 6, 1e-3
# Rounds of a search and of single steps, and the squares of errors at which nothing is left to find.
_ROUNDS, _EXACT = 5, 1e-6
# The factor by which a cost is changed to find the slope: so large that rounding to whole cycles does not matter.
_PROBE = 1.15
# A cost is carried by rows where an error of 1 % in each of them moves it by less than this.
CARRIED = 0.15
_ROW_ERROR = 0.01


@dataclass(frozen=True, slots=True)
class RowsToFit:
    """The rows of the measured kernels, and a function that emulates a kernel with other costs and keeps the results."""

    rows: Mapping[str, Cycles]
    """The measured rows, by kernel."""
    emulate: Callable[[str, Costs], Cycles]
    base: Costs
    """The costs to fit, as the chip's record has them."""

    def off(self, kernel: str, costs: Costs) -> Any:
        """Return the errors of the rows of a kernel: logarithms of emulated over measured cycles."""
        cycles = self.emulate(kernel, costs)
        return np.array([log(cycles[what] / value) for what, value in self.rows[kernel].items()])

    def weighed(self, kernels: Sequence[str], costs: Costs) -> Any:
        """Return the errors of several kernels, weighted."""
        return np.concatenate([_weighed(self.off(kernel, costs)) for kernel in kernels])

    def error(self, kernel: str, costs: Costs) -> float:
        """Return the mean error of the rows of a kernel, as a fraction of the measured cycles."""
        return float(np.mean(np.abs(np.expm1(self.off(kernel, costs)))))

    def slopes(self, kernel: str, costs: Costs, whats: Sequence[str] | None = None) -> Any:
        """The rows of a kernel in the Jacobian: of those that were measured, or others."""
        whats = list(self.rows[kernel]) if whats is None else whats
        here = self.emulate(kernel, costs)
        columns = []
        for name, value in costs.items():
            other = max(round(value * _PROBE), value + 1)
            there = self.emulate(kernel, {**costs, name: other})
            columns.append([log(there[what] / here[what]) / log(other / value) for what in whats])
        return _weighed(np.array(columns).T)

    def jacobian(self, kernels: Sequence[str], costs: Costs) -> Any:
        """The derivatives of the cycles of several kernels by each cost."""
        return np.concatenate([self.slopes(kernel, costs) for kernel in kernels])


def _weighed(rows: Any) -> Any:
    return rows / np.sqrt(max(len(rows), 1))


def uncertainty(jacobian: Any) -> Any:
    """Return for each cost how far an error of 1 % in every kernel moves it; 1 or more where no row determines it."""
    count = jacobian.shape[1]
    # As if each cost were known to a hundred percent before.
    information = jacobian.T @ jacobian / _ROW_ERROR**2 + np.eye(count)
    return np.sqrt(np.diag(np.linalg.inv(information)))


def carried(jacobian: Any, names: Sequence[str]) -> tuple[str, ...]:
    """The costs that rows tell."""
    return tuple(name for name, off in zip(names, uncertainty(jacobian), strict=True) if off < CARRIED)


def _moved(measured: RowsToFit, costs: Costs, step: Any) -> dict[str, int]:
    moved = {}
    for (name, value), by in zip(costs.items(), step, strict=True):
        base = measured.base[name]
        limits = base / _BOUND, base * _BOUND
        moved[name] = max(round(min(max(value * np.exp(by), limits[0]), limits[1])), 1)
    return moved


def _squares(measured: RowsToFit, kernels: Sequence[str], costs: Costs) -> float:
    return float(np.sum(measured.weighed(kernels, costs) ** 2))


def _searched(
    measured: RowsToFit, kernels: Sequence[str], jacobian_at: Callable[[Costs], Any], begin: Costs
) -> dict[str, int]:
    """Gauss-Newton from some costs on, with shorter steps where one leads astray. Costs that these kernels do not tell stay."""
    costs = dict(begin)
    error = _squares(measured, kernels, costs)
    for _ in range(_STEPS):
        jacobian = jacobian_at(costs)
        told = np.array([name in carried(jacobian, list(costs)) for name in costs])
        step = np.zeros(len(costs))
        if not told.any():
            return costs
        off = measured.weighed(kernels, costs)
        step[told] = np.linalg.lstsq(jacobian[:, told], -off, rcond=None)[0]
        for length in (1.0, 0.5, 0.25):
            trial = _moved(measured, costs, length * np.clip(step, -log(2), log(2)))
            squares = _squares(measured, kernels, trial)
            if squares < error:
                break
        else:
            return costs
        done = squares > error * (1 - _ENOUGH)
        costs, error = trial, squares
        if done:
            return costs
    return costs


def fitted(measured: RowsToFit) -> dict[str, int]:
    """Return the costs with the least error over all rows, by Gauss-Newton and steps of single costs in turn, while
    they improve.

    Among costs that no row distinguishes, the smallest are returned.
    """
    kernels = list(measured.rows)
    costs: Costs = measured.base
    error = _squares(measured, kernels, costs)
    for _ in range(_ROUNDS):
        before = error
        costs = _searched(measured, kernels, lambda at: measured.jacobian(kernels, at), costs)
        costs, error = _polished(measured, kernels, costs)
        if error > before * (1 - _ENOUGH) or error < _EXACT:
            break
    result = dict(costs)
    for name in result:
        while result[name] > 1 and not is_rate(name):
            trial = {**result, name: result[name] - 1}
            if _squares(measured, kernels, trial) != error:
                break
            result = trial
    return result


def _polished(measured: RowsToFit, kernels: Sequence[str], costs: Costs) -> tuple[Costs, float]:
    """Each cost by itself, in ever smaller steps; the smallest is a cycle, or a thousandth of a rate."""
    error = _squares(measured, kernels, costs)
    for part in (0.04, 0.01, 0.001):
        for name in costs:
            step = max(round(costs[name] * part), 1)
            for by in (step, -step):
                while True:
                    trial = {**costs, name: max(costs[name] + by, 1)}
                    squares = _squares(measured, kernels, trial)
                    if squares >= error:
                        break
                    costs, error = trial, squares
    return costs, error


@dataclass(frozen=True, kw_only=True, slots=True)
class HeldOutKernel:
    """A kernel that a fit has not seen: the mean error of its rows with the chip's costs, and with those of the fit."""

    kernel: str
    before: float
    after: float


def left_out(measured: RowsToFit, near: Costs) -> list[HeldOutKernel]:
    """Each kernel left out once. Slopes are those ``near`` the costs of all, which saves most of the time."""
    rows = []
    slopes = {kernel: measured.slopes(kernel, near) for kernel in measured.rows}
    for kernel in measured.rows:
        others = [other for other in measured.rows if other != kernel]
        jacobian = np.concatenate([slopes[other] for other in others])
        costs = _searched(measured, others, lambda _, jacobian=jacobian: jacobian, measured.base)  # type: ignore[misc]
        rows.append(
            HeldOutKernel(
                kernel=kernel,
                before=measured.error(kernel, measured.base),
                after=measured.error(kernel, costs),
            )
        )
    return rows
