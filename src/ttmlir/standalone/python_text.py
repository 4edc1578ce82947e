"""Calls of the library in Python: one statement for each, in lines of at most 100 characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from xdsl.ir import SSAValue

from tt_model.layouts.elements import LIBRARY_TYPES
from tt_model.layouts.enums import BufferType, DataType, PageLayout, TensorMemoryLayout
from ttl.ir.refusals import Refused
from ttmlir.standalone.library_functions import Argument, FirstNumber, Placement, Tensors, TensorShape
from ttmlir.standalone.values import Variables

WIDTH = 100
_LAYOUTS = MappingProxyType({PageLayout.Tile: "TILE_LAYOUT", PageLayout.RowMajor: "ROW_MAJOR_LAYOUT"})
MEMORY_LAYOUTS: Mapping[TensorMemoryLayout, str] = MappingProxyType(
    {
        TensorMemoryLayout.Interleaved: "INTERLEAVED",
        TensorMemoryLayout.HeightSharded: "HEIGHT_SHARDED",
        TensorMemoryLayout.WidthSharded: "WIDTH_SHARDED",
        TensorMemoryLayout.BlockSharded: "BLOCK_SHARDED",
    }
)
BUFFER_TYPES: Mapping[BufferType, str] = MappingProxyType(
    {
        BufferType.DRAM: "DRAM",
        BufferType.L1: "L1",
        BufferType.SystemMemory: "SYSTEM_MEMORY",
        BufferType.L1Small: "L1_SMALL",
        BufferType.Trace: "TRACE",
    }
)


def data_type_name(data_type: DataType) -> str:
    """Return the library's Python name of a type. Raises ``Refused`` for a type that the library has no tensors of."""
    if data_type not in LIBRARY_TYPES:
        words = ", ".join(known.keyword for known in LIBRARY_TYPES)
        raise Refused(
            f"the library has no tensors of {data_type.keyword}", f"what works: a typecast to one of {words}"
        )
    return LIBRARY_TYPES[data_type]


def memory_layout_name(placement: Placement) -> str:
    """Return the word for a memory layout. Raises ``Refused`` for layouts that the library does not have."""
    if placement.memory_layout not in MEMORY_LAYOUTS:
        raise Refused(
            f"the library has no memory layout {placement.memory_layout.keyword}",
            f"what works: {', '.join(known.keyword for known in MEMORY_LAYOUTS)}",
        )
    return MEMORY_LAYOUTS[placement.memory_layout]


class PythonText:
    """Arguments as expressions. Memory configurations without a name in the library become entries of ``constants``."""

    def __init__(self) -> None:
        self.constants: dict[Placement, str] = {}

    def call(
        self, function: str, arguments: Mapping[str, Argument], positional: int, names: Variables
    ) -> list[str]:
        """The pieces of a call: the function, then each argument."""
        texts = []
        for index, (name, value) in enumerate(arguments.items()):
            text = self.expression(value, names)
            texts.append(text if index < positional else f"{name}={text}")
        return [f"ttnn.{function}", *texts]

    def expression(self, value: Argument, names: Variables) -> str:
        """An argument. Raises ``Refused``."""
        match value:
            case SSAValue():
                return names.name(value)
            case Tensors():
                return f"[{', '.join(map(names.name, value.values))}]"
            case FirstNumber():
                return f"int(ttnn.to_torch({names.name(value.tensor)}).flatten()[0])"
            case TensorShape():
                return tuple_text(value.extents)
            case Placement():
                return self._placement(value)
            case DataType():
                return f"ttnn.{data_type_name(value)}"
            case PageLayout():
                return f"ttnn.{_LAYOUTS[value]}"
            case bool() | int():
                return str(value)
            case float():
                return float_text(value)
        return f"[{', '.join(map(str, value))}]"

    def _placement(self, placement: Placement) -> str:
        word, buffer = memory_layout_name(placement), BUFFER_TYPES[placement.buffer_type]
        if placement.shard is None:
            if word == "INTERLEAVED" and buffer in ("DRAM", "L1"):
                return f"ttnn.{buffer}_MEMORY_CONFIG"
            return f"ttnn.MemoryConfig(ttnn.TensorMemoryLayout.{word}, ttnn.BufferType.{buffer})"
        if placement not in self.constants:
            name = f"{word}_{buffer}_{'X'.join(map(str, placement.shard.shape))}"
            taken = sum(known == name or known.startswith(f"{name}_") for known in self.constants.values())
            self.constants[placement] = f"{name}_{taken + 1}" if taken else name
        return self.constants[placement]

    def definitions(self) -> list[str]:
        """The constants as lines of a module."""
        lines = []
        for placement, name in self.constants.items():
            assert placement.shard is not None
            cores = ", ".join(
                f"ttnn.CoreRange(ttnn.CoreCoord({one.x}, {one.y}), "
                f"ttnn.CoreCoord({one.x + one.width - 1}, {one.y + one.height - 1}))"
                for one in placement.shard.cores
            )
            lines += [
                f"{name} = ttnn.MemoryConfig(",
                f"    ttnn.TensorMemoryLayout.{memory_layout_name(placement)},",
                f"    ttnn.BufferType.{BUFFER_TYPES[placement.buffer_type]},",
                "    ttnn.ShardSpec(",
                f"        ttnn.CoreRangeSet([{cores}]),",
                f"        [{', '.join(map(str, placement.shard.shape))}],",
                "        ttnn.ShardOrientation.ROW_MAJOR,",
                "    ),",
                ")",
            ]
        return lines


def tuple_text(extents: Sequence[int]) -> str:
    """``(2, 3)``, ``(2,)``."""
    return f"({', '.join(map(str, extents))}{',' if len(extents) == 1 else ''})"


def float_text(value: float) -> str:
    """The shortest text of a float32, as Python reads it."""
    if not np.isfinite(value):
        return f'float("{value}")'
    text = str(np.float32(value))
    return text if float(np.float32(float(text))) == float(np.float32(value)) else repr(value)


def statement(target: str, pieces: Sequence[str], indent: int = 4) -> list[str]:
    """``target = function(arguments)`` over as many lines as it takes."""
    space, head = " " * indent, f"{target} = " if target else ""
    function, *arguments = pieces
    line = f"{space}{head}{function}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return [line]
    packed = f"{space}    {', '.join(arguments)}"
    if len(packed) <= WIDTH:
        return [f"{space}{head}{function}(", packed, f"{space})"]
    return [f"{space}{head}{function}(", *(f"{space}    {one}," for one in arguments), f"{space})"]
