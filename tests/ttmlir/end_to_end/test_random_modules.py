"""Random modules through compile, binary and simulated device, every operation beside the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support.ttmlir_models import compiled, golden_run
from ttmlir.reference.random_modules import RandomModule, random_module
from ttmlir.runtime.numbers import host_dtype, is_integer
from ttrt.binary import Binary
from ttrt.runtime.api import prepared

# Of 1,260 modules, those that once did not agree: weights of a convolution that are computed, strides that say nothing, a
# concatenation of rows and tiles, a negative number in an unsigned tensor, the sign of what is no number.
ONCE_WRONG = (164, 246, 613, 35, 53)


def inputs_of(module: RandomModule, binary: Binary, index: int) -> list[Any]:
    program = prepared(binary, index)
    given = []
    for values, described in zip(module.inputs(program.name), program.inputs, strict=True):
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        whole = tensor.to(torch.int64) if is_integer(described.data_type) else tensor
        given.append(whole.to(host_dtype(described.data_type)))
    return given


def check(seed: int) -> None:
    module = random_module(seed)
    binary = compiled(module.text)
    ran = 0
    for index, program in enumerate(binary.programs):
        if program["name"] in module.functions:
            run = golden_run(binary, index, inputs_of(module, binary, index))
            assert run.complaint() == "", f"seed {seed}, {program['name']}: {run.complaint()}"
            ran += 1
    assert ran == len(module.functions)


@pytest.mark.parametrize("part", range(5))
def test_random_modules_give_what_the_reference_says(part: int) -> None:
    for seed in range(5000 + 12 * part, 5000 + 12 * (part + 1)):
        check(seed)


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_modules_that_were_wrong_once(seed: int) -> None:
    check(seed)
