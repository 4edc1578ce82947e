"""Functions by which rows name the hardware's tile functions, and tolerances.

Sources: the headers of the ttnn 0.69.0 and 0.81.1 wheels, in which every
header and function named by a row was looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from ttl.rows.dtypes import (
    BFLOAT4_B,
    BFLOAT8_B,
    BFLOAT16,
    DTYPES,
    FLOAT16,
    FLOAT32,
    INT32,
    UINT16,
    UINT32,
    DType,
)
from ttl.rows.row import (
    FLOATS,
    Approximation,
    Form,
    Generation,
    Params,
    Slot,
    TileCall,
    TileFunction,
    Tolerance,
)

Hardware = Mapping[Generation, tuple[TileCall, ...]]

COMPUTE = "api/compute/compute_kernel_api.h"
BINARY_SFPU = "api/compute/eltwise_binary_sfpu.h"
UNARY = "api/compute/eltwise_unary/"
SCALAR = UNARY + "binop_with_scalar.h"

SIGNED = frozenset({INT32})
UNSIGNED = frozenset({UINT32})
SHORT = frozenset({UINT16})
WORDS = SIGNED | UNSIGNED
INTEGERS = WORDS | SHORT
# The types that the matrix unit multiplies and adds without loss: it keeps 10 bits of a mantissa.
NARROW = FLOATS - {FLOAT32}


def both(*calls: TileCall) -> Hardware:
    """Return the same calls for both generations of the API."""
    return {"0.69": calls, "0.81": calls}


def generations(old: tuple[TileCall, ...], new: tuple[TileCall, ...]) -> Hardware:
    """Calls that differ between the generations."""
    return {"0.69": old, "0.81": new}


def bits(name: str) -> Slot:
    """A parameter or number as the bits of a float32."""
    return Slot("bits", name)


def whole(name: str) -> Slot:
    """A parameter or number as an integer of 32 bits."""
    return Slot("int", name)


def word(text: str) -> Slot:
    """An argument of literal C++ text."""
    return Slot("word", text)


# The data format of the result in DST.
OUT = Slot("format", "out")


def tile(
    name: str,
    header: str,
    *arguments: Slot,
    form: Form,
    template: tuple[Slot, ...] = (),
    init: str | TileFunction | None = None,
    dtypes: frozenset[DType] = FLOATS,
    numbers: Callable[[float], bool] | None = None,
    serves: Callable[[Params], bool] | None = None,
    by_faces: bool = False,
    instructions: int | None = None,
    note: str = "",
) -> TileCall:
    """A function that works on registers; by default its init is ``<name>_init`` with the same template arguments."""
    if init is None:
        init = TileFunction(f"{name}_init", template)
    return TileCall(
        function=TileFunction(name, template, arguments),
        init=TileFunction(init) if isinstance(init, str) else init,
        header=header,
        form=form,
        dtypes=dtypes,
        numbers=numbers,
        serves=serves,
        by_faces=by_faces,
        instructions=_INSTRUCTIONS[form] if instructions is None else instructions,
        note=note,
    )


# The assumed number of instructions of the vector unit, by form.
_INSTRUCTIONS: Mapping[Form, int] = {"unary": 4, "scalar": 4, "dst": 6, "ternary": 6, "fill": 2}


def on_buffers(
    name: str,
    form: Form = "fpu",
    *,
    dtypes: frozenset[DType] = FLOATS,
    accumulates: bool = False,
    note: str = "",
) -> TileCall:
    """A function that reads circular buffers; ``ttl.kernel_api.compute`` has a row for it."""
    function = TileFunction(name)
    note = "accumulates into DST" if accumulates else note
    return TileCall(function=function, form=form, dtypes=dtypes, accumulates=accumulates, note=note)


def sfpu(
    name: str,
    header: str,
    *arguments: Slot,
    dtypes: frozenset[DType] = FLOATS,
    serves: Callable[[Params], bool] | None = None,
    init: str | None = None,
    by_faces: bool = False,
    instructions: int | None = None,
) -> TileCall:
    """A function of the vector unit on one tile of DST."""
    return tile(
        f"{name}_tile",
        header,
        *arguments,
        form="unary",
        init=init,
        dtypes=dtypes,
        serves=serves,
        by_faces=by_faces,
        instructions=instructions,
    )


def sfpu_int(
    name: str, header: str, init: str, *arguments: Slot, instructions: int | None = None
) -> TileCall:
    """A function of the vector unit on one tile of integers, by its full name and its init."""
    return tile(name, header, *arguments, form="unary", init=init, dtypes=SIGNED, instructions=instructions)


def sfpu_binary(
    name: str,
    header: str = BINARY_SFPU,
    *,
    template: tuple[Slot, ...] = (),
    init: str | None = None,
    dtypes: frozenset[DType] = FLOATS,
    by_faces: bool = False,
    instructions: int | None = None,
    note: str = "",
) -> TileCall:
    """A function of the vector unit on two tiles of DST."""
    return tile(
        f"{name}_tile",
        header,
        form="dst",
        template=template,
        init=init,
        dtypes=dtypes,
        by_faces=by_faces,
        instructions=instructions,
        note=note,
    )


def scalar(
    name: str,
    header: str,
    *number: Slot,
    init: str | None = None,
    dtypes: frozenset[DType] = FLOATS,
    numbers: Callable[[float], bool] | None = None,
    instructions: int | None = None,
) -> TileCall:
    """A function of the vector unit on a tile of DST and a number."""
    return tile(
        name,
        header,
        *number,
        form="scalar",
        init=init,
        dtypes=dtypes,
        numbers=numbers,
        instructions=instructions,
    )


# Errors over all exponents of float32, measured on Wormhole, in steps of float32 relative to a power of two.
_STEP = 2.0**-23
_SWEEP = "tt-llk, sfpu_accuracy_budget.yaml in ttnn 0.81.1: all exponents of float32"


def swept(steps: int, asked: Literal["function", "mode"], cycles: int | None = None) -> Approximation:
    """An approximation whose error was measured over all exponents of float32."""
    return Approximation(
        worst=steps * _STEP,
        relative=True,
        asked=asked,
        how="measured",
        source=f"{_SWEEP}, {steps:,} steps",
        cycles=cycles,
    )


def table(worst: float, how: Literal["measured", "deduced"], source: str, cycles: int) -> Approximation:
    """An approximation by a table of line segments, with an absolute error of at most ``worst``."""
    return Approximation(worst=worst, relative=False, asked="function", how=how, source=source, cycles=cycles)


def _tolerances(relative: float) -> dict[str, Tolerance]:
    result = {}
    for dtype in DTYPES:
        if not dtype.is_float:
            result[dtype.name] = Tolerance(absolute=0.0, relative=0.0)
            continue
        step = 2.0**-dtype.mantissa_bits
        # A block float rounds relative to the largest of its 16 values; a small value has an absolute error.
        absolute = step if dtype in (BFLOAT8_B, BFLOAT4_B) else 2.0**-24 if dtype is FLOAT16 else 0.0
        coarse = dtype in (BFLOAT16, FLOAT16, BFLOAT8_B, BFLOAT4_B)
        result[dtype.name] = Tolerance(absolute=absolute, relative=max(relative, step if coarse else 0.0))
    return result


# One rounding of the stored type: for arithmetic that both executions do in float32, and for selections.
EXACT: Mapping[str, Tolerance] = _tolerances(2.0**-22)
# Polynomials of the vector unit: about the precision of bfloat16 where it computes in 16 bits, more in float32.
SFPU: Mapping[str, Tolerance] = {
    name: Tolerance(
        absolute=max(tolerance.absolute, 2.0**-20 if tolerance.relative else 0.0),
        relative=tolerance.relative * 2,
    )
    for name, tolerance in _tolerances(2.0**-12).items()
}
# Table look-ups and other fast variants (gelu's is off by 0.024 at worst).
APPROXIMATE: Mapping[str, Tolerance] = {
    name: Tolerance(
        absolute=max(tolerance.absolute, 0.025 if tolerance.relative else 0.0),
        relative=tolerance.relative * 4,
    )
    for name, tolerance in _tolerances(2.0**-8).items()
}
# Sums of many products or terms, in float32, in another order than the reference's.
ACCUMULATED: Mapping[str, Tolerance] = {
    name: Tolerance(
        absolute=max(tolerance.absolute, 2.0**-14 if tolerance.relative else 0.0),
        relative=tolerance.relative * 2,
    )
    for name, tolerance in _tolerances(2.0**-16).items()
}
