"""Every example as one body, by ``ttl join``: the same results, messages and cycles; or why its kernels cannot be joined.

What is joined is divided into the same kernels again, or ``ttl join`` refuses it. So it is enough that small examples run
here; the others run with ``make test-all``.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from support.example_runs import run_example
from support.programs import run_ttl
from ttl.frontend.dividing import divided, with_one_body
from ttl.session import Session

EXAMPLES = Path(__file__).parents[2] / "examples"
_SEMAPHORES = "all movement of an operation with semaphores is on one mover"
# Examples that cannot be joined, and why.
REFUSED = {
    "semaphores_pingpong": _SEMAPHORES,
    "spec_many_to_one_barrier": _SEMAPHORES,
    "spec_one_to_many_barrier": _SEMAPHORES,
    "spec_ring_forward": "statements that only send into pipes are on one mover",
    "chips_all_gather_matmul": "statements that only send into pipes are on one mover",
    "gather_as_ready": "statements that only send into pipes are on one mover",
    "distributed_replicated": "statements that only send into pipes are on one mover",
    "distributed_softmax": "block own is used by the data movement thread and by the compute thread",
    "distributed_stencil": "statements that only send into pipes are on one mover",
    "distributed_transpose": "statements that only send into pipes are on one mover",
}
PROGRAMS = [
    path
    for path in sorted(EXAMPLES.glob("*.py"))
    if path.name != "checking.py" and "@ttl.datamovement" in path.read_text()
]
SMALL = {"spec_program"}
# The grids of these have devices of a mesh, which the compiler refuses.
NOT_EMULATED = {"spec_grid_size_node_mesh", "mesh_pipes_all_reduce"}
RUNS = [
    path if path.stem in SMALL else pytest.param(path, marks=pytest.mark.long)
    for path in PROGRAMS
    if path.stem not in REFUSED
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_kernels_of_an_example_are_joined(program: Path) -> None:
    with Session().entered():
        _, bodies = with_one_body(str(program))
    assert bodies
    findings = [joined.finding.message for _, joined in bodies if joined.finding is not None]
    if program.stem in REFUSED:
        assert [REFUSED[program.stem] in message for message in findings] == [True] * len(bodies)
    else:
        assert findings == []


@pytest.mark.parametrize("program", RUNS, ids=lambda path: path.stem)
def test_an_example_as_one_body_gives_the_same(program: Path, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "checking.py", tmp_path)
    shutil.copy(program, tmp_path / "kernels.py")
    assert run_ttl(["join", "kernels.py", "-o", "body.py"], folder=tmp_path).status == 0
    with Session().entered():
        _, bodies = divided(str(tmp_path / "body.py"))
        _, kernels = with_one_body(str(tmp_path / "body.py"))
    assert bodies and not kernels
    one, other = (run_example(str(tmp_path / name), {})[0] for name in ("kernels.py", "body.py"))
    assert one
    for before, after in zip(one, other, strict=True):
        for expected, result in zip(before, after, strict=True):
            np.testing.assert_array_equal(result, expected)
    if program.stem in NOT_EMULATED:
        return
    sys.modules.pop("checking", None)  # which knows by when it is imported whether a chip is judged
    launches, printed = [], []
    for name in ("kernels.py", "body.py"):
        outcome = run_ttl(["profile", "-o", "profile.json", name], folder=tmp_path)
        assert outcome.status == 0, outcome.stderr
        said = outcome.stdout.partition("PCC")[0]  # which torch sums in any order
        printed.append(re.sub(r"in [\d.]+ s\b", "", said))
        text = (tmp_path / "profile.json").read_text()
        launches.append([json.loads(line)["cycles"] for line in text.splitlines()])
    assert (launches[0], printed[0]) == (launches[1], printed[1])
