"""What the kernels of an operation do, call by call, when Python runs them: the oracle of the front end.

Every kernel of every node runs alone and to its end: nothing blocks, nothing is computed. Control flow of a kernel
does not depend on data, so what it calls is what it would call in a launch.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from contextlib import contextmanager
from math import prod
from typing import Any
from unittest import mock

from tests.support.block_values import Number, Ring, Slot, loaded, value_of

from ttl.frontend.kernel.tensors import extents_of
from ttl.host.tensor import ACTIVE
from ttl.lang.block import Block
from ttl.lang.buffer import DataflowBuffer
from ttl.lang.context import CURRENT
from ttl.lang.expr import BlockExpr
from ttl.lang.operation import Operation
from ttl.lang.pipe import DstPipeIdentity, SrcPipeIdentity
from ttl.lang.transfers import ReceiveRequest, TensorSlice, Transfer
from ttl.protocol.grid import resolve_coord, resolve_range
from ttl.rows.types import BlockType
from ttl.rules.slices import slice_part

Event = tuple[Any, ...]
Events = dict[tuple[int, str], list[Event]]
_WORDS = {"True": "1", "False": "0"}
_NUMBER = re.compile(r"\b(?:True|False)\b|-?\b\d+\.\d+(?:e[+-]?\d+)?\b")


def printed_text(*values: Any, sep: str = " ", end: str = "", **_: Any) -> str:
    """What a chip prints of values: truth values are 1 and 0, a float has six digits at most."""
    text = sep.join(str(value) for value in values)
    return _NUMBER.sub(lambda found: _WORDS.get(found[0]) or f"{float(found[0]):g}", text)


class _Valued(BlockExpr):
    """What has a value and a type, and tells the recorder of operations on it."""

    recorder: _Recorder
    type: BlockType
    value: Number

    def __str__(self) -> str:
        return f"block {self.value}"

    def _apply(self, op: Any, operands: tuple[Any, ...], params: Any) -> BlockExpr:
        return self.recorder.apply(op, operands, params)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def dtype(self) -> Any:
        return self.type.dtype


class _Expr(_Valued):
    def __init__(self, recorder: _Recorder, type: BlockType, value: Number) -> None:
        self.recorder, self.type, self.value = recorder, type, value


class _Block(_Valued, Block):
    def __init__(self, recorder: _Recorder, buffer: _Buffer, slot: Slot, reserved: bool) -> None:
        self.recorder, self.buffer, self.slot, self.reserved = recorder, buffer, slot, reserved
        self.type = buffer.type

    @property
    def value(self) -> Number:  # type: ignore[override]
        return self.slot.value

    def store(self, expr: Any, acc: bool = False) -> None:
        if acc:
            self.__iadd__(expr)
            return
        self.slot.value = expr.value
        self.recorder.note("store", self.buffer.number, self.value)

    def __iadd__(self, other: Any) -> _Block:
        self.slot.add(other.value)
        self.recorder.note("accumulate", self.buffer.number, self.value)
        return self

    def push(self) -> None:
        self.recorder.note("push", self.buffer.number)

    def pop(self) -> None:
        self.recorder.note("pop", self.buffer.number)

    def __enter__(self) -> _Block:
        return self

    def __exit__(self, *failure: Any) -> None:
        (self.push if self.reserved else self.pop)()


class _Buffer(DataflowBuffer):
    def __init__(self, recorder: _Recorder, number: int, type: BlockType, count: int) -> None:
        self.recorder, self.number, self.type, self.count = recorder, number, type, count
        self.ring = Ring(number)

    def reserve(self) -> _Block:
        self.recorder.note("reserve", self.number)
        return _Block(self.recorder, self, self.ring.reserve(), True)

    def wait(self) -> _Block:
        self.recorder.note("wait", self.number)
        return _Block(self.recorder, self, self.ring.wait(), False)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def block_count(self) -> int:
        return self.count


class _Slice(TensorSlice):
    def __init__(self, tensor: Any, bounds: Any) -> None:
        self.tensor, self.bounds = tensor, bounds


class _Transfer(Transfer):
    def __init__(self, recorder: _Recorder) -> None:
        self.recorder = recorder

    def wait(self) -> None:
        self.recorder.note("waited")


class _Receive(_Transfer, ReceiveRequest):
    pass


class _Src(SrcPipeIdentity[Any]):
    def __init__(self, pipe: Any) -> None:
        self.pipe = pipe

    @property
    def dst(self) -> Any:
        return self.pipe.dst


class _Dst(DstPipeIdentity):
    def __init__(self, pipe: Any) -> None:
        self.pipe = pipe

    @property
    def src(self) -> Any:
        return self.pipe.src


class _Net:
    def __init__(self, recorder: _Recorder, net: Any) -> None:
        self.recorder, self.net = recorder, net

    def _sources(self) -> list[Any]:
        grid, node = self.recorder.grid, self.recorder.node_index
        return [pipe for pipe in self.net.pipes if resolve_coord(pipe.src, grid) == node]

    def _destinations(self) -> list[Any]:
        grid, node = self.recorder.grid, self.recorder.node_index
        return [pipe for pipe in self.net.pipes if node in resolve_range(pipe.dst, grid)]  # type: ignore[operator]

    def if_src(self, function: Callable[[Any], None]) -> None:
        for pipe in self._sources():
            function(_Src(pipe))

    def if_dst(self, function: Callable[[Any], None]) -> None:
        for pipe in self._destinations():
            function(_Dst(pipe))

    def is_src(self) -> bool:
        return bool(self._sources())

    def is_dst(self) -> bool:
        return bool(self._destinations())


class _Semaphore:
    def __init__(self, recorder: _Recorder, number: int) -> None:
        self.recorder, self.number = recorder, number

    def wait(self, value: int, exact: bool) -> None:
        self.recorder.note("semaphore wait", self.number, "eq" if exact else "ge", value)

    def set(self, nodes: tuple[int, ...] | None, value: int) -> None:
        self.recorder.note("semaphore set", self.number, nodes, value)

    def inc(self, node: int, value: int) -> None:
        self.recorder.note("semaphore inc", self.number, (node,), value)

    def resolve(self, node: Any) -> Any:
        return resolve_coord(node, self.recorder.grid)

    def resolve_range(self, nodes: Any) -> Any:
        count = prod(self.recorder.grid)
        return tuple(range(count)) if nodes is None else resolve_range(nodes, self.recorder.grid)


class _Recorder:
    """An ``Execution`` and ``TensorHooks`` that notes every call."""

    def __init__(self, grid: tuple[int, ...], tensors: list[Any]) -> None:
        self.grid = grid
        self.tensors = tensors
        self.node_index = 0
        self.kernels: list[tuple[str, Any]] = []
        self.buffers = 0
        self.semaphores = 0
        self.noted: list[Event] = []
        self.running = False

    def note(self, *event: Any) -> None:
        self.noted.append(event)

    def print(self, *values: Any, **how: Any) -> None:
        self.note("print", printed_text(*values, **how))

    def in_kernel(self) -> bool:
        return self.running

    def add_kernel(self, function: Any, kind: str, selector: Any = None, noc: int | None = None) -> None:
        self.kernels.append((function.__name__, function))

    def make_buffer(self, type: BlockType, block_count: int, placement: Any, likeness: Any) -> _Buffer:
        self.buffers += 1
        return _Buffer(self, self.buffers - 1, type, block_count)

    def apply(self, op: Any, operands: tuple[Any, ...], params: Any) -> _Expr:
        types = tuple(each.type if isinstance(each, _Valued) else each for each in operands)
        numbers = tuple(each for each in operands if isinstance(each, int | float))
        self.note("apply", op.name, params, numbers)
        result = op.infer(types, params)
        assert isinstance(result, BlockType), result
        values = [each.value if isinstance(each, _Valued) else each for each in operands]
        return _Expr(self, result, value_of(op.name, params, values))

    def copy(self, src: Any, dst: Any) -> _Transfer:
        self.note("copy", self._end(src), self._end(dst))
        if isinstance(src, _Slice) and isinstance(dst, _Block):
            dst.slot.value = loaded(src.bounds)
        return _Receive(self) if isinstance(src, _Dst) else _Transfer(self)

    def wait_any(self, requests: tuple[_Receive, ...], start: int) -> int:
        """As if all were complete: the first one that is looked at."""
        requests[start % len(requests)].wait()
        return start % len(requests)

    def _end(self, end: Any) -> Any:
        match end:
            case _Block():
                return ("block", end.buffer.number)
            case _Slice():
                number = next(i for i, each in enumerate(self.tensors) if each is end.tensor)
                return ("slice", number, end.bounds)
            case _Src() | _Dst():
                return ("pipe", end.pipe.src, _plain(end.pipe.dst))
        raise AssertionError(end)

    def pipe_net(self, net: Any) -> _Net:
        return _Net(self, net)

    def register_net(self, net: Any) -> None:
        pass

    def new_semaphore(self, initial: int) -> _Semaphore:
        self.semaphores += 1
        return _Semaphore(self, self.semaphores - 1)

    def signpost(self, name: str, enter: bool) -> None:
        self.note("signpost", name, enter)

    def slice(self, tensor: Any, index: Any) -> _Slice:
        entries = index if isinstance(index, tuple) else (index,)
        part = slice_part(entries, extents_of(tensor), tensor.layout)
        assert isinstance(part, tuple), part
        return _Slice(tensor, part[0])

    def observe(self, tensor: Any) -> None:
        pass

    def text(self, tensor: Any) -> str:
        return "tensor"


def _plain(dst: Any) -> Any:
    return tuple((each.start, each.stop) if isinstance(each, slice) else each for each in dst)


@contextmanager
def _under(recorder: _Recorder) -> Any:
    tokens = CURRENT.set(recorder), ACTIVE.set(recorder)  # type: ignore[arg-type]
    try:
        with mock.patch.object(builtins, "print", recorder.print):
            yield
    finally:
        ACTIVE.reset(tokens[1])
        CURRENT.reset(tokens[0])


def python_events(operation: Operation, grid: tuple[int, ...], *args: Any) -> Events:
    """What every kernel of every node does, in its order."""
    found: Events = {}
    tensors = [each for each in args if hasattr(each, "memory_config")]
    for node in range(prod(grid)):
        recorder = _Recorder(grid, tensors)
        recorder.node_index = node
        with _under(recorder):
            operation.function(*args)
            recorder.running = True
            for name, function in recorder.kernels:
                recorder.noted = []
                function()
                found[node, name] = recorder.noted
    return found
