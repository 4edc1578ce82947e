"""How rows spell the hardware's tile functions, what they cost, and how exact they are.

Placeholders in the C++ text: ``{d}`` the tile of DST that is read and written, ``{d0}``, ``{d1}``, ``{d2}``
operands in DST, ``{cb0}``, ``{cb1}`` circular buffers with tile indexes ``{i0}``, ``{i1}``, ``{cbo}`` the
output's, ``{s}`` a scaler's; ``{p:name}`` a parameter, as ``true`` or ``false`` where it is a flag, else as the
bits of a float32; ``{n:b}`` an operand that is a number, as the bits of a float32; ``{i:name}`` a parameter or
number as a whole number of 32 bits; ``{f:name}`` a parameter as a C++ float; ``{fmt:in}``, ``{fmt:out}`` the data
formats of the operand and the result in DST.

Sources: facts/kernel-api.md section 2, and the headers of the ttnn 0.69.0 and 0.81.1 wheels, in which every
header and function named by a row was looked up. Costs: facts/hardware-emulator-cost.md section 2.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ttl.ops.dtypes import (
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
from ttl.ops.row import FLOATS, Cost, Form, Generation, Params, TileCall, Tolerance

Hardware = Mapping[Generation, tuple[TileCall, ...]]

COMPUTE = "api/compute/compute_kernel_api.h"
BINARY = "api/compute/eltwise_binary.h"
BINARY_SFPU = "api/compute/eltwise_binary_sfpu.h"
UNARY = "api/compute/eltwise_unary/"
SCALAR = UNARY + "binop_with_scalar.h"

SIGNED = frozenset({INT32})
UNSIGNED = frozenset({UINT32})
SHORT = frozenset({UINT16})
WORDS = SIGNED | UNSIGNED
INTEGERS = WORDS | SHORT
# What the matrix unit multiplies and adds without loss: it keeps 10 bits of a mantissa.
NARROW = FLOATS - {FLOAT32}

_COSTS = "facts/hardware-emulator-cost.md section 2.5"


def both(*calls: TileCall) -> Hardware:
    """The same calls in both generations of the API."""
    return {"0.69": calls, "0.81": calls}


def generations(old: tuple[TileCall, ...], new: tuple[TileCall, ...]) -> Hardware:
    """Calls that differ between the generations."""
    return {"0.69": old, "0.81": new}


def tile(
    header: str,
    call: str,
    init: str | None = None,
    *,
    form: Form,
    dtypes: frozenset[DType] = FLOATS,
    numbers: Callable[[float], bool] | None = None,
    serves: Callable[[Params], bool] | None = None,
    note: str = "",
) -> TileCall:
    """One tile function; its init is ``<function>_init()`` with the same template arguments unless given."""
    if init is None:
        function, _, _ = call.partition("(")
        name, angle, arguments = function.partition("<")
        init = f"{name}_init{angle}{arguments}();"
    return TileCall(
        header=header,
        init=init,
        call=call + ";",
        form=form,
        dtypes=dtypes,
        numbers=numbers,
        serves=serves,
        note=note,
    )


def sfpu(
    name: str,
    header: str,
    arguments: str = "",
    *,
    dtypes: frozenset[DType] = FLOATS,
    serves: Callable[[Params], bool] | None = None,
    note: str = "",
    init: str | None = None,
) -> TileCall:
    """A function of the vector unit on one tile of DST."""
    call = f"{name}_tile({{d}}{arguments})"
    return tile(header, call, init, form="unary", dtypes=dtypes, serves=serves, note=note)


def sfpu_int(
    call: str, header: str, init: str, dtypes: frozenset[DType] = SIGNED, arguments: str = ""
) -> TileCall:
    """A function of the vector unit on one tile of integers, whose full name and init are given."""
    return tile(header, f"{call}({{d}}{arguments})", init + "();", form="unary", dtypes=dtypes)


def sfpu_binary(
    name: str,
    header: str = BINARY_SFPU,
    *,
    init: str | None = None,
    dtypes: frozenset[DType] = FLOATS,
    note: str = "",
) -> TileCall:
    """A function of the vector unit on two tiles of DST; ``name`` may end in template arguments."""
    function, angle, arguments = name.partition("<")
    call = f"{function}_tile{angle}{arguments}({{d0}}, {{d1}}, {{d}})"
    return tile(header, call, init, form="dst", dtypes=dtypes, note=note)


def scalar(
    function: str,
    header: str,
    argument: str,
    init: str | None = None,
    *,
    dtypes: frozenset[DType] = FLOATS,
    numbers: Callable[[float], bool] | None = None,
) -> TileCall:
    """A function of the vector unit on a tile of DST and a number, the placeholder ``argument``."""
    arguments = f", {argument}" if argument else ""
    return tile(header, f"{function}({{d}}{arguments})", init, form="scalar", dtypes=dtypes, numbers=numbers)


def cycles(*, wormhole: int | None = None, blackhole: int | None = None) -> tuple[Cost, ...]:
    """Measured cycles per 32x32 tile."""
    found = []
    if wormhole is not None:
        found.append(Cost(cycles=wormhole, arch="wormhole", source=_COSTS))
    if blackhole is not None:
        found.append(Cost(cycles=blackhole, arch="blackhole", source=_COSTS))
    return tuple(found)


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


# One rounding of the stored type: arithmetic that both sides do in float32, and selections.
EXACT: Mapping[str, Tolerance] = _tolerances(2.0**-22)
# Polynomials of the vector unit: good to about bfloat16 where it computes in 16 bits, better in float32.
SFPU: Mapping[str, Tolerance] = {
    name: Tolerance(
        absolute=max(each.absolute, 2.0**-20 if each.relative else 0.0), relative=each.relative * 2
    )
    for name, each in _tolerances(2.0**-12).items()
}
# Table look-ups and other fast variants (gelu's is off by 0.024 at worst, facts/kernel-api.md section 2).
APPROXIMATE: Mapping[str, Tolerance] = {
    name: Tolerance(absolute=max(each.absolute, 0.025 if each.relative else 0.0), relative=each.relative * 4)
    for name, each in _tolerances(2.0**-8).items()
}
# Sums of many products or terms, in float32, in another order than the reference's.
ACCUMULATED: Mapping[str, Tolerance] = {
    name: Tolerance(
        absolute=max(each.absolute, 2.0**-14 if each.relative else 0.0), relative=each.relative * 2
    )
    for name, each in _tolerances(2.0**-16).items()
}
