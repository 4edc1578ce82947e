"""The recipes of TTIR operations on tiles in registers: sequences of kernel API functions.

``ttmlir.transforms.metal.compute`` writes the compute kernels of ``add``, ``multiply``, ``div`` and ``exp`` as the
compiler of 2024-11-21 wrote them. The other recipes are this project's own: each operand is copied to a register,
functions work on registers, and register 0 is packed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tt_model.operations import elementwise, ttir
from tt_model.operations.operation import RowOperation
from tt_model.operations.stages import PerClass
from tt_model.operations.ttkernel import TTKERNEL
from ttl.rows.table import op


@dataclass(frozen=True, slots=True)
class RegisterCall:
    """A function on registers, called behind its init.

    ``constants`` are attributes of both; the names of parameters (``PARAMETERS``) stand for numbers of the operation.
    """

    name: str
    registers: tuple[int, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    init: str = ""

    @property
    def init_name(self) -> str:
        """The name of the init operation."""
        return self.init or f"{self.name}_init"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Loads of registers, then calls. ``loads``: the number of the input that each register gets."""

    loads: tuple[int, ...]
    calls: tuple[RegisterCall, ...]


def _unary(name: str, constants: Mapping[str, Any] | None = None) -> Recipe:
    return Recipe((0,), (RegisterCall(name, (0,), constants or {}),))


def _logical(combined: str) -> Recipe:
    """Return the recipe of an operation on truth values: every number other than 0 is true."""
    truth = tuple(RegisterCall("unary_ne_tile", (register,), {"b": 0.0}) for register in (0, 1))
    return Recipe((0, 1), (*truth, RegisterCall(combined, (0, 1, 0))))


# A constant that is one of these words stands for the operation's attribute of that name.
PARAMETERS = ("parameter", "min", "max")

# Operations that take constants, are several functions, or have no function in the language.
OWN = PerClass[Recipe](
    (elementwise.TTIRGeluOp, _unary("gelu_tile", {"approximate": False})),
    (elementwise.TTIRLeakyReluOp, _unary("leaky_relu_tile", {"slope": "parameter"})),
    (ttir.TTIRClampOp, _unary("clamp_tile", {"min": "min", "max": "max"})),
    (elementwise.TTIRLogicalNotOp, _unary("unary_eq_tile", {"b": 0.0})),
    (elementwise.TTIRLogicalAndOp, _logical("mul_binary_tile")),
    (elementwise.TTIRLogicalOrOp, _logical("binary_max_tile")),
    (elementwise.TTIRLogicalXorOp, _logical("ne_binary_tile")),
    # A finite number minus itself is 0; an infinity or NaN minus itself is NaN.
    (
        elementwise.TTIRIsFiniteOp,
        Recipe((0,), (RegisterCall("sub_binary_tile", (0, 0, 0)), RegisterCall("unary_eq_tile", (0,), {"b": 0.0}))),
    ),
    # The function returns the sign of the divisor, so it gets magnitudes, and the result gets the dividend's sign.
    (
        elementwise.TTIRRemainderOp,
        Recipe(
            (0, 1, 0),
            (
                RegisterCall("abs_tile", (0,)),
                RegisterCall("abs_tile", (1,)),
                RegisterCall("remainder_binary_tile", (0, 1, 0)),
                RegisterCall("sign_tile", (2,)),
                RegisterCall("mul_binary_tile", (0, 2, 0)),
            ),
        ),
    ),
    (
        elementwise.TTIRWhereOp,
        Recipe((0, 1, 2), (RegisterCall("where_tile", (0, 1, 2, 0), {"out_format": "result"}),)),
    ),
    (
        elementwise.TTIRTypecastOp,
        _unary("typecast_tile", {"in_format": "input", "out_format": "result"}),
    ),
    absent={elementwise.TTIRCbrtOp: "neither the language nor the kernel API has a cube root"},
)  # fmt: skip


def recipe_of(kind: type[RowOperation]) -> Recipe | None:
    """Return the functions of an elementwise operation: those in ``OWN``, or those of its row of the language."""
    return OWN.of(kind) or (_of_row(kind) if kind.ROW.function else None)


def _of_row(kind: type[RowOperation]) -> Recipe | None:
    """The recipe of a row's function on registers, if it takes tiles only and the dialect of kernels has it."""
    form = {1: "unary", 2: "dst"}.get(kind.ROW.takes)
    for call in op(kind.ROW.function).hardware.get("0.81", ()):
        plain = call.form == form and call.init is not None and not call.function.arguments
        if plain and f"ttkernel.{call.function.name}" in TTKERNEL.by_name:
            assert call.init is not None
            loads = tuple(range(kind.ROW.takes))
            registers = (0,) if form == "unary" else (0, 1, 0)
            return Recipe(loads, (RegisterCall(call.function.name, registers, init=call.init.name),))
    return None


def _recipes() -> Iterator[tuple[str, Recipe]]:
    # Operations that only move tiles, or repeat rows and columns of them.
    yield "copy", Recipe((0,), ())
    for kind in ttir.TTIR.classes.values():
        recipe = recipe_of(kind)
        if recipe is not None:
            yield kind.ROW.mnemonic, recipe


# Recipes by the names that kernels have in generics.
RECIPES: Mapping[str, Recipe] = MappingProxyType(dict(_recipes()))
# Functions of the matrix unit on two circular buffers, by the same names.
OF_BUFFERS: Mapping[str, str] = MappingProxyType(
    {
        kind.ROW.mnemonic: call.function.name
        for kind in ttir.TTIR.classes.values()
        if kind.ROW.elementwise and kind.ROW.function
        for call in op(kind.ROW.function).hardware.get("0.81", ())
        if call.form == "fpu"
    }
)
