"""The dialects ``stablehlo`` and ``chlo`` as text, in MLIR's generic form, in which models arrive before they are TTIR.

Every operation of StableHLO 1.x and of CHLO is known by name, so that an operation without an equivalent is refused at
its place and not as an unknown name. The verifiers check the facts that the conversion relies on: numbers of operands
and results, required attributes, and shapes of elementwise operations. The pretty form is read with ``jaxlib``
(``tt_model.stablehlo.pretty``).
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar, NoReturn

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import traits_def
from xdsl.parser import Parser
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from tt_model.stablehlo.attributes import attributes, attributes_of_chlo
from tt_model.stablehlo.pretty import PRETTY_FORM

_UNARY = """
abs cbrt ceil cosine count_leading_zeros exponential exponential_minus_one floor imag is_finite log log_plus_one logistic negate
not popcnt real round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh convert
"""
_BINARY = """
add and atan2 divide maximum minimum multiply or power remainder shift_left shift_right_arithmetic shift_right_logical subtract
xor compare
"""
# Operands, results and attributes of the other operations that are converted or evaluated; a count of None means any
# number.
_OTHERS: dict[str, tuple[int | None, int | None, str]] = {
    "broadcast_in_dim": (1, 1, "broadcast_dimensions"),
    "case": (1, None, ""),
    "clamp": (3, 1, ""),
    "composite": (None, None, "name decomposition"),
    "concatenate": (None, 1, "dimension"),
    "constant": (0, 1, "value"),
    "convolution": (2, 1, "dimension_numbers feature_group_count batch_group_count"),
    "custom_call": (None, None, "call_target_name"),
    "dot_general": (2, 1, "dot_dimension_numbers"),
    "dynamic_slice": (None, 1, "slice_sizes"),
    "dynamic_update_slice": (None, 1, ""),
    "gather": (2, 1, "dimension_numbers slice_sizes"),
    "get_dimension_size": (1, 1, "dimension"),
    "if": (1, None, ""),
    "iota": (0, 1, "iota_dimension"),
    "pad": (2, 1, "edge_padding_low edge_padding_high interior_padding"),
    "reduce": (None, None, "dimensions"),
    "reduce_precision": (1, 1, "exponent_bits mantissa_bits"),
    "reduce_window": (None, None, "window_dimensions"),
    "reshape": (1, 1, ""),
    "reverse": (1, 1, "dimensions"),
    "scatter": (None, None, "scatter_dimension_numbers"),
    "select": (3, 1, ""),
    "slice": (1, 1, "start_indices limit_indices strides"),
    "sort": (None, None, ""),
    "transpose": (1, 1, "permutation"),
    "while": (None, None, ""),
}
_REST = """
after_all all_gather all_reduce all_to_all async_done async_start batch_norm_grad batch_norm_inference batch_norm_training
bitcast_convert broadcast cholesky collective_broadcast collective_permute complex create_token cross-replica-sum dot
dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota dynamic_pad dynamic_reshape einsum fft get_tuple_element
infeed map optimization_barrier outfeed partition_id real_dynamic_slice recv reduce_scatter replica_id rng rng_bit_generator
select_and_scatter send set_dimension_size torch_index_select triangular_solve tuple unary_einsum uniform_dequantize
uniform_quantize
"""
_CHLO_UNARY = """
acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma sinh square
tan
"""
_CHLO_REST = """
_asin_acos_kernel broadcast_add broadcast_and broadcast_atan2 broadcast_compare broadcast_complex broadcast_divide
broadcast_maximum broadcast_minimum broadcast_multiply broadcast_next_after broadcast_or broadcast_polygamma broadcast_power
broadcast_remainder broadcast_select broadcast_shift_left broadcast_shift_right_arithmetic broadcast_shift_right_logical
broadcast_subtract broadcast_xor broadcast_zeta constant constant_like mulhi next_after polygamma ragged_dot scan top_k zeta
"""


class HLOOperation(Operation):
    """An operation of StableHLO or CHLO. Each name has a class."""

    OPERANDS: ClassVar[int | None] = None
    RESULTS: ClassVar[int | None] = None
    REQUIRED: ClassVar[tuple[str, ...]] = ()
    ELEMENTWISE: ClassVar[bool] = False
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> NoReturn:
        """Report an error, since only the generic form can be read."""
        parser.raise_error(f"'{cls.name}': {PRETTY_FORM}")

    def inherent(self, name: str) -> Attribute | None:
        """An inherent attribute, from between ``<{`` and ``}>`` or, in older text, from the dictionary."""
        return self.properties.get(name, self.attributes.get(name))

    def verify_(self) -> None:
        for what, count, wanted in (
            ("operand", len(self.operands), self.OPERANDS),
            ("result", len(self.results), self.RESULTS),
        ):
            if wanted is not None and count != wanted:
                raise VerifyException(
                    f"'{self.name}' op expected {wanted} {what}{'s' if wanted != 1 else ''}, but found {count}"
                )
        for name in self.REQUIRED:
            if self.inherent(name) is None:
                raise VerifyException(f"'{self.name}' op requires attribute '{name}'")
        if self.ELEMENTWISE:
            shapes = {
                value.type.get_shape() if isinstance(value.type, TensorType) else None
                for value in (*self.operands, *self.results)
            }
            if len(shapes) != 1:
                types = ", ".join(str(value.type) for value in (*self.operands, *self.results))
                raise VerifyException(
                    f"'{self.name}' op requires compatible types for all operands and results, got {types}"
                )


class HLOReturn(HLOOperation):
    """Ends a region."""

    name = "stablehlo.return"
    traits = traits_def(Pure(), IsTerminator())


class HLOControlFlow(HLOOperation):
    """A loop or a branch, which TTIR does not have."""


class HLOEffect(HLOOperation):
    """An operation that may have effects besides its results."""

    traits = traits_def()


_BASES: dict[str, type[HLOOperation]] = {
    **dict.fromkeys(("custom_call", "infeed", "outfeed", "send", "recv", "rng"), HLOEffect),
    **dict.fromkeys(("while", "if", "case"), HLOControlFlow),
}


def _class(
    dialect: str,
    name: str,
    operands: int | None,
    results: int | None,
    required: str = "",
    *,
    elementwise: bool = False,
) -> type[Operation]:
    words = name.replace("-", "_").title().replace("_", "")
    return type(
        f"{dialect.title()}{words}Op",
        (_BASES.get(name, HLOOperation),),
        {
            "name": f"{dialect}.{name}",
            "OPERANDS": operands,
            "RESULTS": results,
            "REQUIRED": tuple(required.split()),
            "ELEMENTWISE": elementwise,
        },
    )


_CLASSES: dict[str, type[Operation]] = {
    **{name: _class("stablehlo", name, 1, 1, elementwise=True) for name in _UNARY.split()},
    **{
        name: _class(
            "stablehlo", name, 2, 1, "comparison_direction" if name == "compare" else "", elementwise=True
        )
        for name in _BINARY.split()
    },
    **{name: _class("stablehlo", name, *known) for name, known in _OTHERS.items()},
    **{name: _class("stablehlo", name, None, None) for name in _REST.split()},
    "return": HLOReturn,
}
# The classes that passes match.
HLOAdd, HLOAnd, HLOOr, HLOXor = (_CLASSES[name] for name in ("add", "and", "or", "xor"))
HLOMultiply, HLOMaximum, HLOMinimum = (_CLASSES[name] for name in ("multiply", "maximum", "minimum"))
HLOShiftLeft, HLOShiftRight = _CLASSES["shift_left"], _CLASSES["shift_right_logical"]
HLOConstant, HLOBroadcastInDim, HLOConcatenate = (
    _CLASSES[name] for name in ("constant", "broadcast_in_dim", "concatenate")
)
HLOGather, HLOScatter, HLOUpdate, HLOPad = (
    _CLASSES[name] for name in ("gather", "scatter", "dynamic_update_slice", "pad")
)
HLOReduce, HLOCompare, HLOSort, HLOBarrier = (
    _CLASSES[name] for name in ("reduce", "compare", "sort", "optimization_barrier")
)
HLOWhile, HLOIf, HLOComposite, HLOCustomCall = (
    _CLASSES[name] for name in ("while", "if", "composite", "custom_call")
)
HLOReduceWindow = _CLASSES["reduce_window"]
HLOPartitionId = _CLASSES["partition_id"]
PRODUCTS = (_CLASSES["dot_general"], _CLASSES["dot"])
# Operations on the bits of numbers.
OF_BITS = (
    *(HLOAnd, HLOOr, HLOXor, HLOShiftLeft, HLOShiftRight),
    *(_CLASSES[name] for name in ("bitcast_convert", "not", "shift_right_arithmetic")),
)
# Operations that exchange tensors between devices, or return the number of the device.
COLLECTIVES = (
    HLOPartitionId,
    *(
        _CLASSES[name]
        for name in ("all_gather", "all_reduce", "all_to_all", "collective_permute", "reduce_scatter")
    ),
)


@cache
def stablehlo() -> Dialect:
    """The dialect ``stablehlo``."""
    return Dialect("stablehlo", list(_CLASSES.values()), list(attributes()))


@cache
def chlo() -> Dialect:
    """The dialect ``chlo``: functions that StableHLO does not have."""
    operations = [
        *(_class("chlo", name, 1, 1, elementwise=True) for name in _CHLO_UNARY.split()),
        *(_class("chlo", name, None, None) for name in _CHLO_REST.split()),
    ]
    return Dialect("chlo", operations, list(attributes_of_chlo()))


def operation_named(name: str) -> type[Operation]:
    """The class of StableHLO operations with this name. Raises ``KeyError``."""
    return _CLASSES[name.removeprefix("stablehlo.")]
