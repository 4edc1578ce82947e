"""Random models over integers and mixed types, for JAX and for PyTorch: what the framework computes is the judge.

A model is a list of steps on values of known type and shape; every value that it makes is a result. Types are never mixed
without a conversion, so that both frameworks mean the same by a step. Left out is what a framework leaves undefined: quotients
by zero and of the least number by -1, shifts beyond the width, and floats that no integer holds, in PyTorch (C++ says nothing of
them); sums of floats, whose order is not said.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

# JAX, JAX with integers of 64 bits, PyTorch.
Framework = Literal["jax", "jax64", "torch"]
Shape = tuple[int, int]

_INTEGERS: dict[Framework, tuple[str, ...]] = {
    "jax": ("int8", "int16", "int32", "uint8", "uint16", "uint32"),
    "jax64": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "torch": ("int8", "int16", "int32", "int64", "uint8"),
}
# More of them than of others.
_FREQUENT: dict[Framework, tuple[str, ...]] = {
    "jax": ("int32", "int8", "int32"),
    "jax64": ("int64", "int64", "int32", "int8"),
    "torch": ("int64", "int64", "int32", "int8"),
}
# Bits of two tensors are taken one by one: of many bits that is slow, and not different.
_BITS_OF_TWO = ("int8", "uint8", "int8", "uint8", "int16", "int32")


@dataclass(frozen=True)
class Slot:
    """A value of a model: what its type and shape are."""

    dtype: str
    shape: Shape

    @property
    def is_integer(self) -> bool:
        return "int" in self.dtype

    @property
    def width(self) -> int:
        return int(self.dtype.lstrip("uint"))


@dataclass
class IntegerModel:
    """Inputs ``v0``, ``v1``, and steps that each make one more value: expressions of Python, with the functions of a framework as ``f``."""

    inputs: list[np.ndarray[Any, Any]]
    steps: list[str] = field(default_factory=list)

    def __call__(self, functions: Any, given: Sequence[Any]) -> tuple[Any, ...]:
        """All values that the steps make, by the functions of a framework: ``JaxFunctions`` or ``TorchFunctions``."""
        values = {"f": functions} | {f"v{at}": value for at, value in enumerate(given)}
        for at, step in enumerate(self.steps, len(given)):
            values[f"v{at}"] = eval(step, values)
        return tuple(values[f"v{at}"] for at in range(len(given), len(given) + len(self.steps)))

    def text(self) -> str:
        """The model for a reader."""
        lines = [f"v{at} = input({one.dtype}{list(one.shape)})" for at, one in enumerate(self.inputs)]
        lines += [f"v{at} = {step}" for at, step in enumerate(self.steps, len(lines))]
        return "\n".join(lines)


class JaxFunctions:
    """What steps call, of JAX."""

    def __init__(self, places: str = "int32") -> None:
        import jax
        import jax.numpy as jnp

        self._lax, self._jnp, self._places = jax.lax, jnp, places

    def convert(self, x: Any, dtype: str) -> Any:
        return x.astype(dtype)

    def constant(self, number: Any, dtype: str) -> Any:
        return self._jnp.asarray(number, dtype)

    def positions(self, count: int, dtype: str) -> Any:
        return self._lax.iota(dtype, count)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jnp, name)

    def divided(self, name: str, left: Any, right: Any) -> Any:
        left, right = self._jnp.broadcast_arrays(left, right)
        return {
            "trunc": self._lax.div,
            "rest": self._lax.rem,
            "floor": self._jnp.floor_divide,
            "mod": self._jnp.remainder,
        }[name](left, right)

    def reduced(self, name: str, x: Any, axis: int) -> Any:
        more = {"dtype": x.dtype} if name in ("sum", "prod") else {}
        result = getattr(self._jnp, name)(x, axis=axis, keepdims=True, **more)
        return result.astype(self._places) if name.startswith("arg") else result

    def taken(self, x: Any, places: Any) -> Any:
        return self._jnp.take(x, places[:, 0], axis=0, mode="clip")

    def taken_along(self, x: Any, places: Any) -> Any:
        return self._jnp.take_along_axis(x, places, axis=1, mode="clip")

    def product(self, left: Any, right: Any) -> Any:
        return self._lax.dot(left, right.T)


class TorchFunctions:
    """What steps call, of PyTorch."""

    _NAMES: ClassVar = {"left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "equal": "eq", "not_equal": "ne",
              "bitwise_invert": "bitwise_not"}  # fmt: skip

    def __init__(self) -> None:
        import torch

        self._torch = torch

    def convert(self, x: Any, dtype: str) -> Any:
        if x.is_floating_point() and "int" in dtype:
            x = self._torch.clamp(x, -2e9, 2e9)
        return x.to(getattr(self._torch, dtype))

    def constant(self, number: Any, dtype: str) -> Any:
        return self._torch.tensor(number, dtype=getattr(self._torch, dtype))

    def positions(self, count: int, dtype: str) -> Any:
        return self._torch.arange(count, dtype=getattr(self._torch, dtype))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, self._NAMES.get(name, name))

    def divided(self, name: str, left: Any, right: Any) -> Any:
        if right.ndim:
            right = self._torch.clamp(right, min=1)
        if name in ("trunc", "floor"):
            return self._torch.div(left, right, rounding_mode=name)
        return self._torch.fmod(left, right) if name == "rest" else self._torch.remainder(left, right)

    def reduced(self, name: str, x: Any, axis: int) -> Any:
        if name in ("sum", "prod"):
            return getattr(x, name)(dim=axis, keepdim=True, dtype=x.dtype)
        return getattr(x, {"max": "amax", "min": "amin"}.get(name, name))(dim=axis, keepdim=True)

    def taken(self, x: Any, places: Any) -> Any:
        count = x.shape[0]
        return x[self._torch.clamp(places[:, 0].long(), -count, count - 1)]

    def taken_along(self, x: Any, places: Any) -> Any:
        return self._torch.gather(x, 1, self._torch.clamp(places.long(), 0, x.shape[1] - 1))

    def product(self, left: Any, right: Any) -> Any:
        return left @ right.T


def _fit(first: Shape, second: Shape) -> bool:
    """Whether two shapes repeat to one."""
    return all(one == other or 1 in (one, other) for one, other in zip(first, second, strict=True))


class _Writer:
    """Draws one model."""

    def __init__(self, seed: int, framework: Framework, steps: int) -> None:
        self._random = random.Random(seed)
        self._framework = framework
        # Numbers of int64 are small ones, as positions and tokens are: a model that may need more than 32 bits is refused.
        self._has_wide = framework != "jax" and self._random.random() < 0.5
        # Of short models, which are many, no step is of hundreds of operations.
        self._bits_of_two = _BITS_OF_TWO if steps > 2 else _BITS_OF_TWO[:2]
        self._shape: Shape = (self._random.randint(1, 4), self._random.randint(1, 5))
        self._slots: list[Slot] = []
        self.model = IntegerModel([])
        for _ in range(self._random.randint(1, 3)):
            dtype = self._any_dtype()
            self._slots.append(Slot(dtype, self._shape))
            self.model.inputs.append(self._drawn(dtype))
        while len(self.model.steps) < steps:
            self._step()

    # Types and numbers.

    def _any_dtype(self) -> str:
        dtype = self._random.choice((*_INTEGERS[self._framework], *_FREQUENT[self._framework]))
        return dtype.replace("64", "32") if not self._has_wide else dtype

    def _limits(self, dtype: str) -> tuple[int, int]:
        if "64" in dtype or (self._has_wide and "32" in dtype):
            return 0 if dtype.startswith("u") else -(1 << 10), 1 << 10
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)

    def _number(self, dtype: str) -> int:
        """A number of a type: a small one, one near the end of the type, or any."""
        low, high = self._limits(dtype)
        kind = self._random.random()
        if kind < 0.5:
            return self._random.randint(max(low, -9), 9)
        if kind < 0.7:
            return self._random.choice((low, high, low + 1, high - 1, 0, max(low, -1)))
        return self._random.randint(low, high)

    def _drawn(self, dtype: str) -> np.ndarray[Any, Any]:
        numbers = [self._number(dtype) for _ in range(self._shape[0] * self._shape[1])]
        return np.array(numbers, dtype).reshape(self._shape)

    # Steps.

    def _add(self, step: str, slot: Slot) -> int:
        self.model.steps.append(step)
        self._slots.append(slot)
        return len(self._slots) - 1

    def _some(self, accept: Callable[[Slot], bool]) -> int | None:
        fitting = [at for at, slot in enumerate(self._slots) if accept(slot)]
        if not fitting:
            return None
        return self._random.choice(fitting[-4:] if self._random.random() < 0.6 else fitting)

    def _integer(self) -> int:
        at = self._some(lambda slot: slot.is_integer)
        assert at is not None
        return at

    def _as(self, at: int, dtype: str) -> int:
        """A value of a type: itself, or a conversion."""
        slot = self._slots[at]
        return (
            at if slot.dtype == dtype else self._add(f"f.convert(v{at}, {dtype!r})", Slot(dtype, slot.shape))
        )

    def _two(self, dtype: str | None = None, beside: Shape = (1, 1)) -> tuple[int, int]:
        """Two values of one type, whose shapes repeat to one, with another one."""
        left = self._some(lambda slot: slot.is_integer and _fit(slot.shape, beside))
        if left is None:
            left = self._integer()
        of_left = self._slots[left].shape
        shape = np.broadcast_shapes(of_left, beside) if _fit(of_left, beside) else of_left
        right = self._some(lambda slot: slot.is_integer and _fit(slot.shape, shape))
        wanted = dtype or self._slots[left].dtype
        return self._as(left, wanted), self._as(left if right is None else right, wanted)

    def _like(self, *several: int, dtype: str = "") -> Slot:
        """The type of the first of some values, or another one, with the shape that all of them repeat to."""
        return Slot(
            dtype or self._slots[several[0]].dtype,
            np.broadcast_shapes(*(self._slots[at].shape for at in several)),
        )

    def _step(self) -> None:
        self._random.choice(
            (
                self._convert, self._convert, self._arithmetic, self._arithmetic, self._compare, self._unary, self._divide,
                self._shift, self._bits, self._reduce, self._gather, self._positions, self._choose, self._dot, self._float,
            )
        )()  # fmt: skip

    def _convert(self) -> None:
        at = self._random.randrange(len(self._slots))
        dtype = self._random.choice((self._any_dtype(), self._any_dtype(), "float32", "bool"))
        self._as(at, dtype)

    def _arithmetic(self) -> None:
        name = self._random.choice(("add", "subtract", "multiply", "maximum", "minimum"))
        left, right = self._two()
        if left == right and name == "subtract":
            name = "add"  # XLA of jaxlib 0.10.2 traps where it folds 0 % 0: seed 20352
        self._add(f"f.{name}(v{left}, v{right})", self._like(left, right))

    def _compare(self) -> None:
        name = self._random.choice(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
        left, right = self._two()
        self._add(f"f.{name}(v{left}, v{right})", self._like(left, right, dtype="bool"))

    def _unary(self) -> None:
        name = self._random.choice(("negative", "abs", "sign", "bitwise_invert"))
        at = self._integer()
        self._add(f"f.{name}(v{at})", self._slots[at])

    def _divide(self) -> None:
        name = self._random.choice(("trunc", "rest", "floor", "mod"))
        left, right = self._two()
        slot = self._slots[left]
        if self._random.random() < 0.6:
            low, high = self._limits(slot.dtype)
            numbers = [one for one in (2, 3, 7, 10, 100, 1000, -3, -7, high, 16) if low <= one <= high]
            self._add(
                f"f.divided({name!r}, v{left}, {self._constant(self._random.choice(numbers), slot)})", slot
            )
            return
        self._add(f"f.divided({name!r}, v{left}, v{right})", self._like(left, right))

    def _shift(self) -> None:
        name = self._random.choice(("left_shift", "right_shift"))
        at = self._integer()
        slot = self._slots[at]
        last = min(slot.width, 32) - 1
        if self._random.random() < 0.7:
            by = self._random.randint(0, last if slot.width < 64 else 4)
            self._add(f"f.{name}(v{at}, {self._constant(by, slot)})", slot)
            return
        left, right = self._two(slot.dtype)
        if self._framework == "torch":
            most = last if slot.dtype != "int64" else 4
            right = self._add(f"f.clip(v{right}, 0, {most})", self._slots[right])
        self._add(f"f.{name}(v{left}, v{right})", self._like(left, right))

    def _bits(self) -> None:
        name = self._random.choice(("bitwise_and", "bitwise_or", "bitwise_xor"))
        if self._random.random() < 0.6:
            at = self._integer()
            slot = self._slots[at]
            self._add(f"f.{name}(v{at}, {self._constant(self._number(slot.dtype), slot)})", slot)
            return
        left, right = self._two(self._random.choice(self._bits_of_two))
        if left == right and name == "bitwise_xor":
            name = "bitwise_or"  # as for subtract
        self._add(f"f.{name}(v{left}, v{right})", self._like(left, right))

    def _reduce(self) -> None:
        at = self._random.randrange(len(self._slots))
        slot, axis = self._slots[at], self._random.randrange(2)
        names = ("any", "all") if slot.dtype == "bool" else ("max", "min", "argmax", "argmin")
        if slot.is_integer:
            names = (*names, "sum", "sum", "prod")
        name = self._random.choice(names)
        shape = (1, slot.shape[1]) if axis == 0 else (slot.shape[0], 1)
        places = "int32" if self._framework == "jax" else "int64"
        dtype = places if name.startswith("arg") else slot.dtype
        self._add(f"f.reduced({name!r}, v{at}, {axis})", Slot(dtype, shape))

    def _gather(self) -> None:
        table, places = self._integer(), self._integer()
        slot, wanted = self._slots[table], self._slots[places].shape
        if self._random.random() < 0.6:
            self._add(f"f.taken(v{table}, v{places})", Slot(slot.dtype, (wanted[0], slot.shape[1])))
        elif wanted[0] == slot.shape[0]:
            self._add(f"f.taken_along(v{table}, v{places})", Slot(slot.dtype, wanted))

    def _positions(self) -> None:
        at = self._integer()
        slot = self._slots[at]
        self._add(f"v{at} + f.positions({slot.shape[1]}, {slot.dtype!r})", slot)

    def _choose(self) -> None:
        condition = self._some(lambda slot: slot.dtype == "bool")
        if condition is None:
            return
        left, right = self._two(beside=self._slots[condition].shape)
        if _fit(self._slots[left].shape, self._slots[condition].shape):
            self._add(f"f.where(v{condition}, v{left}, v{right})", self._like(left, right, condition))

    def _dot(self) -> None:
        left, right = self._two()
        (rows, depth), (columns, other) = self._slots[left].shape, self._slots[right].shape
        if depth == other:
            self._add(f"f.product(v{left}, v{right})", Slot(self._slots[left].dtype, (rows, columns)))

    def _float(self) -> None:
        """Floats that are exact: by powers of two, without fractions, and back."""
        at = self._some(lambda slot: slot.dtype == "float32")
        if at is None:
            at = self._as(self._integer(), "float32")
        if self._random.random() < 0.5:
            step = f"v{at} * {self._random.choice((0.5, 0.25, 2.0, -0.5, -1.0))}"
        else:
            step = f"f.{self._random.choice(('floor', 'ceil', 'round', 'trunc'))}(v{at})"
        at = self._add(step, self._slots[at])
        self._as(at, self._random.choice((self._any_dtype(), self._any_dtype(), "float32")))

    def _constant(self, number: int, slot: Slot) -> str:
        return f"f.constant({number}, {slot.dtype!r})"


def integer_model(seed: int, framework: Framework, steps: int = 9) -> IntegerModel:
    """The model of a seed."""
    return _Writer(seed, framework, steps).model
