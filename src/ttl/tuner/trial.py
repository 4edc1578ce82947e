"""Trying the configurations of one call: checked, compiled, run on the emulated chip, and the results compared."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from ttl.codegen.choices import choices_of_call
from ttl.codegen.compiled_calls import compile_read, is_complete, read_call
from ttl.codegen.schedule_space import steps_for
from ttl.codegen.traced import traced
from ttl.diag import ProgramError, TTLError
from ttl.dialects.structure import OperationOp
from ttl.emu.launch import run
from ttl.emu.tolerance import rounding_of
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.rows.comparison import finite_alike
from ttl.rows.dtypes import Array
from ttl.session.compile_options import read_options
from ttl.session.patience import LimitReached
from ttl.settings import Settings, current_chip, override
from ttl.sim.placement import launches
from ttl.tuner.bound import cost_of
from ttl.tuner.work import buffer_bytes, work_of
from ttl.tuning.space import Configuration

Verdict = Literal["measured", "excluded", "refused", "wrong", "failed", "lost", "bound", "slower"]
"""``excluded`` by ``where``; ``refused`` by a check or the compiler; ``wrong`` in its results; ``failed`` on the chip;
``lost``: the process that tried it died, took too long or too much memory; not run, because of its ``bound``; ``slower``: stopped, when
it was certain to take more cycles than were of interest."""

# The factors by which a result's error may exceed that of the reference configuration: of the mean and of the worst
# element.
_MEAN, _WORST = 4.0, 8.0


@dataclass(frozen=True, kw_only=True, slots=True)
class TunerTrial:
    """The trial of one configuration."""

    number: int
    """The configuration's position among the declared ones, from 0."""
    verdict: Verdict
    cycles: int = 0
    """The cycles; for ``slower`` and ``bound`` a lower bound."""
    l1_bytes: int = 0
    """The bytes of L1 of a node's dataflow buffers, including those that the compiler adds."""
    error: float = 0.0
    """Root mean square distance from the exact result, relative to the result."""
    code: str = ""
    why: str = ""
    seconds: float = 0.0
    compile_option: str = ""
    """The choices of the compiler for this trial, as ``--compile-option`` takes them."""
    schedule: str = ""
    """The schedule of this trial, as ``--schedule`` takes it."""

    def as_json(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class Screening:
    """The properties of a configuration that are known before it is compiled."""

    number: int
    bound: int = 0
    """A lower bound of its cycles."""
    estimate: int = 0
    """An estimate of its cycles."""
    l1_bytes: int = 0
    """The bytes of the configuration's own dataflow buffers on a node."""

    def as_json(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Distance:
    mean: float
    worst: float


class Bench:
    """One call that leaves tunable parameters out. Its tensors are restored after each trial."""

    def __init__(
        self,
        operation: Operation,
        arguments: Mapping[str, Any],
        preferred: Configuration,
        chosen: Settings,
    ) -> None:
        """``arguments`` are keyed by name; ``preferred`` is the call's own configuration, whose results are trusted.

        Raises ``TTLError`` if the operation fails in the simulator with it.
        """
        self._operation = operation
        self._arguments = arguments
        self._chosen = chosen
        self._before: dict[int, tuple[Tensor, Array]] = {}
        self._keep(list(arguments.values()))
        read = read_call(operation, *self._call(preferred))
        for captured in read.calls:
            self._keep(captured.tensors)
        self._approximated = traced(read.module).approximated
        self._exact = self._simulated(preferred, precision="fp32")
        rounded = self._simulated(preferred, precision="spec")
        self._expected = [
            _distance(values, exact) for values, exact in zip(rounded, self._exact, strict=True)
        ]

    def screened(self, number: int, configuration: Configuration) -> Screening | TunerTrial:
        """Read the call with a configuration; return its bound and estimate, or a trial with the reason of refusal."""
        args, kwargs = self._call(configuration)
        chip = current_chip(self._chosen)
        bound = estimate = l1_bytes = 0
        with override(target="emu", compare=False, format="text") as chosen:
            try:
                for item in launches(self._operation, args, kwargs, chip, chosen):
                    for op in read_call(self._operation, item.args, item.kwargs).module.body.block.ops:
                        if isinstance(op, OperationOp):
                            cost = cost_of(work_of(op, chip), chip)
                            bound, estimate = bound + cost.bound, estimate + cost.estimate
                            l1_bytes = max(l1_bytes, buffer_bytes(op))
            except TTLError as raised:
                finding = raised.diagnostic
                return TunerTrial(number=number, verdict="refused", code=finding.code, why=finding.message)
        return Screening(number=number, bound=bound, estimate=estimate, l1_bytes=l1_bytes)

    def choices(self, configuration: Configuration) -> list[dict[str, Any]]:
        """Return the compiler's choices for a configuration, and the alternatives, where the settings leave them open."""
        args, kwargs = self._call(configuration)
        with override(target="emu", compare=False, format="text") as chosen:
            item = next(iter(launches(self._operation, args, kwargs, current_chip(chosen), chosen)))
            points = choices_of_call(self._operation, item.args, item.kwargs, chosen)
        name = self._operation.function.__name__
        asked_for = {option.key for option in read_options(chosen.compile_option)}
        return [
            {"name": f"{name}:{point.name}", "chosen": point.chosen, "legal": list(point.legal)}
            for point in points
            if point.name not in asked_for
        ]

    def trial(
        self,
        number: int,
        configuration: Configuration,
        limit: int | None = None,
        compile_option: str = "",
        schedule: str = "",
    ) -> TunerTrial:
        """Run one configuration. An error in the program becomes the verdict; a run is stopped after ``limit`` cycles.

        ``compile_option``: choices of the compiler, beside those of the settings; ``schedule``: the chain to compile it by.
        """
        options = f"{self._chosen.compile_option} {compile_option}".strip()
        with override(compile_option=options, schedule=schedule or self._chosen.schedule):
            trial = self._trial(number, configuration, limit)
        return replace(trial, compile_option=compile_option, schedule=schedule)

    def schedule_steps(self, configuration: Configuration) -> list[str]:
        """Return the steps of schedules that may help a configuration, found in the operation."""
        args, kwargs = self._call(configuration)
        with override(target="emu", compare=False, format="text") as chosen:
            item = next(iter(launches(self._operation, args, kwargs, current_chip(chosen), chosen)))
            module = read_call(self._operation, item.args, item.kwargs).module
        return [step for op in module.body.block.ops if isinstance(op, OperationOp) for step in steps_for(op)]

    def _trial(self, number: int, configuration: Configuration, limit: int | None) -> TunerTrial:
        begun = time.perf_counter()
        with self._contents_put_back(), override(target="emu", compare=False, format="text") as chosen:
            try:
                cycles, l1_bytes = self._run(configuration, limit, chosen)
            except LimitReached:
                assert limit is not None
                return TunerTrial(
                    number=number, verdict="slower", cycles=limit, seconds=time.perf_counter() - begun
                )
            except TTLError as raised:
                finding = raised.diagnostic
                verdict: Verdict = "failed" if finding.code.startswith("TTL15") else "refused"
                return TunerTrial(
                    number=number, verdict=verdict, code=finding.code, why=finding.message, seconds=time.perf_counter() - begun
                )  # fmt: skip
            results = self._results()
        distances = [_distance(values, exact) for values, exact in zip(results, self._exact, strict=True)]
        right = all(
            distance.mean <= _MEAN * limit.mean and distance.worst <= _WORST * limit.worst
            for distance, limit in zip(distances, self._limits(), strict=True)
        )
        error = max((distance.mean for distance in distances), default=0.0)
        why = "" if right else f"its results are {error:.1e} from the exact ones, relative to them"
        return TunerTrial(
            number=number,
            verdict="measured" if right else "wrong",
            cycles=cycles,
            l1_bytes=l1_bytes,
            error=error,
            why=why,
            seconds=time.perf_counter() - begun,
        )

    def _limits(self) -> list[_Distance]:
        """Return the error of a correct result for each tensor, which ``_MEAN`` and ``_WORST`` multiply.

        It is the largest of the error of the reference configuration, of one rounding to the tensor's type
        (``emu.tolerance``), and of the approximations that the program requests.
        """
        limits = []
        for (tensor, _), expected in zip(self._before.values(), self._expected, strict=True):
            step = max(rounding_of(tensor.dtype), self._approximated if tensor.dtype.is_float else 0.0)
            limits.append(_Distance(mean=max(expected.mean, step), worst=max(expected.worst, step)))
        return limits

    def _run(self, configuration: Configuration, limit: int | None, chosen: Settings) -> tuple[int, int]:
        args, kwargs = self._call(configuration)
        cycles = l1_bytes = 0
        for item in launches(self._operation, args, kwargs, current_chip(chosen), chosen):
            lowered = read_call(self._operation, item.args, item.kwargs)
            if not is_complete(lowered):
                raise ProgramError(*lowered.diagnostics)
            description = compile_read(lowered, chosen)
            tensors: Sequence[Tensor] = lowered.calls[0].tensors
            with contextlib.redirect_stdout(io.StringIO()):
                left = None if limit is None else limit - cycles
                cycles += run(description, tensors, limit=left).cycles
            l1_bytes = max(l1_bytes, description.l1_bytes)
        return cycles, l1_bytes

    def _simulated(self, configuration: Configuration, precision: str) -> list[Array]:
        args, kwargs = self._call(configuration)
        with (
            self._contents_put_back(),
            override(target="sim", precision=precision, compare=False, schedules=1),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            self._operation(*args, **kwargs)
            return self._results()

    def _call(self, configuration: Configuration) -> tuple[tuple[Any, ...], dict[str, Any]]:
        bound = self._operation.signature.bind_partial()
        bound.arguments.update({**self._arguments, **configuration})
        return bound.args, bound.kwargs

    def _keep(self, value: Any) -> None:
        """Remember the contents of a tensor, and of tensors in a container."""
        if isinstance(value, Tensor) and value.shards is not None:
            self._keep(value.shards)
        elif isinstance(value, Tensor):
            self._before.setdefault(id(value), (value, array_of(value).copy()))
        elif isinstance(value, list | tuple):
            for item in value:
                self._keep(item)

    def _results(self) -> list[Array]:
        return [tensor.dtype.load(array_of(tensor).copy()) for tensor, _ in self._before.values()]

    @contextlib.contextmanager
    def _contents_put_back(self) -> Iterator[None]:
        try:
            yield
        finally:
            for tensor, contents in self._before.values():
                writable_array(tensor)[...] = contents


def _distance(values: Array, exact: Array) -> _Distance:
    """Return the mean and worst error, relative to the exact values' root mean square and maximum.

    Infinities and NaN are left out; if they differ, both errors are infinite.
    """
    with np.errstate(all="ignore"):
        if not finite_alike(values, exact):
            return _Distance(mean=float("inf"), worst=float("inf"))
        usual = np.isfinite(exact)
        wanted = exact[usual].astype(np.float64)
        apart = np.abs(values[usual].astype(np.float64) - wanted)
        scale = float(np.sqrt(np.mean(wanted**2))) if wanted.size else 0.0
        largest = float(np.abs(wanted).max(initial=0.0))
        mean = float(np.sqrt(np.mean(apart**2))) if apart.size else 0.0
    worst = float(apart.max(initial=0.0))
    return _Distance(mean=mean / scale if scale else mean, worst=worst / largest if largest else worst)
