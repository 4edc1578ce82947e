"""The names of launches in reports: the operation, its number, and the values with which it was called."""

from __future__ import annotations

import dis
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from itertools import count
from types import CodeType, FunctionType
from typing import Any

from ttl.host.tensor import Tensor
from ttl.lang.operation import Operation
from ttl.rows.dtypes import DType
from ttl.session import Part

Constant = int | float | str | bool | None | list["Constant"] | dict[str, "Constant"]
"""A value that JSON can represent. Numbers that JSON lacks are texts, and other objects are names of their class."""

_LONGEST_LIST = 16
_NUMBERS = (bool, int, float)


@dataclass(frozen=True, kw_only=True, slots=True)
class TensorArgument:
    """A tensor of a call, without its contents."""

    name: str
    """The name of the parameter or the variable; ``inputs[1]`` inside a sequence."""
    shape: tuple[int, ...]
    """In elements."""
    dtype: str
    layout: str
    """``tile`` or ``row_major``."""
    memory: str
    """``dram`` or ``l1``; ``host`` for a tensor that is not on a device."""
    memory_layout: str
    """``interleaved``, or the kind of sharding."""
    shard_shape: tuple[int, ...] | None = None

    def to_object(self) -> dict[str, Any]:
        """Return the tensor as an object that ``json.dumps`` accepts."""
        shard = self.shard_shape
        return {
            **asdict(self),
            "shape": list(self.shape),
            "shard_shape": None if shard is None else list(shard),
        }

    def __str__(self) -> str:
        extents = "x".join(map(str, self.shape))
        where = [part for part, usual in (
            (self.layout, "tile"), (self.memory, "dram"), (self.memory_layout, "interleaved"),
        ) if part != usual]  # fmt: skip
        return " ".join((self.name, extents, self.dtype, *where))


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchName:
    """One launch of an operation."""

    operation: str
    number: int
    """The number of the call among the reported ones, from 1."""
    device: int | None = None
    """On a mesh, the device on which it ran."""
    arguments: tuple[TensorArgument, ...] = ()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """Other arguments, and the numbers and texts that the operation reads from outside, by name."""

    @property
    def values(self) -> str:
        """The arguments and constants on one line: ``a 512x512 bfloat16; block=4``."""
        constants = ", ".join(f"{name}={shown(value)}" for name, value in self.constants.items())
        return "; ".join(part for part in (", ".join(map(str, self.arguments)), constants) if part)

    def to_object(self) -> dict[str, Any]:
        """Return the keys that identify the launch in an object of JSON, except for the operation."""
        return {
            "launch": self.number,
            "device": self.device,
            "arguments": [argument.to_object() for argument in self.arguments],
            "constants": dict(self.constants),
        }

    def __str__(self) -> str:
        where = "" if self.device is None else f" on device {self.device}"
        return f"launch {self.number}{where}: {self.operation}({self.values})"


class LaunchNumbers:
    """Numbers for the launches of a session, from 1."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def next(self) -> int:
        """Return the number for the next call."""
        return next(self._numbers)


NUMBERS: Part[LaunchNumbers] = Part(LaunchNumbers)


def name_of(
    operation: Operation,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    number: int,
    device: int | None = None,
) -> LaunchName:
    """Return the name of a launch with these arguments. On a mesh, ``args`` are the device's own shards."""
    bound = operation.signature.bind_partial(*args, **kwargs)
    bound.apply_defaults()
    tensors: list[TensorArgument] = []
    constants: dict[str, Constant] = {}
    values = [*bound.arguments.items()]
    captured = [item for item in _captures(operation.function) if item[0] not in bound.arguments]
    for name, value in (*values, *captured):
        inside = list(_tensors(name, value))
        tensors += inside
        if not inside and (name in bound.arguments or _is_plain(value)):
            constants[name] = _constant(value)
    return LaunchName(
        operation=operation.function.__name__,
        number=number,
        device=device,
        arguments=tuple(tensors),
        constants=constants,
    )


def _tensors(name: str, value: Any) -> Iterator[TensorArgument]:
    if isinstance(value, Tensor):
        yield _argument(name, value)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _tensors(f"{name}[{position}]", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(f"{name}[{key!r}]", item)


def _argument(name: str, tensor: Tensor) -> TensorArgument:
    config = tensor.memory_config()
    spec = tensor.shard_spec
    on_device = tensor.device() is not None
    return TensorArgument(
        name=name,
        shape=tuple(tensor.shape),
        dtype=tensor.dtype.name.lower(),
        layout=tensor.layout.name.lower(),
        memory=config.buffer_type.name.lower() if on_device else "host",
        memory_layout=config.memory_layout.name.lower(),
        shard_shape=None if spec is None else tuple(spec.shape),
    )


def _captures(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the outer variables that an operation and its kernels read, by name, with their values."""
    free = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    variables = {}
    for name, cell in free.items():
        try:
            variables[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    for name in sorted(_globals_read(function.__code__)):
        if name in function.__globals__:
            variables.setdefault(name, function.__globals__[name])
    yield from sorted(variables.items())


def _globals_read(code: CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _globals_read(constant)
    return names


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len(value) <= _LONGEST_LIST and all(map(_is_plain, value))
    return isinstance(value, (*_NUMBERS, str))


def _constant(value: Any) -> Constant:
    match value:
        case None | bool() | str():
            return value
        case int():
            return int(value)
        case float():
            return float(value) if math.isfinite(value) else str(float(value))
        case list() | tuple() if len(value) <= _LONGEST_LIST:
            return [_constant(item) for item in value]
        case DType():
            return value.name
        case FunctionType():
            return value.__qualname__
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: _constant(getattr(value, item.name, None)) for item in fields(value)}
    # Other objects are not converted to text, because that would run code of the user.
    return f"<{type(value).__qualname__}>"


def shown(value: Constant) -> str:
    """Return the text of a constant for reports."""
    if isinstance(value, list):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, dict):
        return f"({', '.join(f'{name}={shown(item)}' for name, item in value.items())})"
    return value if isinstance(value, str) else str(value)
