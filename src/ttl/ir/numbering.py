"""Names of values and blocks like those of MLIR's printer, whatever their names in the source text.

``%0`` and so on in the order of the text, ``%arg0`` for arguments, ``%c4_i32`` and ``%cst`` for constants; a name that is taken
gets ``_0``. Values in a nested region are numbered after all values of the region around it, and each nested region from the same
number on: the rules are those of ``SSANameState`` in ``AsmPrinter.cpp``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, Region, SSAValue

from ttl.ir.syntax import NamesValues

# Operations whose results have names in MLIR.
RESULT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "memref.alloc": "alloc",
        "memref.alloca": "alloca",
        "memref.cast": "cast",
        "memref.dim": "dim",
        "memref.subview": "subview",
        "memref.reinterpret_cast": "reinterpret_cast",
        "memref.collapse_shape": "collapse_shape",
        "memref.expand_shape": "expand_shape",
        "memref.transpose": "transpose",
        "memref.memory_space_cast": "memspacecast",
        "tensor.cast": "cast",
        "tensor.dim": "dim",
        "tensor.extract": "extracted",
        "tensor.extract_slice": "extracted_slice",
        "tensor.insert": "inserted",
        "tensor.insert_slice": "inserted_slice",
        "tensor.from_elements": "from_elements",
        "tensor.generate": "generated",
        "tensor.reshape": "reshape",
        "tensor.collapse_shape": "collapsed",
        "tensor.expand_shape": "expanded",
        "tensor.pad": "padded",
        "tensor.splat": "splat",
        "tensor.concat": "concat",
        "tensor.rank": "rank",
        "tensor.bitcast": "cast",
        "func.constant": "f",
    }
)
_UNUSUAL = re.compile(r"[^\w$.-]", re.ASCII)


class _TakenNames:
    """The names in use in a region, and in those around it."""

    def __init__(self, outer: _TakenNames | None) -> None:
        self.outer = outer
        self.names: set[str] = set()

    def __contains__(self, name: str) -> bool:
        scope: _TakenNames | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.outer
        return False


class Numbering:
    """The names in an operation. ``unique``: no two regions share a number, as in the generic form."""

    def __init__(self, top: Operation, *, unique: bool) -> None:
        # Names of operands, such as %0#1.
        self.values: dict[SSAValue, str] = {}
        # The text before ``=``.
        self.results: dict[Operation, str] = {}
        self.blocks: dict[Block, str] = {}
        self._unique = unique
        self._value = self._argument = self._conflict = 0
        self._scope = _TakenNames(None)
        self._operation(top)
        self._all(top)

    def _all(self, top: Operation) -> None:
        start = (self._value, self._argument, self._conflict)
        regions = [(region, start, self._scope) for region in top.regions]
        while regions:
            region, counters, outer = regions.pop()
            if not self._unique:
                self._value, self._argument, self._conflict = counters
            self._scope = _TakenNames(outer)
            self._region(region)
            now = (self._value, self._argument, self._conflict)
            regions += [
                (inner, now, self._scope)
                for block in region.blocks
                for op in block.ops
                for inner in op.regions
            ]

    def _region(self, region: Region) -> None:
        namer = region.parent
        for index, block in enumerate(region.blocks):
            self.blocks[block] = f"^bb{index}"
            for argument in block.args:
                name = None
                if not self._unique and isinstance(namer, NamesValues):
                    name = namer.usual_name(argument)
                if name is None and index == 0:
                    name = f"arg{self._argument}"
                    self._argument += 1
                self.values[argument] = self._name(name)
            for op in block.ops:
                self._operation(op)

    def _operation(self, op: Operation) -> None:
        results = op.results
        if not results:
            return
        wanted = None if self._unique else _wanted(op, results[0])
        name = self._name(wanted)
        count = len(results)
        if count == 1:
            self.values[results[0]] = self.results[op] = name
            return
        self.results[op] = f"{name}:{count}"
        for index, result in enumerate(results):
            self.values[result] = f"{name}#{index}"

    def _name(self, wanted: str | None) -> str:
        if wanted is None:
            self._value += 1
            return f"%{self._value - 1}"
        name = wanted
        while name in self._scope:
            name = f"{wanted}_{self._conflict}"
            self._conflict += 1
        self._scope.names.add(name)
        return f"%{name}"


def _wanted(op: Operation, result: SSAValue) -> str | None:
    if isinstance(op, ConstantOp):
        return _of_constant(op)
    if isinstance(op, NamesValues):
        name = op.usual_name(result)
        return None if name is None else sanitized(name)
    return RESULT_NAMES.get(op.name)


def _of_constant(op: Operation) -> str:
    value = op.properties.get("value", op.attributes.get("value"))
    if not isinstance(value, IntegerAttr):
        return "cst"
    type, number = value.type, value.value.data
    if not isinstance(type, IntegerType):
        return f"c{number}"
    if type.width.data == 1:
        return "true" if number else "false"
    return f"c{number}_{type}"


def sanitized(name: str, *, trailing_digit: bool = True) -> str:
    """Return a name as an identifier: it does not begin with a digit, and on request does not end with one."""
    name = _UNUSUAL.sub(lambda match: "_" if match[0] == " " else f"{ord(match[0]):X}", name)
    if name[:1].isdigit():
        return f"_{name}"
    return f"{name}_" if not trailing_digit and name[-1:].isdigit() else name
