"""Modules of one operation of TT-MLIR: those of ``tests/ttmlir/operations/operations.mlir``, and what follows from tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tt_model.operations import kinds
from tt_model.operations.dialects import all_rows, operation_class, rows_of
from tt_model.operations.row import Row

_FILE = Path(__file__).parents[1] / "ttmlir" / "operations" / "operations.mlir"
_BINARY = frozenset(
    ["add", "div", "eq", "ge", "gt", "le", "logical_and", "logical_or", "logical_xor", "lt", "maximum", "minimum",
     "multiply", "ne", "remainder", "subtract"]
)  # fmt: skip
_KERNEL_TYPES = {
    kinds.INTEGER32: "i32",
    kinds.CIRCULAR_BUFFER: "!cb",
    kinds.NOC_ADDRESS: "!ttkernel.noc_addr",
    kinds.INTEGER32_OR_L1_ADDRESS: "!ttkernel.l1_addr",
    kinds.L1_ADDRESS_POINTER: "!ttkernel.l1_addr_ptr",
    kinds.MEMREF_OR_CIRCULAR_BUFFER: "memref<4x8xf32>",
}
_ENTRIES = {
    kinds.DATA_TYPE_NUMBER: "2 : i32",
    kinds.REDUCE_TYPE: "#ttkernel.reduce_type<reduce_max>",
    kinds.REDUCE_DIM: "#ttkernel.reduce_dim<reduce_dim_col>",
    kinds.SYMBOL: "@name",
    kinds.DATA_TYPE: "#tt.supportedDataTypes<f32>",
    kinds.F32: "1.000000e+00 : f32",
    kinds.I32: "0 : i32",
    kinds.BOOL: "true",
    kinds.STRING: '"BroadcastType::ROW"',
}


class SingleOperation(NamedTuple):
    """An operation as its text; of a refused one the start of the message, too."""

    name: str
    operation: str
    message: str = ""

    def text(self) -> str:
        """The module: a function whose arguments are the operands."""
        types = self.operation[self.operation.rindex(" : (") + 4 : self.operation.rindex(") -> ")]
        inputs = enumerate(re.split(r", (?=tensor|!|memref|i\d)", types) if types else ())
        arguments = ", ".join(f"%arg{number}: {type}" for number, type in inputs)
        used = (
            line + "\n" for line in _aliases() if re.search(rf"{line.partition(' ')[0]}\b", self.operation)
        )
        return f"{''.join(used)}func.func @forward({arguments}) {{\n{self.operation}\nreturn\n}}\n"


@cache
def valid() -> tuple[SingleOperation, ...]:
    """A right operation at least for every row of TT-MLIR's dialects, but terminators, which have no place of their own."""
    rows = all_rows()
    return (
        *map(_elementwise, (row for row in rows if row.elementwise)),
        *(single for single in _of_file() if not single.message),
        *map(
            _of_kernel, (row for row in rows if row.dialect == "ttkernel" and "Terminator" not in row.traits)
        ),
    )


@cache
def refused() -> tuple[SingleOperation, ...]:
    """Those that are refused; of every elementwise operation of TTNN two, whose shapes do not fit."""
    return (*(single for single in _of_file() if single.message), *_refused_elementwise())


@cache
def _aliases() -> list[str]:
    return [line for line in _FILE.read_text("utf-8").splitlines() if line.startswith(("#", "!"))]


@cache
def _of_file() -> tuple[SingleOperation, ...]:
    found, message = [], ""
    for case in re.split(r'^(?=// error: |")', _FILE.read_text("utf-8"), flags=re.M)[1:]:
        if case.startswith("//"):
            message = case.removeprefix("// error: ").strip()
        else:
            found.append(SingleOperation(case.split('"')[1], case.strip(), message))
            message = ""
    return tuple(found)


def _single(
    row: Row, operands: list[str], results: list[str], attributes: list[str], message: str = ""
) -> SingleOperation:
    """An operation, with an empty list of operand constraints where the operation has one."""
    if "operand_constraints" in row.attribute_named:
        attributes = [*attributes, "operand_constraints = []"]
    if operation_class(row.name).ROW.segments:
        attributes = [*attributes, f"operandSegmentSizes = array<i32: {len(operands) - 1}, 1>"]
    numbers = ", ".join(f"%arg{number}" for number in range(len(operands)))
    inherent = f" <{{{', '.join(attributes)}}}>" if attributes else ""
    types = f"({', '.join(operands)}) -> ({', '.join(results)})"
    return SingleOperation(row.name, f'"{row.name}"({numbers}){inherent} : {types}', message)


def _elementwise(row: Row) -> SingleOperation:
    count = 3 if row.mnemonic == "where" else 2 if row.mnemonic in _BINARY else 1
    attributes = ["parameter = 0.1 : f32"] if "parameter" in row.attribute_named else []
    return _single(row, ["tensor<64x128xf32>"] * (count + 1), ["tensor<64x128xf32>"], attributes)


def _of_kernel(row: Row) -> SingleOperation:
    operands = [_KERNEL_TYPES[operand.kind] for operand in row.operands]
    results = [_KERNEL_TYPES[result.kind] for result in row.results]
    return _single(
        row, operands, results, [f"{item.name} = {_ENTRIES[item.kind]}" for item in row.attributes]
    )


def _refused_elementwise() -> Iterator[SingleOperation]:
    for row in rows_of("ttnn").rows:
        slope = ["parameter = 1.0 : f32"] if "parameter" in row.attribute_named else []
        for inputs, message in (
            (["1x8"], "result has shape (4, 8), and operands and attributes make (1, 8)"),
            (["4x8", "4x7"], "operands of the shapes (4, 8), (4, 7) do not repeat to one shape"),
        ):
            if row.elementwise:
                operands = [f"tensor<{shape}xf32>" for shape in (*inputs, "4x8")]
                yield _single(row, operands, ["tensor<4x8xf32>"], slope, message)
