"""What the programs of the benchmarks share: making tensors, checking the result, and timing oneself.

A program runs unchanged under any TT-Lang package, so this file and the programs use the language, ``ttnn`` as a
host program does, and torch; nothing of our implementation. Executed as a file, a program times its own launches and
prints one line, ``BENCH`` and a JSON object. What it shall do is in the variable BENCH_PROGRAM, a JSON object:

    parameters  keyword arguments of ``prepare``
    rounds      timed launches (default 3), after one that is not timed
    seconds     stop after this many seconds of them
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import ttl  # noqa: F401  (lets "import ttnn" find the host library where TT-NN is not installed)
import ttnn

VARIABLE = "BENCH_PROGRAM"
MARK = "BENCH "

# Norm of the error relative to the norm of the result. One rounding to bfloat16 gives 2**-9 or less.
TOLERANCE = 2.0**-7


@dataclass(kw_only=True)
class Program:
    """Inputs made, ready to launch.

    ``run`` is one launch (or a forward pass) and returns the tensor with the result; ``in_torch`` computes the same in
    eager bfloat16; ``expected`` is the result in float32 or better. ``renew`` puts a new, spoilt tensor where the
    result goes, so that a launch that writes nothing is noticed.
    """

    device: Any
    run: Callable[[], Any]
    in_torch: Callable[[], torch.Tensor]
    expected: Callable[[], torch.Tensor]
    renew: Callable[[], None] = lambda: None

    def error(self) -> float:
        """Launch into a new tensor; the norm of the error relative to the norm of the result."""
        self.renew()
        return relative_error(ttnn.to_torch(self.run()), self.expected())


def launched(
    device: Any,
    operation: Callable[..., Any],
    inputs: tuple[torch.Tensor, ...],
    shape: tuple[int, ...],
    *,
    more: tuple[Any, ...] = (),
    in_torch: Callable[..., torch.Tensor],
    expected: Callable[..., torch.Tensor] | None = None,
) -> Program:
    """``operation(*inputs, *more, y)`` with a ``y`` of this shape; ``in_torch`` and ``expected`` take the inputs.

    Without ``expected``, that is ``in_torch`` on float32.
    """
    tensors = [tiled(each, device) for each in inputs]
    result = [_spoilt(shape, device)]

    def run() -> Any:
        operation(*tensors, *more, result[0])
        return result[0]

    def renew() -> None:
        result[0] = _spoilt(shape, device)

    return Program(
        device=device,
        run=run,
        in_torch=lambda: in_torch(*inputs),
        expected=lambda: (expected or in_torch)(*(each.float() for each in inputs)),
        renew=renew,
    )


def relative_error(result: torch.Tensor, expected: torch.Tensor) -> float:
    """Norm of the error relative to that of the result."""
    expected = expected.float()
    return float((result.float() - expected).norm() / expected.norm())


def opened() -> Any:
    """The device."""
    return ttnn.open_device(device_id=0)


def random(*shape: int, seed: int, scale: float = 1.0) -> torch.Tensor:
    """Normal values in bfloat16."""
    return (scale * torch.randn(*shape, generator=torch.Generator().manual_seed(seed))).bfloat16()


def tiled(tensor: torch.Tensor, device: Any, dtype: Any = None) -> Any:
    """The tensor on the device, in tiles; bfloat16 unless another type is asked for."""
    return ttnn.from_torch(
        tensor, dtype=ttnn.bfloat16 if dtype is None else dtype, layout=ttnn.TILE_LAYOUT, device=device
    )


def _spoilt(shape: tuple[int, ...], device: Any) -> Any:
    # Filled, not zeros: memory that was never touched would count as memory of the launch
    return tiled(torch.full(shape, 777.0, dtype=torch.bfloat16), device)


def main(prepare: Callable[..., Program]) -> None:
    """Time the program by itself. Ends with status 1 if the result is wrong."""
    wanted = json.loads(os.environ.get(VARIABLE, "{}"))
    torch.set_num_threads(1)
    parameters = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in wanted.get("parameters", {}).items()
    }
    program = prepare(**parameters)
    error = program.error()
    cpu, wall = [], []
    until = time.perf_counter() + wanted.get("seconds", 60)
    for _ in range(wanted.get("rounds", 3)):
        cpu_began, wall_began = time.process_time(), time.perf_counter()
        program.run()
        cpu.append((time.process_time() - cpu_began) * 1e3)
        wall.append((time.perf_counter() - wall_began) * 1e3)
        if time.perf_counter() > until:
            break
    correct = error <= TOLERANCE
    print(MARK + json.dumps({"cpu_ms": cpu, "wall_ms": wall, "error": error, "correct": correct}), flush=True)
    ttnn.close_device(program.device)
    if not correct:
        raise SystemExit(1)
