"""Sends that are waited for after something else: the emulated chip does what the simulator does, and never hangs."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.programs import run_ttl

PROGRAM = """
import torch
import ttnn
import ttl

TURNS = COUNT


@ttl.operation(grid=(4, 1))
def ring(x: ttnn.Tensor, y: ttnn.Tensor) -> None:
    net = ttl.PipeNet([ttl.Pipe((i, 0), ((i + 1) % 4, 0)) for i in range(4)])
    own_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    got_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def exchange():
        for turn in range(TURNS):
            with own_dfb.reserve() as own, got_dfb.reserve() as got:
                ttl.copy(x[node, turn], own).wait()

                def receive(pipe):
                    ttl.copy(pipe, got).wait()

                def send(pipe):
                    xf = ttl.copy(own, pipe)
                    ttl.copy(own, y[node, TURNS + turn]).wait()
                    net.if_dst(receive)
                    xf.wait()

                net.if_src(send)

    @ttl.datamovement()
    def write():
        for turn in range(TURNS):
            with own_dfb.wait() as own, got_dfb.wait() as got:
                ttl.copy(got, y[node, turn]).wait()
                ttl.copy(own, y[node, 2 * TURNS + turn]).wait()


def to_device(tensor):
    return ttnn.from_torch(tensor, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)


device = ttnn.open_device(device_id=0)
x = torch.randint(-9, 9, (128, 32 * TURNS)).float()
y = to_device(torch.zeros(128, 96 * TURNS))
ring(to_device(x), y)
passed_on = x.reshape(4, 32, -1).roll(1, 0).reshape(128, -1)
assert torch.equal(ttnn.to_torch(y).float(), torch.cat([passed_on, x, x], 1))
print("equal")
"""


@pytest.mark.parametrize("turns", [1, 5])
def test_a_node_receives_between_a_send_and_its_wait(tmp_path: Path, turns: int) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("COUNT", str(turns)))
    for target in ("sim", "emu"):
        found = run_ttl(["run", "--target", target, str(program)], folder=tmp_path)
        assert found.stdout.strip().endswith("equal"), found.stdout + found.stderr
