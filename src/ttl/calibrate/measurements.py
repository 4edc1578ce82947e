"""Costs from a folder of measurements: ``ttl calibrate --from DIR``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ttl import settings
from ttl.arch import Chip, chip_of_arch
from ttl.calibrate.emulated import Emulation, emulation
from ttl.calibrate.fit import CARRIED, HeldOutKernel, RowsToFit, carried, fitted, left_out, uncertainty
from ttl.calibrate.plan import BY_NAME, FREE, KERNELS
from ttl.diag import ProgramError, error
from ttl.diag.words import counted, listed
from ttl.emu.measured import WRONG_MEASUREMENT, MeasuredRuns, compared, read
from ttl.settings import Settings

# The code for measurements that do not determine the requested costs.
TOO_FEW = "TTL0153"
_LOG = "profile_log_device.csv"


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """The result of a calibration: the costs before and after, and the error of each kernel that was left out of a fit."""

    chip: Chip
    before: Mapping[str, int]
    after: Mapping[str, int]
    left_out: Sequence[HeldOutKernel]
    files: int

    @property
    def errors(self) -> tuple[float, float]:
        """The mean errors before and after, of the kernels that were left out of a fit."""
        rows = self.left_out
        return sum(row.before for row in rows) / len(rows), sum(row.after for row in rows) / len(rows)

    @property
    def helps(self) -> bool:
        """Whether the error of kernels that a fit has not seen is smaller."""
        return self.errors[1] < self.errors[0]


def calibrated(folder: str, chosen: Settings, names: Sequence[str] = ()) -> Calibration:
    """The costs of these names, without names all that the plan can tell on the chip, for the card that a folder's files were measured on.

    Raises ``ProgramError`` TTL0147 for a file that cannot be read or is of another chip, TTL0153 where the files do not determine the costs.
    """
    files = _files(folder)
    chip = _chip(files)
    # Measurements are compared with the chip's own costs, even if the user has others.
    with settings.override(costs=None), emulation(chip.name, chosen) as emulated:
        costs = chip.costs.by_name()
        base = {name: costs[name].value for name in names or _told(emulated, chip)}
        rows = {name: _measured(emulated, name, runs) for name, runs in files.items()}
        measured = RowsToFit(
            rows={name: own for name, own in rows.items() if own},
            emulate=lambda kernel, costs: _cycles(emulated, kernel, costs, files.get(kernel)),
            base=base,
        )
        _require(measured, folder)
        after = fitted(measured)
        return Calibration(
            chip=chip, before=base, after=after, left_out=left_out(measured, after), files=len(measured.rows)
        )


def _told(emulated: Emulation, chip: Chip) -> tuple[str, ...]:
    """The costs that all kernels of the plan together determine: in their order, each that leaves those before it determined."""
    every = RowsToFit(
        rows={kernel.name: {"": 1.0} for kernel in KERNELS},
        emulate=lambda kernel, costs: _cycles(emulated, kernel, costs, None),
        base={name: chip.costs.by_name()[name].value for name in FREE},
    )
    jacobian, told = every.jacobian(list(every.rows), every.base), list[str]()
    for name in FREE:
        trial = [*told, name]
        columns = [list(FREE).index(other) for other in trial]
        if len(carried(jacobian[:, columns], trial)) == len(trial):
            told = trial
    return tuple(told)


def _files(folder: str) -> dict[str, MeasuredRuns]:
    """Read the measurements of a folder, by kernel of the plan."""
    result = {}
    for kernel in KERNELS:
        for path in (Path(folder) / f"{kernel.name}.csv", Path(folder) / kernel.name / _LOG):
            if path.is_file():
                result[kernel.name] = read(str(path))
                break
    if not result:
        raise _nothing(folder)
    return result


def _nothing(folder: str) -> ProgramError:
    if Path(folder).is_dir():
        what = f"the folder '{folder}' has no measurement of a kernel of the plan"
    else:
        what = (
            f"'{folder}' is a file, not a folder"
            if Path(folder).exists()
            else f"there is no folder '{folder}'"
        )
    return ProgramError(
        error(
            TOO_FEW,
            what,
            help="'ttl calibrate --plan' writes the kernels, and measure.sh, which leaves a file such as "
            f"{KERNELS[0].name}.csv for each",
        )
    )


def _chip(files: Mapping[str, MeasuredRuns]) -> Chip:
    """The one chip of all files."""
    first = next(iter(files.values()))
    for runs in files.values():
        chip = chip_of_arch(runs.arch.lower())
        if chip is None:
            raise ProgramError(error(WRONG_MEASUREMENT, f"'{runs.path}' is of a chip without a record: {runs.arch}", help="measure on a chip that --arch has"))  # fmt: skip
        if runs.arch != first.arch:
            raise ProgramError(error(WRONG_MEASUREMENT, f"'{runs.path}' is of another chip than '{first.path}': {runs.arch}, not {first.arch}", help="keep the files of each card in a folder of their own"))  # fmt: skip
    common = chip_of_arch(first.arch.lower())
    assert common is not None
    return common


def _measured(emulated: Emulation, kernel: str, runs: MeasuredRuns) -> dict[str, float]:
    """Return the measured cycles of those rows of a kernel that take any cycles on the emulated chip."""
    rows = compared([emulated.profile(BY_NAME[kernel], {})], runs)
    return {row.what: row.measured for row in rows if row.measured and row.emulated > 0}


def _cycles(
    emulated: Emulation, kernel: str, costs: Mapping[str, int], runs: MeasuredRuns | None
) -> dict[str, float]:
    """Return the cycles of a kernel's rows on the emulated chip; for a kernel that was not measured, only the total."""
    profile = emulated.profile(BY_NAME[kernel], costs)
    if runs is None:
        return {"": float(profile.cycles)}
    return {row.what: row.emulated for row in compared([profile], runs)}


def _require(measured: RowsToFit, folder: str) -> None:
    """Refuse to fit costs that the rows do not determine. Raises ``ProgramError`` TTL0153."""
    names, kernels = list(measured.base), list(measured.rows)
    if not kernels:
        raise _nothing(folder)
    jacobian = measured.jacobian(kernels, measured.base)
    told = carried(jacobian, names)
    if len(told) == len(names) and len(kernels) > len(names):
        return
    missing = [name for name in names if name not in told]
    most = _most_telling(measured, jacobian)
    off = dict(zip(names, uncertainty(jacobian), strict=True))
    notes = [
        f"{name} ({FREE[name]}): an error of 1 % in the measurements moves it by {off[name] * 100:.0f} %, {CARRIED * 100:.0f} % is the most"
        for name in missing
    ]
    if most is not None:
        notes.append(f"of the plan, {most} would tell most: {BY_NAME[most].what}")
    fewer = told[: len(kernels) - 1]
    raise ProgramError(
        error(
            TOO_FEW,
            f"{counted(len(kernels), 'kernel')} in '{folder}' cannot tell {counted(len(names), 'cost')}: "
            + (
                f"{listed(missing)} {'is' if len(missing) == 1 else 'are'} not in their cycles"
                if missing
                else "that takes more kernels than costs"
            ),
            notes=tuple(notes),
            help=("" if most is None else f"measure {most}.py, too")
            + ("; or " if most is not None and fewer else "")
            + (f"fit fewer costs: --only {','.join(fewer)}" if fewer else "")
            or "measure every kernel of the plan",
        )
    )


def _most_telling(measured: RowsToFit, jacobian: np.ndarray) -> str | None:
    """The kernel of the plan that was not measured and would leave the least uncertain; None where none is left."""
    left: dict[str, float] = {}
    for kernel in KERNELS:
        if kernel.name not in measured.rows:
            more = measured.slopes(kernel.name, measured.base, [""])
            left[kernel.name] = float(np.sum(uncertainty(np.concatenate([jacobian, more])) ** 2))
    return min(left, key=lambda name: left[name], default=None)
