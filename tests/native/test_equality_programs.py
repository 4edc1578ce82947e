"""1,000 random correct programs give the same under every execution; 100 of them in ``make test``.

``scripts/random_programs.py`` runs more of them. Without the native core they are compared with the reference only.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from support.child import Child
from support.executions import needs_native
from support.random_programs.language.emit import device_text, live
from support.random_programs.language.execute import make_tensors
from support.random_programs.language.generate import generate
from support.random_programs.language.reference import INTEGERS
from support.random_programs.language.run import check_equality, check_replays
from support.shares import share
from ttl.host.access import byte_range

PROGRAMS, AT_ONCE = 1000, 20
# Not the seeds of test_against_reference.py.
FIRST = 10_000


@pytest.mark.one_of(2)
@pytest.mark.parametrize("start", share(range(FIRST, FIRST + PROGRAMS, AT_ONCE), 5))
def test_random_programs_give_the_same_however_they_are_executed(
    start: int, tmp_path: Path, python_core: Child | None
) -> None:
    wrong = []
    for seed in range(start, start + AT_ONCE):
        failure = check_equality(generate(seed), tmp_path, python_core)
        if failure is not None:
            wrong.append(f"seed {seed}: {failure.kind}\n{failure.text}\n{device_text(generate(seed))}")
    assert not wrong, "\n\n".join(wrong)


@needs_native
def test_most_programs_that_can_be_replayed_are(tmp_path: Path) -> None:
    """Refused for side effects, semaphores, and tensors that are read and written.

    And for integers, which NumPy computes: a tape holds tasks of the machine.
    """
    kept = suited = 0
    for seed in range(FIRST, FIRST + 200):
        program = live(generate(seed))
        read = {port.tensor for port in program.inputs}
        written = {port.tensor for port in program.outputs}
        aliased = any(spec.same_as or spec.overlaps for spec in program.tensors)
        integers = any(spec.dtype in INTEGERS for spec in program.tensors)
        if program.mesh or program.barrier or program.echo or aliased or integers or read & written:
            continue
        suited += 1
        failure, replays = check_replays(program, tmp_path)
        assert failure is None, f"seed {seed}: {failure.text}"
        kept += replays >= (1 if program.seed % 8 == 0 else 2)
    assert suited > 30
    assert kept > 0.8 * suited


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
def test_tensors_that_overlap_do_so_in_memory(dtype: str) -> None:
    """The generator's promise: what a program may not see is really there."""
    found = 0
    for seed in range(1200):
        program = live(generate(seed))
        for spec in program.tensors:
            if not spec.overlaps or spec.dtype != dtype or program.mesh:
                continue
            tensors = make_tensors(program, program.tensors, None, 0)
            (start, end), (first, last) = (byte_range(tensors[name]) for name in (spec.name, spec.overlaps))
            assert start < last
            assert first < end
            found += 1
    assert found > 2


def test_calls_have_data_of_their_own() -> None:
    program = live(generate(FIRST))
    first, second = (make_tensors(program, program.tensors, None, turn) for turn in (0, 1))
    name = program.inputs[0].tensor
    assert not np.array_equal(first[name].to_numpy(), second[name].to_numpy())
