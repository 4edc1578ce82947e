"""``ttmlir.torch.compile``: a module or a function of PyTorch becomes a binary, by way of ``torch.export`` and TTIR."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.func import FuncOp

from tt_model.binaries.binary import load_binary_from_capsule
from tt_model.operations.constants import give_limits, give_values, give_written
from ttl.ir.dense import dense_of_bytes
from ttl.ir.refusals import Refused
from ttmlir.compositions.dimensions import program_shape
from ttmlir.dialects import func
from ttmlir.framework_pipeline import Weights, compiled_content, require_weights
from ttmlir.inspection import module_of
from ttmlir.ir import Context, FunctionType, InsertionPoint, Location, Module, TypeAttr
from ttmlir.loaded import CompileError
from ttmlir.torch.compiled import CallTrees, ModelArgument, OutputLeaf, TorchModel, bytes_for_device
from ttmlir.torch.exporting import Examples, device_of, exported, floats_of, module_of_function
from ttmlir.torch.functions.integers import INTEGER_RULES
from ttmlir.torch.graph import GraphWalk
from ttmlir.torch.node_builder import NodeBuilder, element_type, located, value_in
from ttmlir.torch.row import AtenValue
from ttmlir.torch.table import ROWS

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

    from ttmlir.ir import Block


# The models that can be compiled.
Model: TypeAlias = "torch.nn.Module | ExportedProgram | Callable[..., Any]"


def compile(
    module: Model,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    options: str = "",
    goldens: bool = False,
    weights: Weights = "inputs",
) -> TorchModel:
    """A module of PyTorch as a model that runs on a system without a card.

    Args:
        module: the module, ready for inference (``module.eval()``), or the result of ``torch.export.export``; or a function
            of tensors. A parameter ``builder`` of a function gets the methods of ``TTIRBuilder``, which take and give tensors.
        inputs: of each input a tensor like it, its shape (of the type of the module's floats), or its shape and type
            (``((1, 128), "i64")``); nested as the module takes them. Types are f32, bf16, i64, i32, i16, i8, u8, bool.
        kwargs: the same for keyword arguments.
        options: of the pipeline, as on the command line: ``"system-desc-path=x.ttsys"``.
        goldens: keep a golden tensor of torch for every operation in the file, on these inputs; on random ones for shapes.
        weights: "inputs" are arguments that may change; "constants" keep their present values, and results that depend only on them
            (transposed weights, the scale of a batch norm) are computed once, by torch.

    Raises:
        CompileError: with every function of the graph that cannot be converted, each with the user's line and an alternative; for modules
            without a graph; and for modules that the pipeline refuses.
    """
    written = written_down(module, *inputs, kwargs=kwargs, goldens=goldens, weights=weights)
    try:
        content = compiled_content(
            written.module,
            options,
            kernel_modules=written.kernel_modules,
            weights=written.weights,
            goldens=written.builder.get_permuted_golden_map,
        )
    except RuntimeError as problem:
        raise CompileError(f"{written.name} cannot be compiled: {problem}") from None
    binary = load_binary_from_capsule(content)
    model = TorchModel(
        binary, written.module, written.arguments, written.held, written.trees, written.written
    )
    model.allow_tt_lang = written.kernel_modules
    model.weight_positions = written.weights
    return model


def to_ttir(
    module: Model, *inputs: Any, kwargs: Mapping[str, Any] | None = None, weights: Weights = "inputs"
) -> Module:
    """The TTIR that ``compile`` makes from a module. Arguments and errors are those of ``compile``.

    Constants of several numbers are arguments whose values are in the text, so that the text is complete.
    """
    written = written_down(module, *inputs, kwargs=kwargs, weights=weights)
    _write_constants(written)
    return written.module


def _write_constants(written: WrittenModel) -> None:
    function = next(op for op in module_of(written.module).walk() if isinstance(op, FuncOp))
    types = function.function_type.inputs.data
    values = {
        at: dense_of_bytes(types[at], bytes_for_device(one, written.held[one.name]))
        for at, one in enumerate(written.arguments)
        if one.kind == "constant"
    }
    if values:
        give_values(function, values)


@dataclass
class WrittenModel:
    """A module written down in TTIR: its arguments, and the tensors that it holds by their names."""

    name: str
    module: Module
    builder: NodeBuilder
    arguments: list[ModelArgument] = field(default_factory=list)
    held: dict[str, torch.Tensor] = field(default_factory=dict)
    trees: Any = None
    # The inputs and buffers that the module writes into, by name, with the result that has the new value.
    written: dict[str, OutputLeaf] = field(default_factory=dict)
    kernel_modules: tuple[str, ...] = ()

    @property
    def weights(self) -> frozenset[int]:
        """The positions of the arguments that the module holds."""
        return frozenset(at for at, one in enumerate(self.arguments) if one.kind != "input")


def written_down(
    module: Model,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    goldens: bool = False,
    weights: Weights = "inputs",
) -> WrittenModel:
    """A module in TTIR, before any pass. Raises ``CompileError``."""
    import torch
    from torch.export import ExportedProgram

    require_weights(weights)
    if not isinstance(module, torch.nn.Module | ExportedProgram):
        if not callable(module):
            raise CompileError(f"{module!r} is neither a torch.nn.Module nor a function")
        module = module_of_function(module)
    examples = Examples(device_of(module), floats_of(module), are_drawn=goldens)
    args = [examples.of(one, f"input {index}") for index, one in enumerate(inputs)]
    named = {name: examples.of(one, f"input {name}") for name, one in (kwargs or {}).items()}
    program = exported(module, args, named, frozenset((*ROWS, *INTEGER_RULES)))
    name = "model" if isinstance(module, ExportedProgram) else type(module).__name__
    return _Writing(program, re.sub(r"\W", "_", name), goldens, weights).written()


class _Writing:
    """Converts one exported program to a function."""

    def __init__(self, program: ExportedProgram, name: str, goldens: bool, weights: Weights) -> None:
        self._program = program
        self._goldens = goldens
        self._written = {
            spec.target: spec.kind
            for spec in program.graph_signature.output_specs
            if "MUTATION" in spec.kind.name
        }
        self._are_known = weights == "constants"
        # Arguments whose integers must lie within a bound.
        self._bounded: dict[str, AtenValue] = {}
        self._context: Context = Context()
        self._place = Location.name(name, context=self._context)
        builder = NodeBuilder(self._context, self._place, goldens=goldens)
        self._model = WrittenModel(name, None, builder)  # type: ignore[arg-type]
        self._block: Block

    def written(self) -> WrittenModel:
        """Convert the whole program. Raises ``CompileError``."""
        import torch

        with self._context, self._place:
            model = self._model
            model.module = Module.create()
            with InsertionPoint(model.module.body):
                function = func.FuncOp(model.name, FunctionType.get([], []))
            self._block = function.add_entry_block([])
            lowering = GraphWalk(model.builder, self._constant, table=ROWS)
            lowering.bounds.follow(self._program.graph)
            with InsertionPoint(self._block):
                self._take_arguments(lowering)
                for node in self._program.graph.nodes:
                    if node.op == "call_function":
                        lowering.lower(node)
                _stop(model.name, lowering)
                results, leaves = self._results(lowering)
                _stop(model.name, lowering)
                func.ReturnOp(results)
            model.kernel_modules = tuple(sorted(lowering.kernel_modules))
            types = [one.type for one in self._block.arguments], [one.type for one in results]
            function.attributes["function_type"] = TypeAttr.get(FunctionType.get(*types))
            limits = {
                at: limit
                for at, one in enumerate(model.arguments)
                if (value := self._bounded.get(one.name)) is not None
                and (limit := lowering.bounds.limits_of(value)) is not None
            }
            if limits:
                give_limits(function.xdsl, limits)  # type: ignore[arg-type]
            names = {one.name: at for at, one in enumerate(model.arguments)}
            written = {
                names[name]: leaf.index
                for name, leaf in model.written.items()
                if leaf.index is not None and name in names
            }
            if written:
                give_written(function.xdsl, written)  # type: ignore[arg-type]
        spec = self._program.call_spec
        fixed = tuple(None if isinstance(one, torch.Tensor) else one for one in self._examples())
        model.trees = CallTrees(spec.in_spec, fixed, spec.out_spec, tuple(leaves))
        return model

    # Arguments.

    def _take_arguments(self, lowering: GraphWalk) -> None:
        """Make the function's arguments: all user inputs, then the weights in use; known tensors get no argument."""
        from torch.export.graph_signature import InputKind

        nodes = {node.name: node for node in self._program.graph.nodes if node.op == "placeholder"}
        specs = self._program.graph_signature.input_specs
        examples = iter(self._examples())
        for spec in specs:
            if spec.kind is InputKind.USER_INPUT:
                self._take_input(lowering, nodes[spec.arg.name], next(examples))
        shared: dict[int, AtenValue] = {}
        for spec in specs:
            node = nodes[spec.arg.name]
            if spec.kind is InputKind.TOKEN:
                lowering.values[node] = None
            elif spec.kind is not InputKind.USER_INPUT and node.users:
                held = self._held(spec, shared)
                if spec.target in self._written:
                    lowering.caches.add(node)
                    held = replace(held, spans=lowering.bounds.of_argument(node, held.dtype))
                    self._bounded[spec.target] = held
                lowering.values[node] = held

    def _examples(self) -> list[Any]:
        from torch.utils import _pytree

        return _pytree.tree_leaves(self._program.example_inputs)

    def _take_input(self, lowering: GraphWalk, node: Any, example: Any) -> None:
        import torch

        meta = node.meta.get("val")
        if not isinstance(meta, torch.Tensor):
            lowering.values[node] = meta  # a number or None: torch.export has it as it was in the example
            return
        value = self._argument(node.name, "input", meta, example)
        if node.name in self._written:
            lowering.caches.add(node)
        bounded = replace(value, spans=lowering.bounds.of_argument(node, meta.dtype))
        lowering.values[node] = self._bounded[node.name] = bounded

    def _held(self, spec: Any, shared: dict[int, AtenValue]) -> Any:
        """A parameter or a buffer. Weights of a checkpoint are arguments; other buffers and constants are known."""
        import torch
        from torch.export.graph_signature import InputKind

        program = self._program
        if spec.kind is InputKind.PARAMETER or (spec.kind is InputKind.BUFFER and spec.persistent):
            tensor = program.state_dict[spec.target]
        else:
            tensor = program.constants[spec.target]
        if not isinstance(tensor, torch.Tensor):
            return tensor  # a random generator, for example: operations that use it are refused
        is_weight = spec.kind is InputKind.PARAMETER or (
            spec.kind is InputKind.BUFFER and spec.persistent and tensor.is_floating_point()
        )
        is_state = spec.target in self._written
        if (self._are_known or not is_weight) and not is_state and tensor.device.type != "meta":
            return AtenValue.of(tensor.detach().cpu())
        # A tensor with two names, such as the table of tied embeddings, is one argument.
        if id(tensor) not in shared:
            shared[id(tensor)] = self._argument(spec.target, "weight", tensor, tensor)
            self._model.held[spec.target] = tensor
        return shared[id(tensor)]

    def _argument(self, name: str, kind: Any, like: torch.Tensor, example: torch.Tensor) -> AtenValue:
        builder = self._model.builder
        try:
            element = element_type(like.dtype, self._context)
        except Refused as problem:
            why = f"{problem.condition}: {problem.way_out}"
            raise CompileError(f"{self._model.name}: {kind} {name}: {why}") from None
        type_ = builder.ranked_tensor_type(list(program_shape(like.shape)), element)
        value = self._block.add_argument(type_, located(self._context, name, "", 0))
        if self._goldens:
            self._give_golden(value, name, kind, example)
        self._model.arguments.append(ModelArgument(name, kind, like.dtype))
        return AtenValue(tuple(like.shape), like.dtype, operand=value)

    def _give_golden(self, value: Any, name: str, kind: str, example: torch.Tensor) -> None:
        import torch

        if example.device.type == "meta":
            raise CompileError(f"{kind} {name} has no elements, which are needed for golden tensors")
        values = example.detach().cpu()
        if not values.dtype.is_floating_point:
            values = values.float() if values.dtype is torch.bool else values.long()
        index = len(self._model.arguments)
        self._model.builder.give(value, values.reshape(program_shape(values.shape)), f"input_{index}")

    def _constant(self, name: str, values: torch.Tensor) -> Any:
        """Add an argument for a known tensor: TTNN can fill a tensor only with a single number."""
        taken = [argument.name for argument in self._model.arguments]
        unique = next(
            one for one in (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3))) if one not in taken
        )
        self._model.held[unique] = values
        return self._argument(unique, "constant", values, values).operand

    # Results.

    def _results(self, lowering: GraphWalk) -> tuple[list[Any], list[OutputLeaf]]:
        import torch

        (output,) = [node for node in self._program.graph.nodes if node.op == "output"]
        results: list[Any] = []
        leaves = []
        for one, spec in zip(output.args[0], self._program.graph_signature.output_specs, strict=True):
            if spec.kind.name == "TOKEN":
                continue
            if not isinstance(one, torch.fx.Node):
                leaves.append(OutputLeaf(None, one))
                continue
            value = lowering.values[one]
            operand = lowering.output(one)
            leaf = OutputLeaf(len(results), None, value.shape, value.dtype)
            results.append(value_in(operand))
            if spec.target in self._written:
                self._model.written[spec.target] = leaf
            else:
                leaves.append(leaf)
        if not results:
            raise CompileError(f"{self._model.name} returns no tensor")
        return results, leaves


def _stop(name: str, lowering: GraphWalk) -> None:
    """Raise ``CompileError`` with all obstacles; several equal obstacles of a line are reported once."""
    if not lowering.obstacles:
        return
    texts = list(dict.fromkeys(map(str, lowering.obstacles)))
    count = f"{len(texts)} functions" if len(texts) > 1 else "a function"
    raise CompileError("\n".join([f"{name} uses {count} that cannot be converted:", *texts]))
