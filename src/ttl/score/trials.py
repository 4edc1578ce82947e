"""The kernels of a call on the emulated chip: with hidden inputs, in several orders, and in memory full of garbage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ttl import settings
from ttl.arch import Chip
from ttl.codegen.description import ProgramDescription
from ttl.emu.advice.launching import advised
from ttl.emu.advice.trial import Recompiler
from ttl.emu.launch import ChipRun, run
from ttl.emu.profile import profile
from ttl.emu.profile_json import to_object as profile_object
from ttl.emu.tolerance import differing, largest_of
from ttl.frontend.lowered import Specialisation
from ttl.host.access import array_of, writable_array
from ttl.host.tensor import Tensor
from ttl.rows.comparison import equal
from ttl.rows.dtypes import Array
from ttl.score.arrays import load, named, save

_RUBBISH_SEEDS = (11, 12)
# The bound of random integers: small enough to be valid indices of most tensors.
_INTEGERS = 32
# The keys of a profile that a score has.
_KEPT = ("cycles", "headline", "verdict", "bound_by", "roof", "dram_bytes", "dram_unique_bytes", "advice")


class KernelTrials:
    """The trials of all calls; their inputs and results are kept in a file."""

    def __init__(self, task: Mapping[str, Any], chip: Chip) -> None:
        """Set up trials. ``task`` has ``seed`` for random inputs, ``inputs``, a file of arrays to use instead,
        ``simulated``, a file of arrays before and after the calls in the simulator, ``orders``, the number of orders
        to try, and ``arrays``, the file for inputs and results.
        """
        self._task = task
        self._chip = chip
        self._inputs = load(task["inputs"]) if task.get("inputs") else {}
        self._simulated = load(task["simulated"]) if task.get("simulated") else {}
        self._kept: dict[str, Array] = {}

    def save(self) -> None:
        """Write the inputs and the results of the kernels."""
        save(self._task["arrays"], self._kept)

    def tried(
        self,
        number: int,
        call: Specialisation,
        description: ProgramDescription,
        recompiler: Recompiler | None = None,
    ) -> dict[str, Any]:
        """Run all trials of a call, and add advice, part of which is tested with ``recompiler``.

        Raises ``ProgramError`` TTL15xx when the first trial fails.
        """
        tensors = _tensors(call)
        names = _names(description, tensors)
        given = self._given(number, names, tensors)
        first, result = self._run(description, tensors, given, recompiler, recorded=True)
        outputs = [
            described.name
            for described, written in zip(description.tensors, first.written, strict=True)
            if written
        ]
        for name in names:
            self._kept[named(number, name, "input")] = given[name]
            if name in outputs:
                self._kept[named(number, name, "result")] = result[name]
        answer: dict[str, Any] = {
            "tensors": [
                {
                    "name": name,
                    "shape": list(tensor.shape),
                    "dtype": tensor.dtype.name,
                    "written": name in outputs,
                    "bytes": int(np.prod(tuple(tensor.shape), dtype=np.int64)) * tensor.dtype.bits // 8,
                }
                for name, tensor in zip(names, tensors, strict=True)
            ],
            "outputs": outputs,
            "l1_bytes": description.l1_bytes,
            "elsewhere": {},
        }
        item = profile_object(profile(first, self._chip, description))
        answer["profile"] = {name: item[name] for name in _KEPT}

        def same(**chosen: Any) -> str:
            with settings.override(**chosen):
                return _differ(outputs, result, self._run(description, tensors, given)[1])

        answer["rubbish"] = [text for seed in _RUBBISH_SEEDS if (text := same(emu_hostile=seed))]
        answer["orders"] = [text for seed in range(1, self._task["orders"]) if (text := same(emu_seed=seed))]
        inputs = [name for name in names if name not in outputs]
        other = {name: values if name in outputs else _rearranged(values) for name, values in given.items()}
        answer["depends"] = not inputs or bool(
            _differ(outputs, result, self._run(description, tensors, other)[1])
        )
        started = {name: values + 1 if name in outputs else values for name, values in given.items()}
        again = self._run(description, tensors, started)[1]
        answer["left"] = [name for name in outputs if _is_left(given[name], result[name], again[name])]
        answer["copies"] = _copied(outputs, inputs, given, result)
        answer["simulated"] = self._as_simulated(number, description, tensors, names, outputs)
        return answer

    def again(self, number: int, call: Specialisation, description: ProgramDescription) -> str:
        """Run the same call for another target on the same inputs; return the tensor that differs, or an empty text."""
        tensors = _tensors(call)
        names = _names(description, tensors)
        given = {name: self._kept[named(number, name, "input")] for name in names}
        _, result = self._run(description, tensors, given)
        for name, tensor in zip(names, tensors, strict=True):
            expected = self._kept.get(named(number, name, "result"))
            if expected is not None and _apart(tensor, result[name], expected):
                return f"{name} differs"
        return ""

    def _as_simulated(
        self,
        number: int,
        description: ProgramDescription,
        tensors: Sequence[Tensor],
        names: Sequence[str],
        outputs: Sequence[str],
    ) -> str | None:
        """Compare with the simulator's results for its inputs: the difference, or empty; None if these are unknown."""
        given, expected = {}, {}
        for index, (name, tensor) in enumerate(zip(names, tensors, strict=True)):
            before = self._simulated.get(named(number, str(index), "before"))
            after = self._simulated.get(named(number, str(index), "after"))
            if before is None or after is None:
                return None
            shape = array_of(tensor).shape
            if before.size != int(np.prod(shape)) or after.size != before.size:
                return f"{name} has another shape in the run"
            given[name], expected[name] = before.reshape(shape), after.reshape(shape)
        _, result = self._run(description, tensors, given)
        for name, tensor in zip(names, tensors, strict=True):
            if name in outputs and _apart(tensor, result[name], expected[name]):
                return f"{name} differs from the simulator's"
        return ""

    def _given(self, number: int, names: Sequence[str], tensors: Sequence[Tensor]) -> dict[str, Array]:
        """Return the initial values of the tensors, as numbers of their types."""
        generator = np.random.default_rng([self._task["seed"], number])
        result = {}
        for index, (name, tensor) in enumerate(zip(names, tensors, strict=True)):
            shape = array_of(tensor).shape
            values = self._inputs.get(named(number, name, "input"))
            if values is None:
                values = self._inputs.get(named(number, str(index), "before"))
            if values is None:
                if tensor.dtype.is_float:
                    values = generator.standard_normal(shape)
                else:
                    values = generator.integers(0, _INTEGERS, shape)
            elif values.size != int(np.prod(shape)):
                raise ValueError(f"{values.shape} values for {name}, which has {shape}")
            dtype = tensor.dtype
            wide = np.float32 if dtype.is_float else np.int64
            result[name] = dtype.load(dtype.store(values.reshape(shape).astype(wide))).copy()
        return result

    def _run(
        self,
        description: ProgramDescription,
        tensors: Sequence[Tensor],
        given: Mapping[str, Array],
        recompiler: Recompiler | None = None,
        *,
        recorded: bool = False,
    ) -> tuple[ChipRun, dict[str, Array]]:
        names = _names(description, tensors)
        for name, tensor in zip(names, tensors, strict=True):
            writable_array(tensor)[...] = tensor.dtype.store(given[name])
        if recorded:
            outcome = advised(description, tensors, self._chip, recompiler=recompiler)
        else:
            outcome = run(description, tensors)
        return outcome, {
            name: tensor.dtype.load(array_of(tensor).copy()).copy()
            for name, tensor in zip(names, tensors, strict=True)
        }


def _tensors(call: Specialisation) -> list[Tensor]:
    """The tensors of a call; on a mesh, the shards of its first device."""
    return [tensor if tensor.shards is None else tensor.shards[0] for tensor in call.tensors]


def _names(description: ProgramDescription, tensors: Sequence[Tensor]) -> list[str]:
    known = {tensor.index: tensor.name for tensor in description.tensors}
    return [known.get(index, f"tensor {index}") for index in range(len(tensors))]


def _rearranged(values: Array) -> Array:
    """Return the numbers in another order; if all are equal, other numbers."""
    if values.size and (values == values.flat[0]).all():
        return values + 1
    return values.reshape(-1)[::-1].reshape(values.shape)


def _differ(outputs: Sequence[str], expected: Mapping[str, Array], result: Mapping[str, Array]) -> str:
    """The first output whose values differ (``equal``); empty if all are the same."""
    return next((name for name in outputs if not equal(expected[name], result[name])), "")


def _is_left(before: Array, result: Array, again: Array) -> bool:
    """Whether a call leaves a part of a tensor as it was, and that part does not look like cleared memory (one number).

    ``again`` is the result if every element was larger by one before the call.
    """
    left = before[(result == before) & (again != result)]
    return bool(left.size) and bool((left != left.flat[0]).any())


def _apart(tensor: Tensor, values: Array, expected: Array) -> bool:
    return bool(differing(values, expected, tensor.dtype, largest_of(expected)).any())


def _copied(
    outputs: Sequence[str], inputs: Sequence[str], given: Mapping[str, Array], result: Mapping[str, Array]
) -> list[str]:
    """The outputs whose results are equal to an input."""
    return [
        name
        for name in outputs
        if any(
            given[other].size == result[name].size
            and equal(given[other].reshape(-1), result[name].reshape(-1))
            for other in inputs
        )
    ]
