"""What an operation of TTIR is on tiles in registers: functions of the kernel API, one after the other.

Of 2024-11-21 are ``add``, ``multiply``, ``div`` and ``exp``, whose kernels ``ttmlir.transforms.metal.compute`` writes as
that compiler did. The others are ours: each operand is copied to a register, functions work on registers, and register 0 is
packed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True, slots=True)
class RegisterCall:
    """A function on registers, its init before it. ``constants`` are attributes of both; numbers are parameters by name."""

    name: str
    registers: tuple[int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    init: str = ""

    @property
    def init_name(self) -> str:
        """The operation that prepares it."""
        return self.init or f"{self.name}_init"


@dataclass(frozen=True, slots=True)
class Recipe:
    """``loads`` says which input each register gets before the calls."""

    loads: tuple[int, ...]
    calls: tuple[RegisterCall, ...]


def _unary(name: str, constants: Mapping[str, Any] | None = None, init: str = "") -> Recipe:
    return Recipe((0,), (RegisterCall(name, (0,), constants or {}, init),))


def _binary(name: str) -> Recipe:
    return Recipe((0, 1), (RegisterCall(name, (0, 1, 0)),))


def _logical(combined: str) -> Recipe:
    """Of truth values: what is not 0 is 1."""
    truth = tuple(RegisterCall("unary_ne_tile", (register,), {"b": 0.0}) for register in (0, 1))
    return Recipe((0, 1), (*truth, RegisterCall(combined, (0, 1, 0))))


# The bodies of generics of 2024-11-21 that are operations of MLIR, and what they are in TTIR. Others are kernels by name.
BODIES_OF_MLIR: Mapping[str, str] = MappingProxyType(
    {"arith.addf": "add", "arith.mulf": "multiply", "arith.divf": "div", "math.exp": "exp"}
)

# Where a constant is a word of these, it is the parameter of the operation of that name.
PARAMETERS = ("parameter", "min", "max")

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        **{
            name: _unary(f"{name}_tile")
            for name in ("abs", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "relu", "sigmoid", "sign")
        },
        "neg": _unary("negative_tile"),
        "reciprocal": _unary("recip_tile"),
        "gelu": _unary("gelu_tile", {"approximate": False}),
        "floor": _unary("floor_tile", init="rounding_op_tile_init"),
        "ceil": _unary("ceil_tile", init="rounding_op_tile_init"),
        "leaky_relu": _unary("leaky_relu_tile", {"slope": "parameter"}),
        "clamp": _unary("clamp_tile", {"min": "min", "max": "max"}),
        "add": _binary("add_binary_tile"),
        "subtract": _binary("sub_binary_tile"),
        "multiply": _binary("mul_binary_tile"),
        "div": _binary("div_binary_tile"),
        "maximum": _binary("binary_max_tile"),
        "minimum": _binary("binary_min_tile"),
        **{name: _binary(f"{name}_binary_tile") for name in ("eq", "ne", "lt", "le", "gt", "ge")},
        "logical_not": _unary("unary_eq_tile", {"b": 0.0}),
        "logical_and": _logical("mul_binary_tile"),
        "logical_or": _logical("binary_max_tile"),
        "logical_xor": _logical("ne_binary_tile"),
        # A number less itself is 0; an infinity, and what is no number, less itself is no number.
        "isfinite": Recipe(
            (0,), (RegisterCall("sub_binary_tile", (0, 0, 0)), RegisterCall("unary_eq_tile", (0,), {"b": 0.0}))
        ),
        # The function gives the sign of the divisor: it is asked about magnitudes, and the dividend's sign is put back.
        "remainder": Recipe(
            (0, 1, 0),
            (
                RegisterCall("abs_tile", (0,)),
                RegisterCall("abs_tile", (1,)),
                RegisterCall("remainder_binary_tile", (0, 1, 0)),
                RegisterCall("sign_tile", (2,)),
                RegisterCall("mul_binary_tile", (0, 2, 0)),
            ),
        ),
        "where": Recipe((0, 1, 2), (RegisterCall("where_tile", (0, 1, 2, 0), {"out_format": "result"}),)),
        "typecast": _unary("typecast_tile", {"in_format": "input", "out_format": "result"}),
        # What only moves tiles, or repeats rows and columns of them.
        "copy": Recipe((0,), ()),
    }
)  # fmt: skip
