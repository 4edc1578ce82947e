"""Issue "One front end", part 1: the Python that it takes, each construct against Python itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import ttnn
from tests.frontend import constructs
from tests.support.ir_events import ir_events
from tests.support.python_events import python_events
from xdsl.dialects.builtin import ModuleOp

import ttl
from ttl.frontend.file import lower_file
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation

OPERATIONS = {
    value.function.__name__: value for value in vars(constructs).values() if isinstance(value, Operation)
}


def tensors() -> tuple[ttnn.Tensor, ...]:
    return tuple(ttnn.zeros((256, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(3))


def lowered(operation: Operation) -> tuple[ModuleOp, tuple[ttnn.Tensor, ...]]:
    arguments = tensors()
    result = lower_call(operation, arguments, {})
    assert [f"{each.code}: {each.message}" for each in result.diagnostics] == []
    assert all(call.complete for call in result.calls)
    result.module.verify()
    return result.module, arguments


@pytest.mark.parametrize("name", OPERATIONS)
def test_kernels_do_in_the_ir_what_they_do_in_python(name: str) -> None:
    operation = OPERATIONS[name]
    module, arguments = lowered(operation)
    (made,) = module.body.block.ops
    expected = python_events(operation, (2, 2), *arguments)
    found = ir_events(made)  # type: ignore[arg-type]
    for key, events in expected.items():
        assert found[key] == events, f"kernel {key[1]} on node {key[0]}"
    assert found.keys() == expected.keys()


def test_lowering_is_deterministic() -> None:
    operation = OPERATIONS["conditions"]
    first, second = (str(lowered(operation)[0]) for _ in range(2))
    assert first == second


def test_the_users_containers_are_not_changed() -> None:
    shared = [1, 2]

    @ttl.operation(grid=(1, 1))
    def grows(a: ttnn.Tensor) -> None:
        shared.append(3)
        dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            for row in shared:
                with dfb.reserve() as blk:
                    ttl.copy(a[row, 0], blk).wait()

    result = lower_call(grows, tensors()[:1], {})
    assert result.diagnostics == []
    assert shared == [1, 2]


def _branches(count: int) -> str:
    """A program in which a node chooses between two texts, again and again, and asks for them all afterwards."""
    chosen = [
        f"        if x == {i % 8} and y == {i // 8}:\n            side{i} = 'left'\n        else:\n            side{i} = 'right'\n"
        for i in range(count)
    ]
    asked = [f"        if side{i} == 'left':\n            k = k + {i}\n" for i in range(count)]
    return (
        "import ttl, ttnn\n@ttl.operation(grid=(8, 8))\ndef f(a):\n"
        "    d = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count=2)\n"
        "    @ttl.datamovement()\n    def r():\n        x, y = ttl.node(dims=2)\n        k = 0\n"
        + "".join((*chosen, *asked))
        + "        with d.reserve() as b:\n            ttl.copy(a[k, 0], b).wait()\n"
        "f(ttnn.zeros((2048, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))\n"
    )


def test_branches_whose_values_cannot_be_one_are_read_once(tmp_path: Path) -> None:
    """It was twice as much for each: 37 s for 13 of them."""
    read = []
    for count in (16, 32, 64):
        path = tmp_path / f"program{count}.py"
        path.write_text(_branches(count))
        (call,) = lower_file(str(path)).calls
        assert call.complete
        read.append(call.expressions)
    assert read[2] - read[1] == 2 * (read[1] - read[0])
