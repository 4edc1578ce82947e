"""A text of 2025 or later as one of 2024-11-21: wrappers are gone, calls of composites inlined, operations have their forms.

What has no form is refused, all of it in one error, each at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import FunctionType, ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Dialect, Operation, Region, SSAValue

from ttl.ir.assembly import Style
from ttl.ir.context import make_context
from ttl.ir.locations import first_span
from ttl.ir.mlir_text import print_as_mlir
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidText, Report
from ttmlir.operations.ttir import TTIR
from ttmlir.stablehlo.known import Known
from ttmlir.stablehlo.numbers import converted_type
from ttmlir.stablehlo.problems import Unsupported
from ttmlir.transforms.from_stablehlo.writer import Writer
from ttmlir.transforms.upgrade.arithmetic import ARITHMETIC, Rule
from ttmlir.transforms.upgrade.images import IMAGES
from ttmlir.transforms.upgrade.layers import LAYERS, filled_cache, updated_cache
from ttmlir.transforms.upgrade.reading import VALID, attribute, integer, is_of_later, later_dialect, name_of
from ttmlir.transforms.upgrade.shapes import SHAPES

RULES: Mapping[str, Rule] = MappingProxyType({**ARITHMETIC, **SHAPES, **LAYERS, **IMAGES})
# Operations that nothing of 2024-11-21 computes.
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
# What only says something of the device, which the pipeline gives a module by itself.
_DROPPED = ("ttcore.device",)
_CALLS = {"ttcore.composite": "decomposition", "ttcore.load_cached": "callee"}
_CACHES = ("ttir.fill_cache", "ttir.update_cache")
_MOST_SHOWN = 50

Refused = list[tuple[Operation, Unsupported]]


def upgraded_text(text: str, file: str = "<string>", first_line: int = 1) -> str:
    """As ``later.upgraded_text``, which is to be asked first."""
    if not is_of_later(text, LATER):
        return text
    context = make_context({name: _loader(name) for name in ("ttir", "ttcore")}, allow_unregistered=True)
    context.complete = frozenset()
    module = parse_text(context, text, file, first_line=first_line)
    return print_as_mlir(upgraded(module), Style(locations=True))


def _loader(name: str) -> Callable[[], Dialect]:
    return lambda: later_dialect(name)


def upgraded(module: ModuleOp) -> ModuleOp:
    """A module of later operations, in those of 2024-11-21. Raises ``InvalidText``."""
    refused: Refused = []
    functions = {op.sym_name.data: op for op in _functions(module, refused)}
    inlined = {
        _callee(op) for function in functions.values() for op in function.walk() if name_of(op) in _CALLS
    }
    # Functions that only stand for each other are none of the program's, but have to be looked at.
    entries = [function for name, function in functions.items() if name not in inlined]
    new = [
        _UpgradedFunction(function, functions, refused).upgraded()
        for function in entries or functions.values()
    ]
    if refused:
        raise InvalidText(_report(refused))
    result = ModuleOp(new)
    result.location = module.location
    return result


def _functions(module: ModuleOp, refused: Refused) -> Iterable[FuncOp]:
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
                    Unsupported("it has functions for the host's processor", "what works: functions of TTIR"),
                )
            )
        elif name not in _DROPPED:
            refused.append((op, Unsupported("it stands outside of a function", "what works: functions")))


def _callee(op: Operation) -> str | None:
    symbol = attribute(op, _CALLS[name_of(op)])
    return symbol.root_reference.data if isinstance(symbol, SymbolRefAttr) else None


class _UpgradedFunction:
    """One function. ``refused`` gets what has no form."""

    def __init__(self, function: FuncOp, functions: Mapping[str, FuncOp], refused: Refused) -> None:
        self._function = function
        self._functions = functions
        self._refused = refused
        self._within: tuple[str, ...] = (function.sym_name.data,)

    def upgraded(self) -> FuncOp:
        """The function anew."""
        old = self._function
        inputs, outputs = (
            [self._type(one) for one in side]
            for side in (old.function_type.inputs, old.function_type.outputs)
        )
        type = FunctionType.from_lists(inputs, outputs)
        if not old.body.blocks:
            new = FuncOp(old.sym_name.data, type, Region(), visibility=old.sym_visibility)
            new.location = old.location
            return new
        block = Block(arg_types=inputs)
        for argument, fresh in zip(old.body.block.args, block.args, strict=True):
            fresh.name_hint, fresh.location = argument.name_hint, argument.location
        w = Writer(block, Known(), dict(zip(old.body.block.args, block.args, strict=True)), old.location)
        returned = self._block(old.body.block, w)
        end = ReturnOp(*returned)
        end.location = old.location
        block.add_op(end)
        new = FuncOp(old.sym_name.data, type, Region(block), visibility=old.sym_visibility)
        new.location = old.location
        return new

    def _type(self, type: Attribute) -> Attribute:
        try:
            return converted_type(type)
        except Unsupported as problem:
            self._refused.append((self._function, problem))
            return type

    def _block(self, block: Block, w: Writer) -> list[SSAValue]:
        """The operations of a block; what it returns."""
        for op in block.ops:
            w.location = op.location
            if isinstance(op, ReturnOp):
                return [w[operand] for operand in op.operands]
            try:
                results = self._operation(op, w)
            except Unsupported as problem:
                self._refused.append((op, problem))
                results = None
            except (IndexError, KeyError, ValueError, TypeError, AssertionError, AttributeError) as problem:
                what = f"it is not as its dialect has it: {type(problem).__name__}: {problem}".rstrip(": ")
                self._refused.append((op, Unsupported(what, VALID)))
                results = None
            for at, old in enumerate(op.results):
                w.values[old] = self._stand_in(old, w) if results is None else results[at]
                w.values[old].name_hint = w.values[old].name_hint or old.name_hint
        return []

    def _operation(self, op: Operation, w: Writer) -> list[SSAValue]:
        name = name_of(op)
        if name in _CALLS:
            return self._inlined(op, w)
        if name == "ttcore.optimization_barrier":
            return w.operands(op)
        if name in _CACHES:
            return self._cache(op, w)
        if isinstance(op, CallOp):
            copy = CallOp(op.callee, w.operands(op), [converted_type(one.type) for one in op.results])
            copy.location = op.location
            w.block.add_op(copy)
            return list(copy.results)
        rule = RULES.get(name.partition(".")[2]) if name.startswith("ttir.") else None
        if rule is None:
            raise Unsupported(
                "it has no form of 2024-11-21", "what works: docs/ttmlir/later-text.md lists what has one"
            )
        results = list(rule(op, w))
        return [
            self._as_wanted(value, converted_type(old.type), w)
            for value, old in zip(results, op.results, strict=True)
        ]

    def _as_wanted(self, value: SSAValue, wanted: Attribute, w: Writer) -> SSAValue:
        if value.type == wanted:
            return value
        type = w.type(value)
        if type.get_shape() == wanted.get_shape():  # type: ignore[attr-defined]
            return w.typecast(value, wanted.element_type)  # type: ignore[attr-defined]
        raise Unsupported(f"its result is {wanted}, and what it computes is {type}", VALID)

    def _inlined(self, op: Operation, w: Writer) -> list[SSAValue]:
        function = self._functions.get(_callee(op) or "")
        if function is None or not function.body.blocks:
            raise Unsupported(f"the function {_callee(op)} that it stands for is not there", VALID)
        body = function.body.block
        name = function.sym_name.data
        if name in self._within:
            raise Unsupported(f"the function {name} that it stands for calls itself", VALID)
        for argument, operand in zip(body.args, op.operands, strict=True):
            w.values[argument] = w[operand]
        self._within = (*self._within, name)
        results = self._block(body, w)
        self._within = self._within[:-1]
        return results

    def _cache(self, op: Operation, w: Writer) -> list[SSAValue]:
        """A cache is written in place: from here on its value is another one."""
        cache, value, *index = w.operands(op)
        if name_of(op) == "ttir.fill_cache":
            new = filled_cache(cache, value, integer(op, "batch_offset", 0), w)
        else:
            new = updated_cache(cache, value, index[0], w)
        w.values[op.operands[0]] = new
        return [new] * len(op.results)

    def _stand_in(self, value: SSAValue, w: Writer) -> SSAValue:
        try:
            return w.empty(converted_type(value.type))
        except Unsupported:
            return w.filled(0, (1,), w.element(next(iter(w.values.values()))))


def _report(refused: Refused) -> Report:
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
