"""Judges a program's results: against a reference function, or against arrays that the program compares them with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ttl.rows.dtypes import Array
from ttl.score.arrays import load, named, save
from ttl.score.comparing import compared, distance, other_shapes, wrong_stage
from ttl.score.processes import Answer
from ttl.score.references import ScoreReference, declared_reference
from ttl.score.runs import ScoringRuns
from ttl.score.stages import ScoreStage


@dataclass(frozen=True, kw_only=True, slots=True)
class Correctness:
    """The stage ``right``, the results of trials on the emulated chip (if any), and a description of the reference."""

    stage: ScoreStage
    tried: Mapping[str, Any] | None
    reference: Mapping[str, Any]


def correctness(runs: ScoringRuns, read: Mapping[str, Any], plain: Answer, text: str) -> Correctness:
    """Judge the results of the calls that were read; ``plain`` is a run of the program, ``text`` its source."""
    return _Correctness(runs, read).judged(plain, text)


@dataclass(slots=True)
class _Correctness:
    _runs: ScoringRuns
    _read: Mapping[str, Any]
    _reference: dict[str, Any] = field(default_factory=dict)

    def judged(self, plain: Answer, text: str) -> Correctness:
        request = self._runs.request
        operations = [call["operation"] for call in self._read["calls"]]
        reference = request.reference or declared_reference(request.program, text, operations)
        if reference is not None:
            kind = reference.kind
            tried, stage = self._by_function(plain, reference)
        else:
            kind = "compared"
            tried, stage = self._by_comparison()
        return Correctness(stage=stage, tried=tried, reference={"kind": kind, **self._reference})

    def _by_function(
        self, plain: Answer, reference: ScoreReference
    ) -> tuple[Mapping[str, Any] | None, ScoreStage]:
        functions = [reference.function_for(call["operation"]) for call in self._read["calls"]]
        self._reference |= {
            "file": os.path.basename(reference.file),
            "functions": sorted({name for name in functions if name is not None}),
        }
        if not any(functions):
            return None, wrong_stage("the reference is for an operation that the program does not call")
        inputs = self._made(reference, plain)
        if isinstance(inputs, ScoreStage):
            return None, inputs
        trials = self._runs.tried(inputs=inputs, simulated=plain.arrays)
        answer, data = trials.answer, trials.data
        if data is None:
            return None, wrong_stage(trials.why)
        calls = [
            {**call, "function": function} for call, function in zip(data["calls"], functions, strict=True)
        ]
        missing = other_shapes(calls, reference)
        if missing:
            return data, wrong_stage(missing)
        # Without the results of the kernels, which a reference could return.
        given = self._runs.processes.path("inputs.npz")
        save(given, {name: values for name, values in load(answer.arrays).items() if "|input|" in name})
        said = self._runs.refereed(
            reference.file, {"whole": reference.kind == "given", "inputs": given, "calls": calls}, [given]
        )
        problem = said.why_nothing if said.data is None else said.data.get("problem")
        if problem:
            return data, wrong_stage(
                f"the reference fails: {problem}", "a reference takes and returns NumPy arrays"
            )
        assert said.data is not None
        for call, flops in zip(data["calls"], said.data["flops"], strict=True):
            call["flops"] = flops
        expected = load(said.arrays)
        return data, compared(
            self._read,
            data,
            load(answer.arrays),
            expected,
            "",
            need_depends=True,
            tolerance=self._runs.request.tolerance,
        )

    def _made(self, reference: ScoreReference, plain: Answer) -> str | ScoreStage | None:
        """A file of inputs, None for normally distributed inputs, or the reason why there are no inputs."""
        if reference.kind == "declared":
            # The program's own numbers in another order: properties that it needs (positive, an index) are kept.
            try:
                arrays = load(plain.arrays)
            except ValueError as problem:
                return wrong_stage(str(problem))
            generator = np.random.default_rng(self._runs.seed)
            shuffled = {}
            for name, values in arrays.items():
                if "|before|" in name and values.size and (values != values.flat[0]).any():
                    shuffled[name] = generator.permutation(values.reshape(-1)).reshape(values.shape)
            path = self._runs.processes.path("shuffled.npz")
            save(path, shuffled)
            return path
        if not reference.has_inputs:
            return None
        trials = self._runs.tried()
        if trials.data is None:
            return wrong_stage(trials.why)
        task = {"whole": True, "make": True, "seed": self._runs.seed, "calls": trials.data["calls"]}
        said = self._runs.refereed(reference.file, task)
        why = said.why_nothing if said.data is None else said.data.get("problem", "")
        return wrong_stage(f"the inputs of the reference fail: {why}") if why else said.arrays

    def _by_comparison(self) -> tuple[Mapping[str, Any] | None, ScoreStage]:
        salt = self._runs.seed | 1
        run = self._runs.witnessed(self._read, salt=salt)
        advice = (
            "compare the result with torch or NumPy (assert_close, allclose, result - expected), declare a function 'reference' in the "
            "program, or give one with --reference"
        )
        if run.data is None:
            return None, wrong_stage(f"with other random numbers: {run.why_nothing}", advice)
        references = [(int(call), int(index)) for call, index in run.data.get("references", ())]
        trials = self._runs.tried(inputs=run.arrays, simulated=run.arrays)
        answer, data = trials.answer, trials.data
        if data is None:
            return None, wrong_stage(trials.why)
        if not references:
            return data, wrong_stage("no result of an operation is compared with anything", advice)
        try:
            arrays = load(run.arrays)
            last = max(call for call, _ in references)
            spoilt = self._runs.witnessed(self._read, salt=salt, spoil=last)
            others = load(spoilt.arrays)
        except ValueError as problem:
            return data, wrong_stage(f"it is not known what the program compares: {problem}", advice)
        independent = {array.tobytes() for name, array in others.items() if "|reference " in name}
        expected: dict[str, Array] = {}
        dependent = 0
        results = load(answer.arrays)
        for number, (call, index) in enumerate(references):
            values = arrays.get(named(call, str(index), f"reference {number}"))
            if values is None or call >= len(data["calls"]) or index >= len(data["calls"][call]["tensors"]):
                continue
            if values.tobytes() not in independent:
                dependent += 1
                continue
            tensor = data["calls"][call]["tensors"][index]["name"]
            name = named(call, tensor, "expected")
            # A program may compare a result with several arrays; the closest one is taken as its reference.
            if name in expected and distance(results, call, tensor, expected[name]) <= distance(
                results, call, tensor, values
            ):
                continue
            expected[name] = values
        if not expected:
            return data, wrong_stage(
                "the expected values are computed from the results themselves"
                if dependent
                else "nothing is compared with a result",
                advice,
            )
        return data, compared(
            self._read,
            data,
            results,
            expected,
            advice,
            own=True,
            need_depends=True,
            tolerance=self._runs.request.tolerance,
        )
