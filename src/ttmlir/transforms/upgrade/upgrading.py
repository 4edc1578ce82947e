"""Conversion of text of 2025 or later to 2024-11-21: wrappers are removed, composites inlined, operations converted.

Operations without a form of 2024-11-21 are refused in one error, with a note at the place of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.dialects.builtin import FunctionType, ModuleOp, SymbolRefAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue

from tt_model.integers.bounds import CODE
from tt_model.integers.kinds import WIDEST, IntegerKind, kind_of
from tt_model.operations.ttir import TTIR
from tt_model.stablehlo.numbers import converted_type
from ttl.ir.assembly import Style
from ttl.ir.context import make_context
from ttl.ir.locations import first_span
from ttl.ir.mlir_text import print_as_mlir
from ttl.ir.parser import parse_text
from ttl.ir.refusals import Refusal, Refused
from ttl.ir.reports import InvalidIR, Report
from ttmlir.transforms.from_stablehlo.writer import Rule, Writer
from ttmlir.transforms.upgrade.arithmetic import ARITHMETIC
from ttmlir.transforms.upgrade.images import IMAGES
from ttmlir.transforms.upgrade.layers import LAYERS, filled_cache, updated_cache
from ttmlir.transforms.upgrade.reading import VALID, attribute, integer, is_of_later, later_dialect, name_of
from ttmlir.transforms.upgrade.shapes import SHAPES

RULES: Mapping[str, Rule] = MappingProxyType({**ARITHMETIC, **SHAPES, **LAYERS, **IMAGES})
# Operations that no operation of 2024-11-21 computes.
WITHOUT_FORM = frozenset(
    {"acos", "asin", "asinh", "atan", "atan2", "bitcast_convert", "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "erf"}
    | {"erfc", "gelu_bw", "logical_left_shift", "logical_right_shift", "right_shift", "argmax", "cumprod", "rearrange"}
    | {"slice_dynamic", "sparse_matmul", "batch_norm_training", "distributed_rms_norm", "distributed_layer_norm"}
    | {"embedding_backward", "sampling", "scatter", "sort", "topk", "conv1d", "conv3d", "conv_transpose2d"}
    | {"max_pool2d_with_indices", "rand", "dropout", "paged_update_cache", "paged_fill_cache", "sdpa_fw", "sdpa_bw"}
    | {"chunked_scaled_dot_product_attention", "paged_scaled_dot_product_attention_decode", "topk_router_gpt", "adamw"}
    | {"collective_permute", "collective_broadcast", "all_to_all", "quantize", "dequantize", "requantize"}
)  # fmt: skip
_OF_BOTH = frozenset(row.mnemonic for row in TTIR.rows)
# Names of operations that only later text has.
LATER = (frozenset(RULES) | WITHOUT_FORM | {"fill_cache", "update_cache"}) - _OF_BOTH
# Operations that only describe the device, which the pipeline adds to a module by itself.
_DROPPED = ("ttcore.device",)
_CALLS = {"ttcore.composite": "decomposition", "ttcore.load_cached": "callee"}
_CACHES = ("ttir.fill_cache", "ttir.update_cache")
_MOST_SHOWN = 50

Refusals = list[tuple[Operation, Refusal]]


def upgraded_text(text: str, file: str = "<string>", first_line: int = 1) -> str:
    """Return the upgraded text; call ``later.upgraded_text`` first, which needs no import."""
    if not is_of_later(text, LATER):
        return text
    context = make_context({name: _loader(name) for name in ("ttir", "ttcore")}, allow_unregistered=True)
    context.complete = frozenset()
    module = parse_text(context, text, file, first_line=first_line)
    return print_as_mlir(upgraded(module), Style(locations=True))


def _loader(name: str) -> Callable[[], Dialect]:
    return lambda: later_dialect(name)


def upgraded(module: ModuleOp) -> ModuleOp:
    """Convert a module of later operations to operations of 2024-11-21. Raises ``InvalidIR`` if some have no form."""
    refused: Refusals = []
    functions = {op.sym_name.data: op for op in _functions(module, refused)}
    inlined = {
        _callee(op) for function in functions.values() for op in function.walk() if name_of(op) in _CALLS
    }
    # If all functions are called by others, there are no entries, and all functions are checked.
    entries = [function for name, function in functions.items() if name not in inlined]
    new = [_upgraded(function, functions, refused) for function in entries or functions.values()]
    if refused:
        raise InvalidIR(_report(refused))
    result = ModuleOp(new)
    result.location = module.location
    return result


def _functions(module: ModuleOp, refused: Refusals) -> Iterable[FuncOp]:
    for op in module.ops:
        name = name_of(op)
        if isinstance(op, FuncOp):
            yield op
        elif isinstance(op, ModuleOp):
            yield from _functions(op, refused)
        elif name == "ttcore.device_module":
            for inner in op.regions[0].block.ops:
                if isinstance(inner, ModuleOp):
                    yield from _functions(inner, refused)
        elif name == "ttcore.cpu_module":
            refused.append(
                (
                    op,
                    Refusal("it has functions for the host's processor", "what works: functions of TTIR"),
                )
            )
        elif name not in _DROPPED:
            refused.append((op, Refusal("it is outside of a function", "what works: functions")))


def _callee(op: Operation) -> str | None:
    symbol = attribute(op, _CALLS[name_of(op)])
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


def _upgraded(function: FuncOp, functions: Mapping[str, FuncOp], refused: Refusals) -> FuncOp:
    """Convert a function. ``refused`` gets the operations and types without a form."""

    def converted(type: Attribute) -> Attribute:
        try:
            return converted_type(type)
        except Refused as problem:
            refused.append((function, problem.refusal))
            return type

    inputs, outputs = (
        [converted(one) for one in side]
        for side in (function.function_type.inputs, function.function_type.outputs)
    )
    body = Region()
    if function.body.blocks:
        writer = _UpgradedFunction(Block(arg_types=inputs), function, functions, refused)
        writer.write()
        body.add_block(writer.block)
    new = FuncOp(
        function.sym_name.data,
        FunctionType.from_lists(inputs, outputs),
        body,
        visibility=function.sym_visibility,
    )
    new.location = function.location
    return new


class _UpgradedFunction(Writer):
    """Writes the body of a function."""

    def __init__(
        self, block: Block, function: FuncOp, functions: Mapping[str, FuncOp], refused: Refusals
    ) -> None:
        super().__init__(block)
        self.refused = refused
        self._function = function
        self._functions = functions
        self._within: tuple[str, ...] = (function.sym_name.data,)
        self._returned: list[SSAValue] = []

    def write(self) -> None:
        """Write the whole body."""
        self.take_arguments(self._function.body.block)
        self.convert_block(self._function.body.block)
        self.location = self._function.location
        self.add(ReturnOp(*self._returned))

    def convert(self, op: Operation) -> Sequence[SSAValue]:
        try:
            return self._operation(op)
        except (IndexError, KeyError, ValueError, TypeError, AssertionError, AttributeError) as problem:
            what = f"it is not valid in its dialect: {type(problem).__name__}: {problem}".rstrip(": ")
            raise Refused(what, VALID) from problem

    def _operation(self, op: Operation) -> Sequence[SSAValue]:
        name = name_of(op)
        if isinstance(op, ReturnOp):
            self._returned = self.operands(op)
            return ()
        if name in _CALLS:
            return self._inlined(op)
        if name == "ttcore.optimization_barrier":
            return self.operands(op)
        if name in _CACHES:
            return self._cache(op)
        if isinstance(op, CallOp):
            types = [converted_type(one.type) for one in op.results]
            return self.add(CallOp(op.callee, self.operands(op), types)).results
        rule = RULES.get(name.partition(".")[2]) if name.startswith("ttir.") else None
        if rule is None:
            raise Refused(
                "it has no form of 2024-11-21",
                "what works: the operations that docs/ttmlir/later-text.md lists",
            )
        require_no_more_bits(name.partition(".")[2], op)
        return [
            self._as_wanted(value, converted_type(old.type))
            for value, old in zip(list(rule(op, self)), op.results, strict=True)
        ]

    def _as_wanted(self, value: SSAValue, wanted: Attribute) -> SSAValue:
        if value.type == wanted:
            return value
        type = self.type(value)
        if type.get_shape() == wanted.get_shape():  # type: ignore[attr-defined]
            return self.typecast(value, wanted.element_type)  # type: ignore[attr-defined]
        raise Refused(f"its result is {wanted}, but its conversion computes {type}", VALID)

    def _inlined(self, op: Operation) -> Sequence[SSAValue]:
        function = self._functions.get(_callee(op) or "")
        if function is None or not function.body.blocks:
            raise Refused(f"the function {_callee(op)} that it calls does not exist", VALID)
        body = function.body.block
        name = function.sym_name.data
        if name in self._within:
            raise Refused(f"the function {name} that it calls is recursive", VALID)
        self.became.update(zip(body.args, self.operands(op), strict=True))
        self._within = (*self._within, name)
        self.convert_block(body)
        self._within = self._within[:-1]
        return self._returned

    def _cache(self, op: Operation) -> Sequence[SSAValue]:
        """Convert a write to a cache: it is in place, so later operations use the new value."""
        cache, value, *index = self.operands(op)
        if name_of(op) == "ttir.fill_cache":
            new = filled_cache(cache, value, integer(op, "batch_offset", 0), self)
        else:
            new = updated_cache(cache, value, index[0], self)
        self.became[op.operands[0]] = new
        return [new] * len(op.results)


def _report(refused: Refusals) -> Report:
    """One error, with a note at each place."""
    count = len(refused)
    first, _ = refused[0]
    notes = [
        Report(
            message=f"'{name_of(op)}': {problem.condition}; {problem.way_out}",
            severity="note",
            span=first_span(op.location),
        )
        for op, problem in refused[:_MOST_SHOWN]
    ]
    if count > _MOST_SHOWN:
        notes.append(Report(message=f"and {count - _MOST_SHOWN} more", severity="note"))
    return Report(
        message=f"this is text of 2025 or later, and {count} of its operations {'has' if count == 1 else 'have'} no form in the "
        "dialects of 2024-11-21",
        span=first_span(first.location),
        notes=tuple(notes),
    )


# Operations whose elements are those of operands, which 32 bits hold, or no larger; or positions and extents.
_NO_LARGER: Final = frozenset(
    {
        *("all_gather", "broadcast", "concat", "concatenate_heads", "embedding", "empty", "index", "index_select", "mesh_partition"),
        *("mesh_shard", "permute", "repeat", "repeat_interleave", "reshape", "reverse", "select", "slice_static", "squeeze"),
        *("transpose", "unsqueeze", "where", "max", "maximum", "min", "minimum", "relu", "relu6", "remainder", "sign", "signbit"),
        *("pad", "clamp_scalar", "clamp_tensor", "arange", "get_dimension_size", "ones", "zeros", "full", "constant", "trunc"),
        *("ceil", "floor"),
    }
)  # fmt: skip


def require_no_more_bits(name: str, op: Operation) -> None:
    """Raise ``Refused`` for an operation whose result may be a 64-bit integer that does not fit 32 bits."""
    wide = next((kind for kind in map(_kind, op.results) if kind is not None and kind.width > WIDEST), None)
    if wide is None or name in _NO_LARGER or (name == "typecast" and _is_narrow(op.operands[0])):
        return
    raise Refused(
        f"its {wide} may need more bits than the {WIDEST} that the device has for it [{CODE}]",
        "what works: integers of 32 bits in the text; or compile the model from its framework, which knows the range of its numbers",
    )


def _kind(value: SSAValue) -> IntegerKind | None:
    return kind_of(value.type.element_type) if isinstance(value.type, TensorType) else None


def _is_narrow(value: SSAValue) -> bool:
    """Whether the device's type for int64 holds all numbers of the element type of a value."""
    kind = _kind(value)
    if kind is None:
        return str(getattr(value.type, "element_type", "")) == "i1"
    return kind.width < WIDEST or kind.is_signed
