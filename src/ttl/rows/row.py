"""One row describes one operation of the language, completely. Everything else is derived from rows.

The public functions and operators (``ttl.lang.functions``), the simulator's arithmetic
(``Op.evaluate``), the checker's types (``Op.infer``), the reference documentation, the type stubs, the
functionality matrix and the property tests all read only rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from ttl.diag.model import Diagnostic, error
from ttl.diag.remedies import Rewrite
from ttl.diag.values import number_text
from ttl.rows.dtypes import DTYPES, REAL_NUMBER, WHOLE_NUMBER, Array, DType
from ttl.rows.types import BlockType, Layout

# An operand of an operation: the type of a block, or a Python number.
OperandType = BlockType | float
# Values of the parameters in the order of ``Op.params``, normalised by ``Param.check``.
Params = tuple[Any, ...]
# Rows and columns (in elements, of the last two dimensions) that hold data and not padding; None: all.
Valid = tuple[int, int] | None

Namespace = Literal["operator", "math", "block"]
Generation = Literal["0.69", "0.81"]
Accepts = Literal["all", "float", "integer"]
# The places of the operands of a tile function. fpu: both in circular buffers; cb: one, in a circular buffer; dst: both
# in DST; scalar: one in DST and a number; unary: one in DST; ternary: three in DST; fill: no operands.
Form = Literal["fpu", "cb", "dst", "scalar", "unary", "ternary", "fill"]

# How a row maps elements to elements: one by one (elementwise), or in another manner, which has its own lowering.
Family = Literal[
    "elementwise",
    "product",
    "reduction",
    "fill",
    "conversion",
    "repetition",
    "transposition",
    "reshape",
    "part",
]
# exact: the result is an operand, or exact in every type that can hold the operands. closed: the result is a value of
# an operand, zero, or the opposite of a value, so that every format of the operands can hold it. comparison: 0 or 1 for
# each element. modular: only the last bits of an integer count. rules_first: the row has a function, but for some
# operands an expansion is cheaper or necessary. square: the product of the operand with itself.
Trait = Literal["exact", "closed", "commutative", "comparison", "modular", "rules_first", "square"]
# The function with which a reduction combines elements.
Pool = Literal["sum", "max"]

FLOATS: frozenset[DType] = frozenset(dtype for dtype in DTYPES if dtype.is_float)

# The size of the cache of inferred types; a program uses a few for each of its operations.
_MOST_INFERRED = 1 << 14


@dataclass(frozen=True, kw_only=True, slots=True)
class Operand:
    """A block operand. ``scalar`` says whether it may also be a Python number."""

    name: str
    doc: str
    scalar: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Param:
    """A parameter that is not a block.

    ``check`` converts the user's argument into the normalised value, or into a diagnostic without a location.
    ``default`` is ``...`` if the parameter has no default.
    """

    name: str
    annotation: str
    doc: str
    check: Callable[[Any], Any]
    default: Any = ...


@dataclass(frozen=True, slots=True)
class Slot:
    """An argument of a tile function besides registers.

    ``name`` is a parameter or a number among the operands: as ``bits`` of a float32, an ``int`` of 32 bits, a ``float``
    of C++, or a ``bool``. A ``format`` is the data format in DST of the operand (``in``) or the result (``out``), a
    ``format_number`` the same as an integer. ``faces`` says which faces of a tile are computed. A ``word`` is literal
    C++.
    """

    kind: Literal["bits", "int", "float", "bool", "format", "format_number", "faces", "word"]
    name: str


@dataclass(frozen=True, slots=True)
class TileFunction:
    """A function of the kernel API and its arguments except registers, which come first and follow from the form."""

    name: str
    template: tuple[Slot, ...] = ()
    arguments: tuple[Slot, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class TileCall:
    """A call by which the hardware computes a row: tile function, init and header of one API generation.

    ``form`` says where the operands must be. A function that reads circular buffers (``fpu``, ``cb``) has only a name:
    ``ttl.kernel_api.compute`` has the rest. Source: the headers in the wheels of ttnn 0.69.0 and 0.81.1.
    """

    function: TileFunction
    init: TileFunction | None = None
    header: str = ""
    form: Form
    # Element types of block operands for which its result is right.
    dtypes: frozenset[DType] = FLOATS
    # The numbers for which it can be used, in the form ``scalar``; None: all.
    numbers: Callable[[float], bool] | None = None
    # The parameters for which it can be used; None: all.
    serves: Callable[[Params], bool] | None = None
    # Whether it adds its result to the contents of its register.
    accumulates: bool = False
    # Whether it can compute some faces of the tile only: a vector mode, its last argument.
    by_faces: bool = False
    # The assumed number of instructions of the vector unit, for a function that was not measured.
    instructions: int = 4
    note: str = ""

    @property
    def reads_registers(self) -> bool:
        """Whether block operands must be in registers, and not in circular buffers."""
        return self.form not in ("fpu", "cb")


@dataclass(frozen=True, kw_only=True, slots=True)
class Approximation:
    """The hardware's approximation of a row, which a kernel may request.

    ``worst`` is the largest error, absolute or relative; ``asked`` says whether a parameter of the function requests
    the approximation, or ``math_approx_mode`` of the kernel. ``cycles`` are its cycles for one tile, if they are known.
    A row without an approximation, or with one of unknown error, is computed exactly and rounded on the emulated chip.
    """

    worst: float
    relative: bool
    asked: Literal["function", "mode"]
    how: Literal["measured", "deduced"]
    source: str
    cycles: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Tolerance:
    """The largest difference of an execution from the reference: ``|x - ref| <= absolute + relative * |ref|``."""

    absolute: float
    relative: float


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Op:
    """One operation. Compared by identity."""

    name: str
    namespace: Namespace
    spellings: tuple[str, ...]
    anchor: str
    summary: str
    operands: tuple[Operand, ...]
    params: tuple[Param, ...] = ()
    # The type of the result, or the error of the operands.
    rule: Callable[[tuple[OperandType, ...], Params], BlockType | Diagnostic]
    # float32 (or int64) arrays in element shape, any number of leading batch axes; numbers stay numbers.
    reference: Callable[[Sequence[Any], Params, BlockType], Array]
    # The extent of data (without padding) of the result; ``neutral`` replaces padding before the reference.
    valid_rule: Callable[[Sequence[Valid], Params, BlockType], Valid]
    neutral: float | None = None
    dunder: str | None = None
    reflected: str | None = None
    # Calls of the two generations are paired by position.
    hardware: Mapping[Generation, tuple[TileCall, ...]] = field(default_factory=dict)
    # The approximation of its first function.
    approximation: Approximation | None = None
    tolerance: Mapping[str, Tolerance] = field(default_factory=dict)
    family: Family = "elementwise"
    traits: frozenset[Trait] = frozenset()
    # The function of a reduction, and the row that combines two elements, or tiles, with that function.
    pool: Pool | None = None
    pairwise: str | None = None
    # The row that has the same result with the operands in the opposite order, if that is another row.
    exchanged: str | None = None
    # The right operand that leaves every float unchanged. Zero is not the identity of addition: it makes +0 of -0.
    identity: float | None = None
    # Operands that choose between others, and do not affect the element type of the result.
    conditions: tuple[int, ...] = ()
    # Element types of its operands, for documentation and tests (``rule`` enforces them).
    accepts: Accepts = "all"
    # Whether float operands are converted to integers if the result has integers (else ``reference`` converts them).
    coerces: bool = True
    # See ``undefined_lanes``; None if every lane is defined for all parameters.
    undefined: Callable[[Params, BlockType], Array | None] | None = None
    layouts: frozenset[Layout] = frozenset(Layout)
    doc: str = ""
    example: str = ""
    deprecated_spellings: tuple[str, ...] = ()
    # Parameters of the public function only, after the others; and the operations that they request, by name and with
    # their parameters, or an error.
    options: tuple[Param, ...] = ()
    optional: Callable[[Params, Params], tuple[tuple[str, Params], ...] | Diagnostic] = (
        lambda params, options: ()
    )
    # Whether older programs also call it with other arguments.
    older_forms: bool = False
    # The first release whose simulator has it.
    since: str = "0.1.0"

    @property
    def label(self) -> str:
        """The name in messages: ``a + b`` or ``ttl.math.exp``."""
        return self.spellings[0]

    @property
    def is_view(self) -> bool:
        """Whether it is a view of a block, without arithmetic."""
        return self.family in ("repetition", "transposition", "reshape")

    @property
    def adds_up(self) -> bool:
        """Whether each element of the result is a sum of many terms."""
        return self.family == "product" or self.pool == "sum"

    @property
    def reads_buffers(self) -> bool:
        """Whether the matrix unit computes it element by element from two blocks in circular buffers."""
        return self.family == "elementwise" and any(
            call.form == "fpu" for calls in self.hardware.values() for call in calls
        )

    @property
    def accumulates(self) -> bool:
        """Whether the matrix unit adds its result for two circular buffers to the contents of a register."""
        return any(call.accumulates for calls in self.hardware.values() for call in calls)

    @property
    def parameters(self) -> tuple[Param, ...]:
        """The parameters of the public function besides the operands."""
        return (*self.params, *self.options)

    def asks_approximation(self, params: Params) -> bool:
        """Whether parameters request an approximation of the hardware, which float32 executions do not compute."""
        asked = dict(zip((param.name for param in self.params), params, strict=True))
        functions = [call.function for call in self.hardware["0.81"][:1]]
        return any(
            slot.kind == "bool" and asked[slot.name] for function in functions for slot in function.template
        )

    def infer(self, operands: tuple[OperandType, ...], params: Params) -> BlockType | Diagnostic:
        """Return the type of the operation's result, or a diagnostic without a location. Cached.

        An operand that is a number is passed itself, because its value can matter (a negative exponent).
        """
        return _inferred(self, params, *operands)

    def evaluate(self, arrays: Sequence[Any], params: Params, result: BlockType) -> Array:
        """Compute the value in float32 (or int64).

        ``arrays`` are in element shape with equal leading batch axes, or numbers; an array that comes from
        ``fill`` may lack the batch axes. The result may be a read-only view.
        """
        if result.dtype.is_float:
            value = self.reference(arrays, params, result)
            return value.astype(np.float32) if value.dtype == np.float64 else value
        if self.coerces:
            arrays = [_whole(array) for array in arrays]
        return self.reference(arrays, params, result)

    def undefined_lanes(self, params: Params, result: BlockType) -> Array | None:
        """The lanes of the result without a defined value.

        The result is a boolean mask over the last two dimensions, in elements, True where a lane is undefined; None if
        every lane is defined.
        """
        return None if self.undefined is None else self.undefined(params, result)

    def __repr__(self) -> str:
        return f"<op {self.name}>"


def is_whole(number: float) -> bool:
    """Whether an integer block can be combined with a number: whole and within 64 bits."""
    return -(2.0**63) <= number < 2.0**63 and number == int(number)


def _whole(array: Any) -> Any:
    if type(array) is float:
        return int(array)
    if isinstance(array, np.ndarray) and array.dtype.kind == "f":
        return array.astype(np.int64)
    return array


@lru_cache(maxsize=_MOST_INFERRED, typed=True)
def _inferred(op: Op, params: Params, *operands: OperandType) -> BlockType | Diagnostic:
    """Return the result of ``Op.infer``. The cache distinguishes 1 and 1.0."""
    result = _number_in_place_of_block(op, operands) or op.rule(operands, params)
    if (
        isinstance(result, BlockType)
        and result.dtype is WHOLE_NUMBER
        and _makes_fractions(op, operands, params)
    ):
        return result.with_dtype(REAL_NUMBER)
    return result


def _makes_fractions(op: Op, operands: tuple[OperandType, ...], params: Params) -> bool:
    """Whether an operation may make fractions from whole numbers.

    It does if it is for floats only, if an operand or a parameter is a fraction, or if it is a power whose exponent is
    a block or not a whole number from 0 on.
    """
    if op.accepts == "float":
        return True
    if op.name == "pow":
        exponent = operands[1]
        return isinstance(exponent, BlockType) or not is_whole(exponent) or exponent < 0
    computed_with = [operand for at, operand in enumerate(operands) if at not in op.conditions]
    return any(
        isinstance(number, int | float) and not is_whole(number) for number in (*computed_with, *params)
    )


def _number_in_place_of_block(op: Op, operands: tuple[OperandType, ...]) -> Diagnostic | None:
    for operand, given in zip(op.operands, operands, strict=True):
        if not operand.scalar and not isinstance(given, BlockType):
            return error(
                "TTL0423",
                f"{op.label}: `{operand.name}` must be a block, not {number_text(given)}",
                help="to scale a block write a * b"
                if op.namespace == "operator"
                else "ttl.block.fill(value, shape=...) makes a block of one number",
            ).remedied_by(Rewrite(template="{0} * {1}") if op.namespace == "operator" else None)
    return None
