"""Random models over integers, compiled and run beside the framework itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.integer_models import Framework, IntegerModel, JaxFunctions, TorchFunctions, integer_model
from tt_model.runtime.problems import RuntimeProblem

# Models of which one function is made: tracing and compiling have a price of their own.
_TOGETHER = 5


@dataclass
class Verdict:
    """How many models were taken, why the others were not, and what was wrong."""

    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        refused = "; ".join(f"{count} refused: {reason}" for reason, count in self.refused.most_common())
        return f"{self.accepted} accepted; {refused or 'none refused'}"


class _Refused(Exception):
    pass


def judged(framework: Framework, seeds: range, steps: int) -> Verdict:
    """The models of these seeds beside the framework."""
    verdict = Verdict()
    for first in range(seeds.start, seeds.stop, _TOGETHER):
        several = [
            integer_model(seed, framework, steps) for seed in seeds if first <= seed < first + _TOGETHER
        ]
        try:
            _compare(framework, several, verdict)
        except _Refused:
            for one in several:
                try:
                    _compare(framework, [one], verdict)
                except _Refused as problem:
                    verdict.refused[str(problem)] += 1
    return verdict


def _compare(framework: Framework, models: Sequence[IntegerModel], verdict: Verdict) -> None:
    """Raises ``_Refused`` where the compiler, or the model for its inputs, says that it does not."""
    if framework == "torch":
        expected, given = _of_torch(models)
    else:
        import jax

        with jax.enable_x64(framework == "jax64"):
            expected, given = _of_jax(models, "int64" if framework == "jax64" else "int32")
    at = 0
    for model in models:
        count = len(model.steps)
        for step, wanted, got in zip(
            model.steps, expected[at : at + count], given[at : at + count], strict=True
        ):
            if not _is_same(wanted, got):
                numbers = "\n".join(f"v{index}: {one.tolist()}" for index, one in enumerate(model.inputs))
                verdict.wrong.append(
                    f"{step} of\n{model.text()}\n{numbers}\ngives {got.tolist()}, and {framework} {wanted.tolist()}"
                )
                break
        at += count
    verdict.accepted += len(models)


def _is_same(wanted: Any, got: Any) -> bool:
    return wanted.dtype == got.dtype and np.array_equal(wanted, got, equal_nan=wanted.dtype.kind == "f")


def _all_of(models: Sequence[IntegerModel], functions: Any, given: Sequence[Any]) -> tuple[Any, ...]:
    results: list[Any] = []
    at = 0
    for model in models:
        count = len(model.inputs)
        results += model(functions, given[at : at + count])
        at += count
    return tuple(results)


def _inputs(models: Sequence[IntegerModel]) -> list[np.ndarray[Any, Any]]:
    return [one for model in models for one in model.inputs]


def _of_jax(models: Sequence[IntegerModel], places: str) -> tuple[list[Any], list[Any]]:
    import jax

    import ttmlir.jax

    def function(*given: Any) -> tuple[Any, ...]:
        return _all_of(models, JaxFunctions(places), given)

    inputs = _inputs(models)
    # With its fusions XLA of jaxlib 0.10.2 ends in a segmentation fault on the model of seed 91.
    alone = jax.jit(function, compiler_options={"xla_cpu_use_fusion_emitters": False})
    expected = [np.asarray(one) for one in alone(*inputs)]
    given = _of_ours(lambda: ttmlir.jax.compile(function, *inputs), inputs)
    if not all(map(_is_same, expected, given)):
        # Of a whole function XLA makes what JAX does not say: abs(x * x) is x * x there, also where it wraps below zero.
        expected = [np.asarray(one) for one in function(*map(jax.numpy.asarray, inputs))]
    return expected, given


def _of_torch(models: Sequence[IntegerModel]) -> tuple[list[Any], list[Any]]:
    import torch

    import ttmlir.torch

    class Model(torch.nn.Module):
        def forward(self, *given: Any) -> tuple[Any, ...]:
            return _all_of(models, TorchFunctions(), given)

    inputs = [torch.from_numpy(one) for one in _inputs(models)]
    expected = [one.numpy() for one in Model()(*inputs)]
    return expected, _of_ours(lambda: ttmlir.torch.compile(Model(), *inputs), inputs)


def _of_ours(compile_: Callable[[], Any], inputs: Sequence[Any]) -> list[Any]:
    import ttmlir

    try:
        compiled = compile_()
        given = [np.asarray(one) for one in compiled(*inputs)]
    except ttmlir.CompileError as problem:
        raise _Refused(_reason(problem)) from None
    except RuntimeProblem as problem:
        if problem.code != "TTL1711":
            raise
        raise _Refused("inputs for which int64 may need more than 32 bits") from None
    # A strict run takes the binary: no operation gets what one on a card may refuse.
    assert not compiled.report.warnings, compiled.report.warnings[0]
    return given


def _reason(problem: Exception) -> str:
    """What is wrong, without places and numbers."""
    lines = [line.strip() for line in str(problem).splitlines()]
    notes = [line.partition("note: ")[2].split(": ", 1)[-1] for line in lines if "note: " in line]
    said = notes or [line.split(": ", 2)[-1] for line in lines if "aten" in line] or lines
    return re.sub(r"\d+", "n", said[0])
