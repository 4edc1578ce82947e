"""The program of a binary in float64: what all its operations should give, and what one should give of its inputs.

It is the module's text in the binary, run by the reference. Whole numbers are unsigned, as those of the binary are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ttrt.binary import Binary
from ttrt.common.tolerance import Values

if TYPE_CHECKING:
    import torch
    from xdsl.ir import Attribute, SSAValue


class NoGolden(Exception):
    """There is nothing to compare with; the text says why."""


class ReferenceProgram:
    """One program of a binary. Raises ``NoGolden`` where the binary does not say what it computes."""

    def __init__(self, binary: Binary, index: int) -> None:
        from ttl.ir.context import make_context
        from ttl.ir.parser import parse_text
        from ttl.ir.reports import InvalidText
        from ttmlir.operations.dialects import DIALECTS

        program = binary.programs[index]
        text = program.get("debug_info", {}).get("mlir", {}).get("source", "")
        if not text:
            raise NoGolden("the binary has no text of its module; write it with debug information")
        try:
            self._module = parse_text(make_context(DIALECTS), text, "<binary>")
        except InvalidText as problem:
            raise NoGolden(f"the text of the module in the binary cannot be read: {problem}") from None
        self.name = str(program.get("name", ""))
        function = _function(self._module, self.name)
        self._operations = [op for op in function.body.block.ops if op.name.startswith("ttnn.")]
        tables = program.get("operations", [])
        if len(self._operations) != len(tables):
            raise NoGolden(
                f"the text of the module in the binary has {len(self._operations)} operations in {self.name}, the program "
                f"{len(tables)}"
            )
        _make_unsigned(function)
        self._tensors: dict[SSAValue, int] = {
            argument: int(reference["global_id"])
            for argument, reference in zip(function.body.block.args, program.get("inputs", []), strict=False)
        }
        for op, table in zip(self._operations, tables, strict=True):
            out = table.get("type", {}).get("out", {})
            for result in op.results:
                if "desc" in out:
                    self._tensors[result] = int(out["global_id"])

    def results(self, inputs: Sequence[torch.Tensor]) -> dict[int, Values]:
        """What each operation gives, by its number. Raises ``NoGolden``."""
        import torch

        from ttmlir.reference.interpreter import NotInterpretable, interpret

        numbers = {op: number for number, op in enumerate(self._operations)}
        results: dict[int, Values] = {}

        def keep(op: Any, values: Sequence[Any]) -> None:
            number = numbers.get(op)
            if number is not None and len(values) == 1:
                results[number] = np.array(values[0], dtype=np.float64)

        arrays = [tensor.to(torch.float64).numpy() for tensor in inputs]
        try:
            interpret(self._module, self.name, arrays, watch=keep)
        except (NotInterpretable, ValueError) as problem:
            raise NoGolden(str(problem)) from None
        return results

    def reads(self, number: int) -> dict[Any, int]:
        """The tensors that an operation reads: operands to their numbers in the binary."""
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
        """What one operation gives of these inputs; None where it has no value.

        With ``magnitudes`` it is computed of magnitudes: the most that a sum of terms of any sign can be.
        """
        from ttmlir.operations.operation import RowOperation
        from ttmlir.reference.meanings import meaning_of

        op = self._operations[number]
        meaning = meaning_of(op.ROW) if isinstance(op, RowOperation) else None
        if meaning is None or len(op.results) != 1:
            return None
        known = {operand: np.abs(value) for operand, value in values.items()} if magnitudes else values
        try:
            with np.errstate(all="ignore"):
                (value,) = meaning(op, known.__getitem__)
        except (KeyError, ValueError, IndexError, OverflowError):
            return None
        return np.asarray(value, np.float64)


def _function(module: Any, name: str) -> Any:
    for function in module.body.block.ops:
        symbol = function.properties.get("sym_name")
        if symbol is not None and symbol.data == name:
            return function
    raise NoGolden(f"the module in the binary has no function {name}")


def _make_unsigned(function: Any) -> None:
    """Let signless whole numbers be unsigned ones."""
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
