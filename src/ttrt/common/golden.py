"""Golden results: the result that each operation should have, in float64, compared with its actual result.

An operation is checked twice: against the reference of the whole program up to it, and against the reference for the
inputs that it really got. The first check says whether results are good, the second which operation is to blame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tt_model.binaries.reference import ReferenceModules, ReferenceProgram
from tt_model.binaries.tolerance import Values, adds_up_to, moves, own_tolerance, units
from tt_model.layouts.enums import DataType
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.shared import TTNNReductionOp
from tt_model.operations.ttnn import TTNNEmptyOp, TTNNFullOp, TTNNGetDeviceOp, TTNNPlacementOp
from tt_model.reference.formats import FORMATS, converted
from tt_model.runtime.distribution import MeshShards
from tt_model.runtime.steps import is_of
from ttl.rows.comparison import equal, finite_alike, same, within
from ttl.session.patience import Unavailable
from ttrt.binary import Binary
from ttrt.common.problems import Divergence
from ttrt.common.programs import ProgramOfBinary

if TYPE_CHECKING:
    import torch

    from tt_model.runtime.executor import PreparedStep
    from tt_model.runtime.pool import TensorPool
    from tt_model.runtime.tensors import RuntimeTensor

__all__ = [
    "Comparison",
    "Divergence",
    "GoldenCheck",
    "blame",
    "compared",
    "correlation",
    "golden_check",
]

# The name of a location, which may have another location inside.
_NAME = re.compile(r'loc\("([^"]*)"(?!.*loc\()', re.DOTALL)
# The number of elements that are shown on each side of the worst element.
_AROUND = 1
# Operations that place tensors in memory; their locations are those of the operations for which they do it.
_SERVING = (TTNNPlacementOp, TTNNGetDeviceOp, TTNNEmptyOp, TTNNFullOp)


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """A result compared with the golden one. ``worst`` is the index of the element with the largest absolute error.

    ``own`` is the error that the operation added to those of its inputs, as a multiple of the allowed one. ``allowed``
    is the largest error of a result that agrees regardless of the correlation; it is infinite where an earlier
    operation decided otherwise than the reference because of rounding (a comparison of two numbers that are almost the
    same).
    """

    operation: str
    location: str
    pcc: float
    absolute: float
    relative: float
    ulp: float
    worst: tuple[int, ...]
    values: tuple[float, float]
    own: float = 0.0
    allowed: float = 0.0
    around: str = ""
    shapes: str = ""

    @property
    def is_to_blame(self) -> bool:
        """Whether the operation itself is wrong: its error is too large for the inputs that it got."""
        return bool(self.shapes) or not self.own <= 1

    def diverges(self, pcc: float) -> bool:
        """Whether the result is worse than the tolerance."""
        return self.is_to_blame or not (self.pcc >= pcc or self.absolute <= self.allowed)

    def __str__(self) -> str:
        if self.shapes:
            return f"{self.operation}: {self.shapes}"
        if not self.absolute:
            return f"{self.operation}: PCC {self.pcc:.6f}, no error"
        got, wanted = self.values
        return (
            f"{self.operation}: PCC {self.pcc:.6f}, largest absolute error {self.absolute:.3g}, relative "
            f"{self.relative:.3g}, {self.ulp:.3g} ULP; worst at {list(self.worst)}: {got:.6g} for {wanted:.6g}"
        )

    def report(self, pcc: float) -> str:
        """Return several lines: the error, its place in the model, its cause, and the values around the worst one."""
        lines = [f"operation {self}" + (f" at {self.location}" if self.location else "")]
        if self.is_to_blame:
            times = (
                ""
                if self.shapes
                else f": for the inputs that it got, its error is {self.own:.3g} times the allowed one"
            )
            lines.append(f"this operation causes it{times}")
        else:
            lines.append(
                f"PCC is below {pcc} and the error above {self.allowed:.3g}, but the operation is right for the inputs that "
                "it got: rounding errors come from earlier operations"
            )
        return "\n".join([*lines, *([self.around] if self.around else [])])


def correlation(wanted: Values, got: Values) -> float:
    """Pearson's correlation coefficient; where it is not defined, 1 if both tensors are equal, else 0."""
    if wanted.size == 0:
        return 1.0
    if equal(got, wanted):
        return 1.0
    if not finite_alike(got, wanted) or wanted.size == 1:
        return 0.0
    usable = np.isfinite(wanted) & np.isfinite(got)
    a, b = wanted[usable], got[usable]
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 1.0 if within(a, b, 1e-2, 1e-8).all() else 0.0
    a, b = a - a.mean(), b - b.mean()
    scale = float(np.sqrt((a * a).sum()) * np.sqrt((b * b).sum()))
    return float((a * b).sum() / scale) if scale else 0.0


def errors_of(wanted: Values, got: Values) -> Values:
    """Return the absolute error of each element.

    It is the largest float64 if one of two different values is infinite, and infinite if one of them is NaN.
    """
    with np.errstate(all="ignore"):
        return np.where(
            same(got, wanted), 0.0, np.nan_to_num(np.abs(got - wanted), nan=np.inf, posinf=np.inf)
        )


def compared(
    operation: str,
    location: str,
    wanted: Values,
    got: Values,
    data_type: DataType,
    *,
    own: float = 0.0,
    tainted: bool = False,
    scale: float = 0.0,
) -> Comparison:
    """Compare a result with the golden one of the same shape.

    ``scale`` is the magnitude of the numbers it comes from.
    """
    # A value that the type cannot hold is compared in its converted form.
    rounded = converted(wanted, FORMATS[data_type.keyword])
    wanted = np.where(np.isfinite(rounded), wanted, rounded)
    if wanted.size and equal(wanted, got):
        return _agreeing(operation, location, float(wanted.flat[0]), own, tainted)
    difference = errors_of(wanted, got)
    size = np.abs(wanted)
    with np.errstate(all="ignore"):
        relative = difference / np.where((size == 0) | ~np.isfinite(size), 1.0, size)
        ulp = difference / units(wanted, data_type)
    at = int(difference.argmax()) if difference.size else 0
    worst = tuple(int(index) for index in np.unravel_index(at, wanted.shape)) if wanted.size else ()
    absolute = float(difference.max(initial=0.0))
    largest = float(size[np.isfinite(size)].max(initial=0.0))
    allowed = np.inf if tainted else adds_up_to(data_type) * max(largest, scale)
    return Comparison(
        operation=operation,
        location=location,
        pcc=correlation(wanted.reshape(-1), got.reshape(-1)),
        absolute=absolute,
        relative=float(relative.max(initial=0.0)),
        ulp=float(ulp.max(initial=0.0)),
        worst=worst,
        values=(float(got[worst]), float(wanted[worst])) if wanted.size else (0.0, 0.0),
        own=own,
        allowed=allowed,
        # The elements around the worst one are shown only for a result that diverges.
        around=_around(wanted, got, worst) if absolute > allowed or not own <= 1 else "",
    )


def _agreeing(operation: str, location: str, first: float, own: float, tainted: bool) -> Comparison:
    """The comparison of a result that equals the golden one; ``first`` is its first element."""
    return Comparison(
        operation=operation,
        location=location,
        pcc=1.0,
        absolute=0.0,
        relative=0.0,
        ulp=0.0,
        worst=(),
        values=(first, first),
        own=own,
        allowed=np.inf if tainted else 0.0,
    )


def _around(wanted: Values, got: Values, worst: tuple[int, ...]) -> str:
    """The values around the worst element, in the plane of its last two dimensions."""
    planes = [array.reshape((1,) * (2 - array.ndim) + array.shape) for array in (got, wanted)]
    at = (0,) * (2 - wanted.ndim) + worst
    got_plane, wanted_plane = (plane[at[:-2]] for plane in planes)
    (top, bottom), (left, right) = (
        (max(0, place - _AROUND), min(extent, place + _AROUND + 1))
        for place, extent in zip(at[-2:], got_plane.shape, strict=True)
    )
    before = "".join(f"{index}, " for index in worst[:-2])
    rows = "" if wanted.ndim == 1 else f"{top}:{bottom}, "
    lines = [f"around it, at [{before}{rows}{left}:{right}], values and golden ones:"]
    for row in range(top, bottom):
        texts = (
            "  ".join(f"{value:>11.5g}" for value in plane[row, left:right])
            for plane in (got_plane, wanted_plane)
        )
        lines.append("  " + "   |  ".join(texts))
    return "\n".join(lines)


def golden_check(
    binary: Binary | ReferenceModules,
    index: int,
    inputs: Sequence[torch.Tensor | MeshShards],
    *,
    of_golden_inputs: bool = False,
    use_stored: bool = True,
) -> GoldenCheck:
    """Return the check that compares a run of a program with golden results. Raises ``Unavailable``.

    Golden tensors that are stored in the binary under the location of an operation replace computed ones, if the inputs
    are those from which they were computed (``use_stored``). For several programs of a binary, pass its
    ``ReferenceModules``, which read a text once.
    """
    modules = binary if isinstance(binary, ReferenceModules) else ReferenceModules(binary)
    reference = ReferenceProgram(modules, index)
    names = _stored_names(modules.binary, index)
    stored = _stored(modules.binary, index, reference.computing, names) if use_stored else {}
    return GoldenCheck(
        reference,
        reference.results(inputs),
        dict(stored.values()),
        of_golden_inputs=of_golden_inputs,
        unused=tuple(sorted(names - stored.keys())),
    )


def _stored_names(binary: Binary, index: int) -> frozenset[str]:
    """The names under which the file has golden tensors of operations."""
    debug_info = binary.programs[index].get("debug_info", {})
    entries = debug_info.get("golden_info", {}).get("golden_map", [])
    names = (str(entry["key"]) for entry in entries)
    return frozenset(name for name in names if re.fullmatch(r"input_\d+", name) is None)


def _stored(
    binary: Binary, index: int, computing: frozenset[int], names: frozenset[str]
) -> dict[str, tuple[int, Values]]:
    """Golden tensors of the file by name, each with the number of the last operation at its location that computes.

    The tensors have no shape.
    """
    program = binary.programs[index]
    of_name: dict[str, int] = {}
    for number, operation in enumerate(program.get("operations", [])):
        if number in computing and not is_of(operation, *_SERVING):
            location = _NAME.search(str(operation.get("debug_info", "")))
            if location is not None:
                of_name[location[1]] = number
    stored = {}
    for name in sorted(names & of_name.keys()):
        values = np.asarray(binary.get_debug_info_golden(name), np.float64)
        number = of_name[name]
        out = program["operations"][number].get("type", {}).get("out", {})
        if values.size == prod(out.get("desc", {}).get("shape", [])):
            stored[name] = number, values
    return stored


class GoldenCheck:
    """Compares each operation of a run: ``before`` and the object itself are the observers of ``run_program``.

    The reference runs in step with it, and keeps a tensor as long as an operation may read it. Where the reference
    cannot continue, ``stopped`` says why, and later operations are not compared.

    With ``of_golden_inputs``, the golden result replaces the result of each operation, so that no operation gets errors
    of earlier ones.
    """

    # The word for the compared units in messages.
    COMPARED = "operations"

    def __init__(
        self,
        reference: ReferenceProgram,
        results: Iterator[tuple[int, Values]],
        stored: Mapping[int, Values],
        *,
        of_golden_inputs: bool = False,
        unused: tuple[str, ...] = (),
    ) -> None:
        self._reference = reference
        self._results = results
        # Golden tensors of the file with which results are compared, by the numbers of operations.
        self.stored = stored
        self._computing = reference.computing
        self.stopped = ""
        self._of_golden_inputs = of_golden_inputs
        # Names of golden tensors of the file with which no result is compared.
        self.unused = unused
        self._read: dict[Any, RuntimeTensor] = {}
        self._decided_otherwise: set[int] = set()
        self._tainted_inputs = False
        self._scales: dict[int, float] = {}
        self._input_scale = 0.0
        self._last: dict[int, Comparison] = {}
        self.comparisons: list[Comparison] = []
        # Messages about operations whose reference has NaN or infinities although all their operands are numbers.
        self.undefined: list[str] = []

    def before(self, pool: TensorPool, step: PreparedStep) -> None:
        """Keep the tensors that the operation reads."""
        if step.at.index in self._computing and step.out is not None and not self.stopped:
            numbers = self._reference.reads(step.at.index)
            self._read = {operand: pool.read(number) for operand, number in numbers.items()}
            self._input_scale = max(
                (self._scales.get(number, 0.0) for number in numbers.values()), default=0.0
            )
            self._tainted_inputs = any(number in self._decided_otherwise for number in numbers.values())

    def __call__(self, pool: TensorPool, step: PreparedStep) -> None:
        """Compare the result of the operation."""
        wanted = self._wanted(step.at.index)
        if wanted is None or step.out is None:
            return
        word = step.fields.get("type", "")
        kind, table = step.kind, step.at.kind
        name = f"{step.at.index} {f'{table} {word}'.strip() if isinstance(word, str) else table}"
        tensor = pool.read(step.out)
        self._look_for_undefined(name, step.at.location, wanted)
        got = self._reference.values(tensor)
        if got is None:
            shapes = f"it is {tensor.describe()}, and it is not known how these make the expected {'x'.join(map(str, wanted.shape))}"
            self._keep(step.out, _of_other_shape(name, step.at.location, shapes))
            return
        if got.shape != wanted.shape:
            if got.size != wanted.size:
                shapes = f"its result is {'x'.join(map(str, got.shape))}, and should be {'x'.join(map(str, wanted.shape))}"
                self._keep(step.out, _of_other_shape(name, step.at.location, shapes))
                return
            got = got.reshape(wanted.shape)
        own, terms = self._own_error(step.at.index, kind, got, tensor.data_type)
        tainted = self._tainted_inputs
        # A sum that is much smaller than its terms has errors as large as theirs.
        scale = terms if issubclass(kind, TTNNReductionOp) else self._input_scale if moves(kind) else 0.0
        self._scales[step.out] = scale

        def comparison_of(tainted: bool) -> Comparison:
            return compared(
                name, step.at.location, wanted, got, tensor.data_type, own=own, tainted=tainted, scale=scale
            )

        comparison = comparison_of(tainted)
        if kind.ROW.jumps and own <= 1 and comparison.absolute > comparison.allowed:
            tainted = True
            comparison = comparison_of(tainted)
        if tainted:
            self._decided_otherwise.add(step.out)
        else:
            self._decided_otherwise.discard(step.out)
        self._keep(step.out, comparison)
        if self._of_golden_inputs:
            self._reference.keep(tensor, wanted)
            self._decided_otherwise.clear()

    def _look_for_undefined(self, name: str, location: str, wanted: Values) -> None:
        """Add a message where the reference has NaN or an infinity although the operands of the run are numbers."""
        finite = np.isfinite(wanted)
        if finite.all() or not self._read:  # a constant may be NaN or infinite on purpose
            return
        read = [self._reference.values(tensor) for tensor in self._read.values()]
        if all(values is None or np.isfinite(values).all() for values in read):
            nan = int(np.isnan(wanted).sum())
            infinite = wanted.size - int(finite.sum()) - nan
            what = " and ".join(
                f"{count:,} {word}" for count, word in ((nan, "NaN"), (infinite, "infinite")) if count
            )
            self.undefined.append(
                f"operation {name} has {what} of {wanted.size:,} in the reference"
                + (f" at {location}" if location else "")
            )

    def _wanted(self, number: int) -> Values | None:
        """Return the expected result of an operation; None where it has no value, or the reference ended before it."""
        if number not in self._computing or self.stopped:
            return None
        try:
            current, wanted = next(self._results)
        except Unavailable as problem:
            self.stopped = str(problem)
            return None
        except StopIteration:
            self.stopped = "the reference has run; a check is for one run of the program"
            return None
        assert current == number, "the text and the operations of a program are in one order"
        stored = self.stored.get(number)
        return stored.reshape(wanted.shape) if stored is not None and stored.size == wanted.size else wanted

    def _keep(self, tensor: int, comparison: Comparison) -> None:
        self.comparisons.append(comparison)
        self._last[tensor] = comparison

    def _own_error(
        self, number: int, kind: type[TTNNOperation], got: Values, data_type: DataType
    ) -> tuple[float, float]:
        """The error of an operation for its actual inputs, as a multiple of the allowed one; its largest sum of terms.

        The sum is that of the magnitudes of the terms, for an operation that adds up; else 0.
        """
        read = {}
        for operand, tensor in self._read.items():
            values = self._reference.values(tensor)
            if values is None:
                return 0.0, 0.0
            read[operand] = values
        exact = self._reference.of_inputs(number, read)
        if exact is None or exact.shape != got.shape:
            return 0.0, 0.0
        magnitude = self._reference.of_inputs(number, read, magnitudes=True) if kind.ROW.adds_up else None
        rounded = converted(exact, FORMATS[data_type.keyword])
        terms = 0.0 if magnitude is None else float(np.nan_to_num(magnitude, posinf=0.0).max(initial=0.0))
        if equal(rounded, got):
            return 0.0, terms
        allowed = np.where(
            np.isfinite(rounded), own_tolerance(kind, data_type, rounded, magnitude), 0.0
        )  # nothing is near an infinity
        error = errors_of(rounded, got)
        with np.errstate(all="ignore"):
            parts = np.where(
                error <= allowed, np.minimum(error / np.where(allowed > 0, allowed, 1.0), 1.0), error
            )
            parts = np.where((error > allowed) & (allowed > 0), error / allowed, parts)
            # Any error is too large in an element without a tolerance.
            parts = np.where((error > allowed) & (allowed == 0), np.maximum(2.0, error), parts)
        return float(parts.max(initial=0.0)), terms

    def outputs_diverge(self, program: ProgramOfBinary, pcc: float) -> bool:
        """Whether an output of the program is worse than the tolerance."""
        return any(one.id in self._last and self._last[one.id].diverges(pcc) for one in program.outputs)

    def first_bad(self, pcc: float) -> Comparison | None:
        """The first operation that is worse than the tolerance."""
        return next((one for one in self.comparisons if one.diverges(pcc)), None)

    def to_blame(self) -> list[Comparison]:
        """The operations whose own errors are too large."""
        return [one for one in self.comparisons if one.is_to_blame]


def _of_other_shape(operation: str, location: str, shapes: str) -> Comparison:
    return Comparison(
        operation=operation,
        location=location,
        pcc=0.0,
        absolute=np.inf,
        relative=np.inf,
        ulp=np.inf,
        worst=(),
        values=(0.0, 0.0),
        own=np.inf,
        shapes=shapes,
    )


class ComparedRun(Protocol):
    """A run that was compared with the reference."""

    def to_blame(self) -> list[Comparison]: ...
    def first_bad(self, pcc: float) -> Comparison | None: ...


def blame(program: ProgramOfBinary, run: ComparedRun, alone: ComparedRun, pcc: float) -> str:
    """Report the operation that makes outputs wrong: the first that is wrong even for golden inputs (``alone``)."""
    guilty = alone.to_blame()
    if guilty:
        others = [one.operation for one in guilty[1:]]
        more = (
            f"\nso are {len(others)} more: {', '.join(others[:8])}{', ...' if len(others) > 8 else ''}"
            if others
            else ""
        )
        return f"{program.name}: an output is wrong, by this operation:\n{guilty[0].report(pcc)}{more}"
    first = run.first_bad(pcc)
    assert first is not None
    return (
        f"{program.name}: an output is wrong, and no operation is for golden inputs: rounding adds up; the first result that "
        f"diverges:\n{first.report(pcc)}"
    )
