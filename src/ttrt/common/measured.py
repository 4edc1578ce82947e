"""A card's measurements beside estimates: ``ttrt perf --measured ops_perf_results.csv``, of TT-Metalium's profiler."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from tt_model.runtime.problems import RuntimeProblem
from ttl.emu.measured import WRONG_MEASUREMENT
from ttrt.common.perf_files import ProfiledCall, device_operation

_NAME, _TYPE, _DEVICE, _TIME = "OP CODE", "OP TYPE", "DEVICE ID", "DEVICE KERNEL DURATION [ns]"
_ON_DEVICE = "tt_dnn_device"


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredOperation:
    """An operation of the first device, and the time of its kernels."""

    name: str
    nanoseconds: float


def read_measured(path: str) -> list[MeasuredOperation]:
    """Return the operations of the first device in a report, in order.

    Raises ``RuntimeProblem`` TTL0147 for a file that is not a report, or has no operations.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            table = csv.DictReader(file)
            missing = {_NAME, _TIME} - {*(table.fieldnames or ())}
            if missing:
                raise _unreadable(path, f"it has no column {' and none '.join(sorted(missing))}")
            rows = list(table)
    except OSError as problem:
        raise _unreadable(path, (problem.strerror or str(problem)).lower()) from None
    except csv.Error as problem:
        raise _unreadable(path, str(problem)) from None
    operations: defaultdict[str, list[MeasuredOperation]] = defaultdict(list)
    for row in rows:
        time = _time(row.get(_TIME))
        if time is not None and (row.get(_TYPE) or _ON_DEVICE) == _ON_DEVICE:
            one = MeasuredOperation(name=row[_NAME] or "", nanoseconds=time)
            operations[row.get(_DEVICE) or ""].append(one)
    if not operations:
        raise _unreadable(path, "no operation in it has a duration of its kernels")
    return operations[min(operations, key=lambda device: (len(device), device))]


def _time(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _unreadable(path: str, why: str) -> RuntimeProblem:
    return RuntimeProblem(f"cannot read measured times from '{path}': {why}", code=WRONG_MEASUREMENT)


def measured_cycles(calls: Sequence[ProfiledCall], measured: Sequence[MeasuredOperation]) -> dict[int, float]:
    """The measured cycles of calls by their numbers; calls and measurements are matched by names and order."""
    on_chip = [call for call in calls if not call.estimate.on_host]
    names = [device_operation(call.estimate) for call in on_chip]
    matcher = SequenceMatcher(None, names, [one.name for one in measured], autojunk=False)
    result = {}
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            call = on_chip[block.a + offset]
            result[call.number] = measured[block.b + offset].nanoseconds * call.estimate.clock_hz / 1e9
    return result


def table(calls: Sequence[ProfiledCall], cycles: Mapping[int, float], count: int) -> Iterator[str]:
    """Lines with three columns of cycles, without those of the launch.

    ``count`` is the number of measured operations.
    """
    yield f"  {'estimated':>11}  {'emulated':>11}  {'measured':>11}  {'error':>7}"
    errors = []
    for call in calls:
        one = call.estimate
        if one.on_host:
            continue
        own = max(1, one.cycles - one.start)
        card = cycles.get(call.number)
        wrong = ""
        if card is not None:
            errors.append(abs(own / card - 1))
            wrong = f"{100 * (own / card - 1):+.0f} %"
        columns = ("", f"{own:,}") if one.emulated else (f"{own:,}", "")
        yield (
            f"  {columns[0]:>11}  {columns[1]:>11}  {'' if card is None else f'{card:,.0f}':>11}  {wrong:>7}  {one.operation}"
        )
    unmeasured = sum(not call.estimate.on_host for call in calls) - len(cycles)
    yield (
        f"  {len(cycles)} operations are measured"
        + (f", with a mean error of {100 * sum(errors) / len(errors):.1f} %" if errors else "")
        + (f"; {unmeasured} are not in the file" if unmeasured else "")
        + (f"; {count - len(cycles)} of the file are not in this binary" if count > len(cycles) else "")
    )
