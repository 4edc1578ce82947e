"""Random modules through compile, binary and simulated device, every operation beside the reference.

There are 800 of them, ten in a file: what a file costs beside its functions (the description of the system, read and written,
the passes' beginnings) is paid once for ten. Each function is compared by itself, and named with its seed where it is wrong.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from support.shares import share

torch = pytest.importorskip("torch")
from support.optimized import inputs_of
from support.random_programs.ttir.modules import (
    Profile,
    RandomModule,
    random_module,
    text_of_all,
    varied_profile,
)
from support.random_programs.ttir.operations import FURTHER_OPERATIONS, OPERATIONS
from support.ttmlir_models import compiled, golden_run
from tt_model.binaries.reference import ReferenceModules
from tt_model.binaries.submission import prepared
from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.runtime.tensors import TensorDescription, description_of
from ttrt.binary import Binary

# Of 1,260 modules, those that once did not agree: weights of a convolution that are computed, strides that say nothing, a
# concatenation of rows and tiles, a negative number in an unsigned tensor, the sign of what is no number.
ONCE_WRONG = (164, 246, 613, 35, 53)
IN_A_FILE = 10


@pytest.fixture(autouse=True, scope="module")
def _lean() -> Iterator[None]:
    """Modules are many small objects: looking for cycles among them again and again is a fifth of the time, and threads that
    share a tensor of a hundred elements wait more than they compute."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()
    torch.set_num_threads(threads)


def check(modules: Sequence[RandomModule]) -> Binary:
    """Compile modules as one, run all their functions. At most one may lose so many places that no operation is to blame."""
    gc.collect()
    binary = compiled(text_of_all(modules))
    texts = ReferenceModules(binary)
    functions = {name: module for module in modules for name in module.functions}
    ran: list[str] = []
    lost: list[str] = []
    for index, program in enumerate(binary.programs):
        module = functions.get(program["name"])
        if module is not None:
            run = golden_run(texts, index, inputs_of(module, prepared(binary, index)))
            what = f"{program['name']}, seed {module.seed}"
            assert run.report.leaks == [] and run.golden.stopped == "", f"{what}: {run.report.leaks}"
            assert run.report.warnings == [], f"{what}: a strict run refuses it: {run.report.warnings[0]}"
            bad = run.golden.to_blame()
            assert bad == [], f"{what}: {bad[0].report(0.99)}"
            lost += [what] if run.complaint() else []
            ran.append(program["name"])
    assert ran == list(functions) and len(lost) <= 1, lost
    return binary


def of(seeds: range, profile_of: Any) -> list[RandomModule]:
    return [random_module(seed, profile_of(seed), suffix=f"_{seed}") for seed in seeds]


def _default(seed: int) -> Profile | None:
    return None


@pytest.mark.one_of(3)
@pytest.mark.parametrize("profile_of", [_default, varied_profile])
@pytest.mark.parametrize("part", share(range(40), 5))
def test_random_modules_give_what_the_reference_says(part: int, profile_of: Any) -> None:
    check(of(range(5000 + IN_A_FILE * part, 5000 + IN_A_FILE * (part + 1)), profile_of))


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_modules_that_were_wrong_once(seed: int) -> None:
    check([random_module(seed)])


def _results(binary: Binary) -> Iterator[TensorDescription]:
    for program in binary.programs:
        for operation in program["operations"]:
            out = operation["type"].get("out", {})
            if "desc" in out:
                yield description_of(out)


def test_they_have_all_operations_types_and_memories_that_there_are() -> None:
    """Of the 250 modules that are varied; counted without running them."""
    modules = of(range(5000, 5250), varied_profile)
    text = text_of_all(modules)
    # ``residual`` and its like are made of other operations.
    missing = [name for name in OPERATIONS if f'"ttir.{name}"' not in text]
    assert missing == [] and set(FURTHER_OPERATIONS) == {"dilated_conv2d", "residual", "to_narrow"}
    results = list(_results(compiled(text_of_all(modules[::6]))))
    lain = {
        (one.config.buffer_type, one.config.memory_layout, one.tiled)
        for one in results
        if one.config is not None
    }
    kinds = [
        TensorMemoryLayout.HeightSharded,
        TensorMemoryLayout.WidthSharded,
        TensorMemoryLayout.BlockSharded,
    ]
    assert lain >= {(BufferType.L1, kind, True) for kind in (*kinds, TensorMemoryLayout.Interleaved)}
    assert lain >= {
        (memory, TensorMemoryLayout.Interleaved, False) for memory in (BufferType.L1, BufferType.DRAM)
    }
    types = {one.data_type for one in results}
    assert types == {DataType.Float32, DataType.BFloat16, DataType.UInt32, DataType.UInt16, DataType.UInt8}
