"""Every tile function that a row of the table of operations names, against the arithmetic of the row."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from emu.harness import GENERATIONS, OUT, Values, compute
from ttl.emu import compiler
from ttl.emu.program import ChipKernel, Program
from ttl.kernel_api import CALLS
from ttl.kernel_api.function_rows import Applied
from ttl.kernel_api.tiles import init_of, use_of
from ttl.rows.dtypes import BFLOAT16, FLOAT32, INT32, UINT16, UINT32, DType
from ttl.rows.row import Generation, Op, Params, TileCall
from ttl.rows.table import OPS
from ttl.rows.types import BlockType, Layout

DTYPES = (FLOAT32, BFLOAT16, INT32, UINT32, UINT16)
PARAMS = {
    "upper_limit": 1.5, "lower_limit": 0.5, "slope": 0.25, "alpha": 2.0, "alpha_recip": 0.5, "beta": 2.0,
    "beta_reciprocal": 0.5, "threshold": 1.0, "scale": 1.0, "min": -0.75, "max": 1.25, "value": 2.0,
}  # fmt: skip
# Rows with a shape or an element type of their own, which other tests have.
# Tested where what surrounds them is.
ELSEWHERE = {"fill", "typecast", "reduce_sum", "reduce_max"}
NUMBER = 3
_KINDS = {"unary", "dst", "scalar", "ternary"}


def calls(generation: Generation, dtype: DType) -> Iterator[tuple[Op, TileCall, Params]]:
    for row in OPS:
        if row.name in ELSEWHERE:
            continue
        for call in row.hardware.get(generation, ()):
            if call.form not in _KINDS or dtype not in call.dtypes:
                continue
            whole = {name: float(round(value)) for name, value in PARAMS.items()}
            given = PARAMS if dtype.is_float else whole
            params = tuple(
                given[param.name] if param.default is ... else param.default for param in row.params
            )
            if call.serves is not None and not call.serves(params):
                continue
            if call.form == "scalar" and call.numbers is not None and not call.numbers(NUMBER):
                continue
            yield row, call, params


def filled(call: TileCall, generation: Generation, params: Mapping[str, Any], dtype: DType) -> str:
    """The C++ of a call and its init, with operands in tiles 0, 1 and 2 of DST, and the result in tile 0."""
    registers = {"d": "0", "d0": "0", "d1": "1", "d2": "2"}
    text = ""
    for use in filter(None, (init_of(call), use_of(call))):
        operands = [registers[each.name] for each in use.call.operands]
        constants = {
            each.name: dtype if slot.kind == "format" else params.get(slot.name, NUMBER)
            for each, slot in zip(use.call.constants, use.sources, strict=True)
        }
        text += "".join(f"{each}; " for each in use.call.spell(generation, operands, constants))
    return text


def inputs(dtype: DType) -> list[Values]:
    random = np.random.default_rng(11)
    if dtype.is_float:
        found = [random.uniform(-3, 3, (32, 32)).astype(np.float32) for _ in range(3)]
        found[0][0, :8] = [0, 1, -1, 2, 0.5, -0.5, 3, -2]
        return [dtype.load(dtype.store(each)) for each in found]
    low = -50 if dtype is INT32 else 1
    return [random.integers(low, 60, (32, 32)) * 2 + 1 for _ in range(3)]


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tile_functions_do_what_their_rows_say(generation: Generation, dtype: DType) -> None:
    wide = dtype not in (BFLOAT16, UINT16)
    given = inputs(dtype)
    copy = "copy_init" if generation == "0.81" else "copy_tile_init"
    sections, expected, names = [], [], []
    for row, call, params in calls(generation, dtype):
        blocks = {"dst": 2, "ternary": 3}.get(call.form, 1)
        named = dict(zip((param.name for param in row.params), params, strict=True))
        sections.append(
            f"tile_regs_acquire(); {copy}(0);"
            + "".join(f"copy_tile({index}, 0, {index});" for index in range(3))
            + filled(call, generation, named, dtype)
            + f"tile_regs_commit(); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release();"
        )
        one = BlockType.of((1, 1), dtype, Layout.TILE)
        operands = [one] * blocks + [NUMBER] * (len(row.operands) - blocks)
        result = row.infer(tuple(operands), params)
        assert isinstance(result, BlockType), (row.name, result)
        with np.errstate(all="ignore"):
            values = [*given[:blocks], *([NUMBER] * (len(row.operands) - blocks))]
            expected.append(row.evaluate(values, params, result))
        names.append(f"{row.name}: {call.function.name}")
    count = len(sections)
    assert count > (10 if wide or dtype is BFLOAT16 else 1)
    body = (
        f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); cb_wait_front(1, 1); cb_wait_front(2, 1);"
        f"cb_reserve_back({OUT}, {count});\n" + "\n".join(sections) + f"\ncb_push_back({OUT}, {count});"
    )
    found = compute(
        generation, body, given, (32 * count, 32), dtype=dtype.name, fp32_dst=wide, unpack_to_dst=wide
    )
    wrong = []
    for index, (name, reference) in enumerate(zip(names, expected, strict=True)):
        one_found = found[32 * index : 32 * index + 32]
        if dtype.is_float:
            relative = 2**-7 if dtype is BFLOAT16 else 2**-18
            close = np.isclose(one_found, reference, rtol=relative, atol=relative / 8, equal_nan=True)
        else:
            close = one_found == dtype.load(dtype.store(np.asarray(reference)))
        if not close.all():
            at = tuple(int(each) for each in np.argwhere(~close)[0])
            operands = [float(each[at]) for each in given]
            wrong.append(
                f"{name} of {operands} is {one_found[at]}, not {reference[at]} ({(~close).sum()} wrong)"
            )
    assert wrong == []


def test_functions_that_no_row_uses_do_what_the_headers_say() -> None:
    """As in the headers of ttnn: ``hardmish`` is a limit of a line, and no ``mish``."""
    x = inputs(FLOAT32)[0]
    expected = {"hardmish": x * np.clip(x / 2 + 1, 0, 1), "mish": x * np.tanh(np.log1p(np.exp(x)))}
    for name, values in expected.items():
        body = (
            f"compute_kernel_hw_startup(0, {OUT}); cb_wait_front(0, 1); cb_reserve_back({OUT}, 1);"
            f"tile_regs_acquire(); copy_init(0); copy_tile(0, 0, 0); {name}_tile_init(); {name}_tile(0);"
            f"tile_regs_commit(); tile_regs_wait(); pack_tile(0, {OUT}); tile_regs_release(); cb_push_back({OUT}, 1);"
        )
        found = compute("0.81", body, [x], (32, 32), dtype="float32", fp32_dst=True, unpack_to_dst=True)
        np.testing.assert_allclose(found, values, rtol=2**-18, atol=2**-20, err_msg=name)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_function_of_the_kernel_api_is_declared(generation: Generation) -> None:
    """What generated kernels call in either generation exists there: a kernel does not fail to compile for want of a name."""
    core = ((0, 0),)
    declared: set[str] = set()
    for processor in ("compute", "ncrisc"):
        kernel = ChipKernel(name="any", source="", processor=processor, cores=core)
        program = Program(generation=generation, kernels=(kernel,), circular_buffers=())
        told = compiler.arguments(kernel, (), program, "wormhole")
        text = subprocess.run(
            ["g++", "-std=c++20", "-E", "-dD", *told, "-include", "ttl_emu/kernel.h", "-x", "c++", "-"],
            input="", capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        declared.update(re.findall(r"\w+", text))
    named = {
        applied.name.split(".")[-1].split("::")[-1]
        for row in CALLS.values()
        for applied in row.spelling.get(generation, ())
        if isinstance(applied, Applied) and applied.chosen_by is None
    }
    assert named - declared == set()
