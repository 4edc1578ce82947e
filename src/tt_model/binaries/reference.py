"""The program of a binary in float64: the expected results of a run, and that of a single operation for its inputs.

The reference runs the module's text in the binary. Whole numbers are unsigned, as in the binary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tt_model.binaries.binary import Binary
from tt_model.binaries.tolerance import Values
from tt_model.operations.dialects import DIALECTS
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.reference.meanings import meaning_of
from tt_model.runtime.distribution import MeshShards, Replicate, cut, strategy_of
from tt_model.runtime.numbers import stored
from tt_model.runtime.steps import first_device
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR
from ttl.session.patience import Unavailable

if TYPE_CHECKING:
    import torch
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue

    from tt_model.runtime.tensors import RuntimeTensor


class ReferenceModules:
    """The modules of a binary, parsed from their texts; each text is parsed once."""

    def __init__(self, binary: Binary) -> None:
        self.binary = binary
        self._known: dict[str, ModuleOp] = {}

    def module(self, index: int) -> ModuleOp:
        """The module that a program belongs to.

        Raises ``Unavailable`` where the binary has no text of it that can be read.
        """
        text = self.binary.programs[index].get("debug_info", {}).get("mlir", {}).get("source", "")
        if not text:
            raise Unavailable("the binary has no text of its module; write it with debug information")
        if text not in self._known:
            try:
                self._known[text] = parse_text(make_context(DIALECTS), text, "<binary>")
            except InvalidIR as problem:
                raise Unavailable(f"the text of the module in the binary cannot be read: {problem}") from None
        return self._known[text]


class ReferenceProgram:
    """One program of a binary. Raises ``Unavailable`` where the binary does not describe its computation."""

    def __init__(self, modules: ReferenceModules, index: int) -> None:
        program = modules.binary.programs[index]
        self._module = modules.module(index)
        self.name = str(program.get("name", ""))
        function = function_of(self._module, self.name)
        self._operations: list[Operation] = [
            op for op in function.body.block.ops if isinstance(op, TTNNOperation)
        ]
        tables = program.get("operations", [])
        if len(self._operations) != len(tables):
            raise Unavailable(
                f"the text of the module in the binary has {len(self._operations)} operations in {self.name}, the program "
                f"{len(tables)}"
            )
        _make_unsigned(function)
        self._arguments = function.body.block.args
        self._inputs = program.get("inputs", [])
        self._chips = max(1, len(first_device(program).get("chip_ids", ())))
        # The number of chips that hold tensors of their own, or 1; set by ``results``.
        self.apart = 1
        self._tensors: dict[SSAValue, int] = {
            argument: int(reference["global_id"])
            for argument, reference in zip(function.body.block.args, program.get("inputs", []), strict=False)
        }
        for op, table in zip(self._operations, tables, strict=True):
            fields = table.get("type", {})
            for result, out in zip(op.results, [fields.get("out", {}), *fields.get("further_outs", [])]):
                if "desc" in out:
                    self._tensors[result] = int(out["global_id"])

    @property
    def computing(self) -> frozenset[int]:
        """The numbers of the operations that have a value.

        Raises ``Unavailable`` if the reference has no meaning for one.
        """
        numbers = set()
        for number, op in enumerate(self._operations):
            if isinstance(op, RowOperation) and not op.ROW.makes_tensors:
                continue
            if not isinstance(op, RowOperation) or meaning_of(op.ROW) is None:
                raise Unavailable(f"'{op.name}' op has no meaning in the reference")
            if op.results:
                numbers.add(number)
        return frozenset(numbers)

    def results(self, inputs: Sequence[torch.Tensor | MeshShards]) -> Iterator[tuple[int, Values]]:
        """Yield the number and the reference result of each operation, in program order, computed on demand.

        Of a kernel with several results only the first is yielded; the others are compared where they are read. If chips hold
        tensors of their own, the result has an extra first dimension with one entry per chip. Raises ``Unavailable``.
        """
        from tt_model.reference.collectives import parts_chips
        from tt_model.reference.interpreter import NotInterpretable, executed

        numbers = {op: number for number, op in enumerate(self._operations)}
        given = [self._of_chips(number, tensor) for number, tensor in enumerate(inputs)]
        self.apart = max((len(one) for one in given), default=1)
        if self._chips > 1 and parts_chips(self._module):
            self.apart = self._chips
        steps = executed(self._module, self.name, given, chips=self._chips)
        del given
        try:
            for op, values in steps:
                number = numbers.get(op)
                if number is not None and op.results:
                    yield number, _stacked([own[0] for own in values], self.apart)
        except (NotInterpretable, ValueError) as problem:
            raise Unavailable(str(problem)) from None

    def _of_chips(self, number: int, tensor: torch.Tensor | MeshShards) -> list[Values]:
        """An input in the form that the module takes: one array for all chips, or one for each."""
        import torch

        if isinstance(tensor, MeshShards) and not isinstance(tensor.strategy, Replicate):
            return [part.to(torch.float64).numpy() for part in tensor.parts]
        whole = tensor.whole() if isinstance(tensor, MeshShards) else tensor
        wanted = tuple(self._arguments[number].type.get_shape())
        strategy = strategy_of(self._inputs[number].get("desc", {}).get("layout", {}).get("strategy"))
        if strategy is not None and tuple(whole.shape) != wanted:
            cut_up = cut(whole, strategy, self._chips, f"input {number}")
            if isinstance(cut_up, MeshShards):
                return [part.to(torch.float64).numpy() for part in cut_up.parts]
        return [whole.to(torch.float64).numpy()]

    def values(self, tensor: RuntimeTensor) -> Values | None:
        """Return the values of a run's tensor in the form of ``results``; None if its shards make up no known tensor."""
        import torch

        parts = tensor.shards.parts if tensor.shards is not None else (tensor.values,)
        if self.apart > 1:
            return _stacked([part.to(torch.float64).numpy() for part in parts], self.apart)
        if tensor.shards is not None and tensor.strategy is None:
            return None
        whole: Values = tensor.whole().to(torch.float64).numpy()
        return whole

    def keep(self, tensor: RuntimeTensor, values: Values) -> None:
        """Store ``values``, in the form of ``results``, in a tensor of a run."""
        import torch

        array = torch.from_numpy(np.ascontiguousarray(values))
        parts: tuple[torch.Tensor, ...] = (array,)
        strategy = tensor.strategy
        if self.apart > 1:
            parts = tuple(array)
        elif tensor.shards is not None and strategy is not None:
            held = cut(array, strategy, len(tensor.shards.parts), "a golden tensor")
            parts = held.parts if isinstance(held, MeshShards) else (held,)
        parts = tuple(stored(part.reshape(tensor.values.shape), tensor.data_type) for part in parts)
        tensor.values = parts[0]
        if tensor.shards is not None:
            tensor.shards = MeshShards(parts, strategy)

    def reads(self, number: int) -> dict[Any, int]:
        """The operands that an operation reads, each with the number of its tensor in the binary."""
        op = self._operations[number]
        inits = set(getattr(op, "inits", ()))
        return {
            operand: self._tensors[operand]
            for operand in op.operands
            if operand in self._tensors and operand not in inits
        }

    def of_inputs(
        self, number: int, values: Mapping[Any, Values], *, magnitudes: bool = False
    ) -> Values | None:
        """Return the result of one operation for these inputs; None where it has no value.

        With ``magnitudes`` the operation is computed on absolute values, an upper bound for a sum of terms of any sign.
        """
        from tt_model.reference.collectives import collective, is_collective, mesh_of

        if self.apart == 1:
            return self._of_inputs(number, values, magnitudes)
        op = self._operations[number]
        if isinstance(op, RowOperation) and is_collective(op):
            (given,) = values.values()
            mesh = mesh_of(self._module, self._chips)
            parts = [np.abs(part) if magnitudes else part for part in given]
            return _stacked(collective(op, parts, mesh), self.apart)
        results = [
            self._of_inputs(number, {operand: own[chip] for operand, own in values.items()}, magnitudes)
            for chip in range(self.apart)
        ]
        parts = [one for one in results if one is not None]
        return _stacked(parts, self.apart) if len(parts) == self.apart else None

    def _of_inputs(self, number: int, values: Mapping[Any, Values], magnitudes: bool) -> Values | None:
        op = self._operations[number]
        meaning = meaning_of(op.ROW) if isinstance(op, RowOperation) else None
        if meaning is None or not op.results:
            return None
        known = {operand: np.abs(value) for operand, value in values.items()} if magnitudes else values
        try:
            with np.errstate(all="ignore"):
                value = meaning(op, known.__getitem__)[0]
        except (KeyError, ValueError, IndexError, OverflowError):
            return None
        return np.asarray(value, np.float64)


def _stacked(parts: Sequence[Values], chips: int) -> Values:
    """Stack the chips' values along a new first dimension; a single value is repeated for every chip."""
    if chips == 1:
        return parts[0]
    return np.stack(list(parts) if len(parts) > 1 else list(parts) * chips)


def function_of(module: Any, name: str) -> Any:
    """A function of a module by its name. Raises ``Unavailable``."""
    for function in module.body.block.ops:
        symbol = function.properties.get("sym_name")
        if symbol is not None and symbol.data == name:
            return function
    raise Unavailable(f"the module in the binary has no function {name}")


def _make_unsigned(function: Any) -> None:
    """Make signless whole numbers unsigned."""
    from xdsl.dialects.builtin import FunctionType, IntegerType, Signedness, TensorType
    from xdsl.rewriter import Rewriter

    known: dict[Attribute, Attribute] = {}

    def unsigned(type: Attribute) -> Attribute:
        if not isinstance(type, TensorType) or not isinstance(type.element_type, IntegerType):
            return type
        if type not in known:
            width = type.element_type.width.data
            element = IntegerType(width, Signedness.UNSIGNED) if width > 1 else type.element_type
            known[type] = TensorType(element, type.get_shape(), type.encoding)
        return known[type]

    block = function.body.block
    for value in [*block.args, *(result for op in block.ops for result in op.results)]:
        wanted = unsigned(value.type)
        if wanted is not value.type:
            Rewriter.replace_value_with_new_type(value, wanted)
    signature = function.function_type
    function.properties["function_type"] = FunctionType.from_lists(
        list(map(unsigned, signature.inputs)), list(map(unsigned, signature.outputs))
    )
