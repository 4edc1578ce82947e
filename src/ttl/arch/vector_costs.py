"""What the functions of the vector unit cost that no operation of the language has a number for.

A tile is 32 vectors. A function of n instructions takes 32 n cycles, and about 50 to begin and to get there.
Names are those of the emulator's runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.arch.chip import Number

VECTORS_OF_A_TILE = 32
# Of the published numbers, the copy into DST, which is counted by itself.
COPY = 18
_BEGIN = 50

_MEASURED = "pull requests to tt-metal that measured functions of the vector unit"

MEASURED: Mapping[str, Number] = MappingProxyType(
    {
        "addcmul": Number(346, "measured", _MEASURED),
        "heaviside": Number(537, "measured", _MEASURED),
        "softshrink": Number(640, "measured", _MEASURED),
        "i0": Number(1417, "measured", _MEASURED),
        "relu_min": Number(298, "deduced", f"{_MEASURED}: as relu_max"),
    }
)

APPROXIMATE: Mapping[str, Number] = MappingProxyType(
    {
        "exp": Number(73, "measured", f"{_MEASURED}: Blackhole, 70 to 77"),
        "tanh": Number(160, "measured", f"{_MEASURED}: Blackhole"),
        "sigmoid": Number(221, "measured", f"{_MEASURED}: Blackhole"),
        "gelu": Number(221, "measured", f"{_MEASURED}: Blackhole"),
    }
)

_INSTRUCTIONS = {
    2: "identity copy_value fill fill_bits negative not_int negative_int abs_int relu relu_int sign sign_int signbit_int",
    6: "add sub mul rsub max min eq ne lt gt le ge mask mask_posinf where where_int mac lerp add_int sub_int mul_int "
    "mul_u16 rsub_int max_int min_int max_uint min_uint and_int or_int xor_int shift_left shift_right "
    "shift_right_logical eq_int ne_int lt_int gt_int le_int ge_int hardtanh hardswish round typecast",
    20: "sqrt rsqrt cbrt",
    26: "expm1 log log_base log1p sinh cosh exp erf erfc",
    34: "rdiv fmod fmod_scalar remainder remainder_scalar addcdiv div_int div_floor_int remainder_int fmod_int",
    44: "power rpow pow tan asin acos asinh acosh atanh elu celu selu mish tanhshrink erfinv logsigmoid atan2 xlogy "
    "gcd lcm i1",
}
_OTHERS = 4


def instructions(name: str) -> int:
    """How many instructions a function is taken to have."""
    for count, names in _INSTRUCTIONS.items():
        if name in names.split():
            return count
    return _OTHERS


def estimate(name: str) -> Number:
    """The cost of a function by its instructions, the copy into DST included."""
    count = instructions(name)
    return Number(
        VECTORS_OF_A_TILE * count + _BEGIN,
        "estimated",
        f"32 vectors of a tile by {count} instructions, and {_BEGIN} to begin",
    )
