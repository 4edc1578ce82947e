"""Translation of objects of the real ttnn for the front end: tensors without data, element types, layouts, placements.

The front end reads programs with this package's own host library; on a machine with the real ttnn, programs and their
arguments have objects of the real library. All other values (numbers, the program's own classes) stay the same.
"""

from __future__ import annotations

from contextlib import suppress
from math import prod
from types import CellType, FunctionType
from typing import Any

from ttl.arch import Chip
from ttl.host import dataless, memory
from ttl.host.coordinates import MeshShape
from ttl.host.cores import CoreCoord, CoreRange, CoreRangeSet
from ttl.host.device import Device, MeshDevice
from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.rows.dtypes import DTYPES, DType
from ttl.rows.types import Layout

_CONTAINERS = (list, tuple, set, frozenset, dict)
# Longer lists are data, without objects to translate.
_LONGEST = 64


class Translation:
    """Translates the objects of one call; the same object always has the same translation."""

    def __init__(self, ttnn: Any, chip: Chip) -> None:
        self._ttnn = ttnn
        self._chip = chip
        self._devices: dict[tuple[int, ...], Device] = {}
        self._tensors: dict[int, Tensor] = {}
        self._real: dict[int, Any] = {}
        self._globals: dict[int, dict[str, Any]] = {}
        self._functions: dict[int, FunctionType] = {}
        self._dtypes = {
            dtype.name: dtype
            for dtype in DTYPES
            if isinstance(getattr(ttnn, dtype.name, None), ttnn.DataType)
        }

    def real(self, tensor: Tensor) -> Any:
        """Return the tensor of the real library from which a tensor of ours was translated."""
        return self._real[id(tensor)]

    def operation(self, operation: Operation) -> Operation:
        """An operation whose function has translated values for its names."""
        translated = Operation(self.function(operation.function), operation.grid, dict(operation.options))
        if operation.tunable is not None:
            translated.choose_later(operation.tunable)
        return translated

    def value(self, value: Any) -> Any:
        """Translate a value of TT-NN to the front end's."""
        ttnn = self._ttnn
        if value is ttnn:
            from ttl.host import api

            return api
        match value:
            case ttnn.Tensor():
                return self.tensor(value)
            case ttnn.DataType():
                return self._dtype(value)
            case ttnn.Layout():
                return Layout.TILE if value == ttnn.TILE_LAYOUT else Layout.ROW_MAJOR
            case ttnn.MemoryConfig():
                return self._memory_config(value)
            case ttnn.CoreCoord():
                return CoreCoord(value.x, value.y)
            case ttnn.CoreRangeSet():
                return _core_set(value)
            case FunctionType():
                return self.function(value)
            case Operation():
                return self.operation(value)
        if hasattr(value, "worker_core_from_logical_core"):
            return self._device(value)
        if type(value) in _CONTAINERS and len(value) <= _LONGEST:
            if isinstance(value, dict):
                return {key: self.value(item) for key, item in value.items()}
            return type(value)(self.value(item) for item in value)
        return value

    def _device(self, device: Any) -> Device:
        """Return a device of our library, or a mesh of the same shape."""
        shape = tuple(int(extent) for extent in getattr(device, "shape", (1, 1)))
        if shape not in self._devices:
            kind = Device if prod(shape) == 1 else MeshDevice
            self._devices[shape] = kind(tuple(range(prod(shape))), MeshShape(*shape), self._chip)
        return self._devices[shape]

    def tensor(self, tensor: Any) -> Tensor:
        """Return a tensor of our library like a real one, but without data; on a mesh, with a part for each device."""
        known = self._tensors.get(id(tensor))
        if known is None:
            known = dataless.make(
                [int(extent) for extent in tensor.shape],
                self._dtype(tensor.dtype),
                Layout.TILE if tensor.layout == self._ttnn.TILE_LAYOUT else Layout.ROW_MAJOR,
                self._device(tensor.device()),
                self._memory_config(tensor.memory_config()),
            )
            self._tensors[id(tensor)] = known
            self._real[id(known)] = tensor
        return known

    def function(self, function: FunctionType) -> FunctionType:
        """A function with the same code whose globals and closure have translated values."""
        known = self._functions.get(id(function))
        if known is not None:
            return known
        names = self._globals.get(id(function.__globals__))
        fresh = names is None
        if names is None:
            names = self._globals[id(function.__globals__)] = dict(function.__globals__)
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new_function = FunctionType(function.__code__, names, function.__name__, None, cells or None)
        # Functions may refer to each other: the function is registered before its names are translated.
        self._functions[id(function)] = new_function
        new_function.__defaults__ = self.value(function.__defaults__)
        new_function.__kwdefaults__ = self.value(function.__kwdefaults__)
        new_function.__module__, new_function.__qualname__ = function.__module__, function.__qualname__
        for cell, original in zip(cells, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # not assigned yet
                cell.cell_contents = self.value(original.cell_contents)
        if fresh:
            names.update({name: self.value(value) for name, value in function.__globals__.items()})
        return new_function

    def _dtype(self, dtype: Any) -> DType | Any:
        result = next(
            (item for name, item in self._dtypes.items() if getattr(self._ttnn, name) == dtype), None
        )
        return dtype if result is None else result

    def _memory_config(self, config: Any) -> memory.MemoryConfig:
        buffer = memory.HostBufferType[_word(config.buffer_type)]
        spread = memory.HostMemoryLayout[_word(config.memory_layout)]
        nd = getattr(config, "nd_shard_spec", None)
        if config.shard_spec is not None:
            spec = config.shard_spec
            orientation = memory.ShardOrientation[_word(spec.orientation)]
            shards = memory.ShardSpec(_core_set(spec.grid), tuple(spec.shape), orientation)
            return memory.MemoryConfig(spread, buffer, shards)
        if nd is not None:
            shape = tuple(int(extent) for extent in nd.shard_shape)
            orientation = memory.ShardOrientation[_word(nd.orientation)]
            spec = memory.NdShardSpec(shape, _core_set(nd.grid), orientation)
            return memory.MemoryConfig(spread, buffer, nd_shard_spec=spec)
        return memory.MemoryConfig(spread, buffer)


def _core_set(cores: Any) -> CoreRangeSet:
    """Return the same rectangles as a set of our library, in the order in which they get shards."""
    return CoreRangeSet(
        CoreRange(CoreCoord(range_.start.x, range_.start.y), CoreCoord(range_.end.x, range_.end.y))
        for range_ in cores.ranges()
    )


def _word(member: Any) -> str:
    """The name of a member of an enumeration of the real library."""
    return str(member).rpartition(".")[2]
