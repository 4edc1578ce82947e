"""The operations of ``emitc``, which are parsed in MLIR's own form, too, and printed in the generic one.

Every version of MLIR reads the generic form. Where versions differ, both forms are allowed: in MLIR 19 a variable is
used directly, later versions load its value. Types and opaque attributes, and three of the operations, are those of
xDSL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Self

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.emitc import (
    EmitC_ArrayType,
    EmitC_LValueType,
    EmitC_OpaqueAttr,
    EmitC_OpaqueType,
    EmitC_PointerType,
    EmitC_PtrDiffT,
    EmitC_SignedSizeT,
    EmitC_SizeT,
)
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator, OpTrait
from xdsl.utils.exceptions import VerifyException

from ttl.emitc.shapes import SHAPES
from ttl.emitc.syntax import parse_operation

_TRAITS: Mapping[str, tuple[OpTrait, ...]] = MappingProxyType(
    {
        "file": (NoTerminator(), IsolatedFromAbove()),
        "func": (IsolatedFromAbove(),),
        "return": (IsTerminator(),),
        "yield": (IsTerminator(),),
    }
)
# Optional attributes.
_OPTIONAL = frozenset(
    {
        *("is_standard_include", "args", "template_args", "specifiers", "do_not_inline"),
        *("initial_value", "extern_specifier", "static_specifier", "const_specifier"),
    }
)


class EmitcOp(IRDLOperation):
    """An operation of ``emitc``; ``SHAPES`` defines its operands, results and attributes."""

    arguments = var_operand_def()
    res = var_result_def()
    bodies = var_region_def()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        return parse_operation(cls, parser)

    def verify_(self) -> None:
        shape = SHAPES[self.name.removeprefix("emitc.")]
        result = (len(self.operands), len(self.results), len(self.regions))
        for what, wanted, is_there in zip(
            ("operands", "results", "regions"),
            (shape.operands, shape.results, shape.regions),
            result,
            strict=True,
        ):
            if wanted is not None and wanted != is_there:
                raise VerifyException(f"{self.name} has {wanted} {what}, not {is_there}")
        for name in shape.attributes:
            if name not in _OPTIONAL and name not in self.properties:
                raise VerifyException(f"{self.name} has the attribute {name}")


@cache
def class_of(name: str) -> type[EmitcOp]:
    """The class of an operation, by its name without ``emitc.``. Raises KeyError."""
    shape = SHAPES[name]
    kind = type(
        f"{name.title().replace('_', '')}Op",
        (EmitcOp,),
        {
            "name": f"emitc.{name}",
            "traits": traits_def(*_TRAITS.get(name, ())),
            **{
                f"{attribute}_attr": opt_prop_def(Attribute, prop_name=attribute)
                for attribute in shape.attributes
            },
        },
    )
    return irdl_op_definition(kind)


def emitc() -> Dialect:
    """The dialect, for a context in which text is parsed."""
    types = (
        EmitC_ArrayType, EmitC_LValueType, EmitC_OpaqueType, EmitC_PointerType, EmitC_PtrDiffT, EmitC_SignedSizeT, EmitC_SizeT,
    )  # fmt: skip
    return Dialect("emitc", [class_of(name) for name in SHAPES], [*types, EmitC_OpaqueAttr])


def operation(
    name: str,
    *operands: SSAValue,
    results: Sequence[Attribute] = (),
    regions: Sequence[Block | None] = (),
    **attributes: Attribute | None,
) -> EmitcOp:
    """Make an operation; ``regions`` are the blocks of its regions, None for an empty region."""
    result: Any = class_of(name)
    created: EmitcOp = result.create(
        operands=operands,
        result_types=results,
        regions=[Region([]) if block is None else Region([block]) for block in regions],
        properties={key: value for key, value in attributes.items() if value is not None},
    )
    return created


def opaque(text: str) -> EmitC_OpaqueAttr:
    """C++ as an attribute."""
    return EmitC_OpaqueAttr(StringAttr(text))
