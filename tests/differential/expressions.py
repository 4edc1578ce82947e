"""One expression of blocks as a program, run in the simulator and on the emulated chip."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from unittest import mock

import numpy as np
import ttnn

import ttl  # noqa: F401 - lets ``import ttnn`` find the host library
from ttl import settings
from ttl.codegen import compile as compiling

Array = Any

_PROGRAM = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1){options})
def op({names}):
{buffers}

    @ttl.compute()
    def compute():
        with {waits}:
{body}

    @ttl.datamovement()
    def read():
{reads}

    @ttl.datamovement()
    def write():
{writes}
"""


def run(
    body: str,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, tuple[int, ...]],
    folder: Path,
    *,
    dtypes: Mapping[str, str] | None = None,
    options: str = "",
) -> tuple[dict[str, Array], dict[str, Array]]:
    """What the statements leave in the outputs, in the simulator and on the chip.

    Tensors are one block each and bfloat16 unless ``dtypes`` says otherwise; ``outputs`` gives shapes in elements.
    Statements name the blocks as the tensors.
    """
    simulated, found = run_each(
        body, inputs, outputs, folder, ("sim", "0.81"), dtypes=dtypes, options=options
    )
    return simulated, found


def run_each(
    body: str,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, tuple[int, ...]],
    folder: Path,
    executions: Sequence[Literal["sim", "0.69", "0.81"]],
    *,
    dtypes: Mapping[str, str] | None = None,
    options: str = "",
) -> list[dict[str, Array]]:
    """The same for each of some executions: the simulator, and the chip with kernels for a generation of the API."""
    found = []
    path = folder / "program.py"
    path.write_text(_text(body, inputs, outputs, options))
    code = compile(path.read_text(), str(path), "exec")
    for execution in executions:
        scope: dict[str, Any] = {"__name__": "program"}
        exec(code, scope)
        arrays = {**inputs, **{name: np.zeros(shape, np.float32) for name, shape in outputs.items()}}
        tensors = {
            name: ttnn.from_numpy(
                np.array(array), getattr(ttnn, (dtypes or {}).get(name, "bfloat16")), layout=ttnn.TILE_LAYOUT
            )
            for name, array in arrays.items()
        }
        target = "sim" if execution == "sim" else "emu"
        written = mock.patch.object(compiling, "installed_generation", lambda execution=execution: execution)
        with settings.override(target=target), written:
            scope["op"](*tensors.values())
        found.append({name: np.array(ttnn.to_numpy(tensors[name])) for name in outputs})
    return found


def _text(
    body: str, inputs: Mapping[str, Array], outputs: Mapping[str, tuple[int, ...]], options: str
) -> str:
    shapes = {**{name: array.shape for name, array in inputs.items()}, **outputs}
    blocks = {name: _tiles(shape) for name, shape in shapes.items()}
    slices = {name: ", ".join(f"0:{extent}" for extent in block) for name, block in blocks.items()}
    statements = re.sub(rf"\b({'|'.join(shapes)})\b", r"\1_blk", textwrap.dedent(body).strip())
    return _PROGRAM.format(
        options=options,
        names=", ".join(shapes),
        buffers=_lines(
            1, (f"{name}_dfb = ttl.make_dataflow_buffer_like({name}, shape={block})" for name, block in blocks.items())
        ),
        waits=", ".join(
            [f"{name}_dfb.wait() as {name}_blk" for name in inputs]
            + [f"{name}_dfb.reserve() as {name}_blk" for name in outputs]
        ),
        body=_lines(3, statements.splitlines()),
        reads=_lines(
            2,
            (
                line
                for name in inputs
                for line in (
                    f"with {name}_dfb.reserve() as blk:",
                    f"    ttl.copy({name}[{slices[name]}], blk).wait()",
                )
            ),
        ),
        writes=_lines(
            2,
            (
                line
                for name in outputs
                for line in (
                    f"with {name}_dfb.wait() as blk:",
                    f"    ttl.copy(blk, {name}[{slices[name]}]).wait()",
                )
            ),
        ),
    )  # fmt: skip


def _tiles(shape: Sequence[int]) -> tuple[int, ...]:
    return (*shape[:-2], -(-shape[-2] // 32), -(-shape[-1] // 32))


def _lines(depth: int, lines: Any) -> str:
    return "\n".join("    " * depth + line for line in lines)
