"""How exact compiled programs are: what the chip keeps of a value, each with a bound that a test measures.

The page ``docs/reference/differences.md`` has the table; ``test_exactness.py`` runs every program in the simulator and on the
emulated chip, with reductions rounded as the hardware rounds them, for both generations of the kernel API.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

# The arithmetic of float32 in another order, and functions that are rounded correctly in both.
ORDER = 2.0**-20
_TF32 = 2.0**-10
BFLOAT16_CUT = 2.0**-7


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One expression, and how far the chip may be from the simulator where the result is stored as float32.

    ``size`` is what the bound is a part of: the result, or (``terms``) the sum of the magnitudes that were added up.
    """

    name: str
    body: str
    inputs: Mapping[str, tuple[int, int]]
    output: tuple[int, int]
    bound: float
    dtype: Literal["bfloat16", "float32"] = "bfloat16"
    options: str = ""
    size: Literal["result", "terms"] = "result"


@dataclass(frozen=True, kw_only=True)
class Exactness:
    """A row of the table."""

    what: str
    chip: str
    bound: str
    measured: tuple[Measured, ...] = field(default_factory=tuple)


_DIMS: Mapping[str, tuple[str, tuple[int, int]]] = MappingProxyType(
    {"rows": ("[-1]", (32, 32)), "columns": ("[-2]", (32, 1024)), "both": ("[-2, -1]", (32, 32))}
)


def _reductions(
    pool: str, of: str, dtype: Literal["bfloat16", "float32"], bounds: Mapping[str, float]
) -> tuple[Measured, ...]:
    return tuple(
        Measured(
            name=f"{pool} of {of} over {along}, {dtype}",
            body=f"y.store(ttl.math.reduce_{pool}({of}, dims={dims}))",
            inputs={"x": (32, 1024)},
            output=shape,
            bound=bounds[along],
            dtype=dtype,
        )
        for along, (dims, shape) in _DIMS.items()
    )


def _all(bound: float) -> Mapping[str, float]:
    return dict.fromkeys(_DIMS, bound)


_SQUARE = MappingProxyType({"x": (64, 64), "m": (64, 32), "r": (32, 64)})

EXACTNESS = (
    Exactness(
        what="`reduce_sum` of `bfloat16`, over any dimensions",
        chip="added up in float32, in the registers: on the matrix unit along rows and columns, and for both by the vector unit "
        "in the end. Not with `fp32_dest_acc_en=False`, which rounds every partial sum to bfloat16",
        bound="2^-20 of the sum of the magnitudes, from the order of the additions",
        measured=_reductions("sum", "x", "bfloat16", _all(ORDER)),
    ),
    Exactness(
        what="`reduce_max` of `bfloat16`",
        chip="one of the elements",
        bound="0",
        measured=_reductions("max", "x", "bfloat16", _all(0.0)),
    ),
    Exactness(
        what="`reduce_sum` and `reduce_max` of `float32`",
        chip="on the vector unit, with all bits; about five times as long as on the matrix unit",
        bound="2^-20 of the sum of the magnitudes; 0 for maxima",
        measured=(
            *_reductions("sum", "x", "float32", _all(ORDER)),
            *_reductions("max", "x", "float32", _all(0.0)),
            *_reductions("sum", "ttl.math.exp(x)", "float32", _all(ORDER)),
        ),
    ),
    Exactness(
        what="`broadcast` and `transpose` of `float32`, and elementwise operations",
        chip="unpacked to the registers with all bits, and computed by the vector unit",
        bound="2^-20 of what the operations are within anyway; 0 for a broadcast or a transposition",
        measured=tuple(
            Measured(
                name=text,
                body=f"y.store({text})",
                inputs={name: shape for name, shape in _SQUARE.items() if re.search(rf"\b{name}\b", text)},
                output=(64, 64),
                bound=bound,
                dtype="float32",
            )
            for text, bound in (
                ("ttl.block.broadcast(m, dims=[-1], shape=(2, 2))", 0.0),
                ("ttl.block.broadcast(r, dims=[-2], shape=(2, 2))", 0.0),
                ("ttl.block.transpose(x)", 0.0),
                ("ttl.math.exp(x - ttl.block.broadcast(m, dims=[-1], shape=(2, 2)))", ORDER),
                (
                    "(x - ttl.block.broadcast(m, dims=[-1], shape=(2, 2))) * ttl.block.broadcast(r, dims=[-2], shape=(2, 2))",
                    ORDER,
                ),
                (
                    "ttl.math.exp(x - ttl.block.broadcast(ttl.math.reduce_max(x, dims=[-1]), dims=[-1], shape=(2, 2)))",
                    ORDER,
                ),
                ("x * x + x", ORDER),
            )
        ),
    ),
    Exactness(
        what="products of matrices of `bfloat16`",
        chip="multiplied exactly at HiFi4, and added up in float32",
        bound="2^-20 of the sum of the magnitudes",
        measured=(
            Measured(
                name="a @ b, bfloat16",
                body="y.store(x @ w)",
                inputs={"x": (32, 256), "w": (256, 32)},
                output=(32, 32),
                bound=ORDER,
                size="terms",
            ),
        ),
    ),
    Exactness(
        what="products of matrices of `float32`",
        chip="both factors are cut to TF32, which keeps 11 of 24 bits",
        bound="2^-9 of the sum of the magnitudes",
        measured=(
            Measured(
                name="a @ b, float32",
                body="y.store(x @ w)",
                inputs={"x": (32, 256), "w": (256, 32)},
                output=(32, 32),
                bound=2 * _TF32,
                dtype="float32",
                size="terms",
            ),
        ),
    ),
    Exactness(
        what="other uses of a `float32` block that is also a factor of a product of matrices, in the same kernel",
        chip="a buffer is unpacked in one way: cut to TF32 for these, too",
        bound="2^-10 of the element",
        measured=(
            Measured(
                name="a block beside its product",
                body="z.store(x @ x)\ny.store(x)",
                inputs={"x": (64, 64)},
                output=(64, 64),
                bound=_TF32,
                dtype="float32",
            ),
        ),
    ),
    Exactness(
        what="values that are computed from `bfloat16` within an expression, and that a reduction, a product or a broadcast then reads",
        chip="kept as float32 in a buffer between, and cut to TF32 where the matrix unit reads it",
        bound="2^-10 of the value",
        measured=(
            *_reductions("sum", "ttl.math.exp(x)", "bfloat16", _all(_TF32)),
            Measured(
                name="a computed value beside a broadcast",
                body="y.store(ttl.math.exp(x) * ttl.block.broadcast(m, dims=[-1], shape=(2, 2)))",
                inputs={"x": (64, 64), "m": (64, 32)},
                output=(64, 64),
                bound=_TF32,
            ),
        ),
    ),
    Exactness(
        what="`reduce_max` of such values over rows, or over both dimensions",
        chip="goes through a source register once more, which keeps 8 bits of it there",
        bound="2^-7 of the maximum; 2^-10 over columns",
        measured=_reductions(
            "max", "ttl.math.exp(x)", "bfloat16", {"rows": BFLOAT16_CUT, "columns": _TF32, "both": BFLOAT16_CUT}
        ),
    ),
    Exactness(
        what="such values where L1 has no room for them as float32",
        chip="kept as bfloat16 (`ttl compile --explain` says which)",
        bound="2^-8 of the value, for each time",
    ),
    Exactness(
        what="everything, under `fp32_dest_acc_en=False`",
        chip="the registers hold bfloat16: every operation and every partial sum is rounded",
        bound="2^-8 for each operation, and each addition of a sum",
        measured=(
            Measured(
                name="two operations in registers of 16 bits",
                body="y.store(ttl.math.abs(x * x) + x)",
                inputs={"x": (64, 64)},
                output=(64, 64),
                bound=2 * 2.0**-8,
                options=", fp32_dest_acc_en=False",
            ),
        ),
    ),
    Exactness(
        what="products under a `math_fidelity` below HiFi4",
        chip="passes are left out: HiFi3 that of the low bits of both, HiFi2 those of the low bits of the left factor, LoFi those of the right one too",
        bound="HiFi3: 2^-11, HiFi2: 2^-6, LoFi: 2^-4 of the sum of the magnitudes",
        measured=tuple(
            Measured(
                name=f"a @ b at {fidelity}",
                body="y.store(x @ w)",
                inputs={"x": (32, 256), "w": (256, 32)},
                output=(32, 32),
                bound=bound,
                options=f', math_fidelity="{fidelity}"',
                size="terms",
            )
            for fidelity, bound in (("HiFi3", 2.0**-11), ("HiFi2", 2.0**-6), ("LoFi", 2.0**-4))
        ),
    ),
)  # fmt: skip
