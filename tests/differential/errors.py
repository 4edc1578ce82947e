"""How far the emulated chip may be from the reference, found by carrying an error along with every value.

The rule for an expression is composed of those of its operations. Every block carries, element by element, how far
it may be from what the reference says:

* a row of the operation table adds its tolerance for the type the registers compute in: ``float32`` where they are
  32 bits wide, ``bfloat16`` where they are 16;
* what enters with an error leaves with the largest change that it makes to the result at either end of its interval
  (products and sums of many terms: with the sum of the changes);
* a ``float32`` value that the matrix unit reads has lost what does not fit the 10 bits of TF32. In a program of many
  operations any value may have been in a buffer that the matrix unit reads; where there is one operation, only the
  operands of those that the unit computes;
* a store rounds at either end of the interval. So an error smaller than a step of the stored type mostly vanishes,
  and a value near the middle between two steps may be either of them. What is read back from a block that is not
  pushed yet may still be the value that was not rounded.

A value that is infinite, no number, or made of one, may be anything: see ``test_special_values.py`` for those. So may an
integer that depends on more than the low bits of a value that its type does not hold: the language computes with 64
bits and wraps where it stores, the chip has the bits of the type, and converts to the nearest value of another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from support.random_programs.language.reference import (
    BLOCK_FLOATS,
    INTEGERS,
    Array,
    Block,
    Machine,
    Tensor,
    elements,
    rounded,
)
from ttl.rows.hardware import EXACT
from ttl.rows.table import op as row_named

# What reads its operands as TF32 where they are float32.
MATRIX = ("matmul",)
# What gives the low bits of the result whatever the high bits of the operands are.
_WRAPPING = (
    "add", "sub", "rsub", "mul", "neg", "square", "pow", "xor", "reduce_sum", "broadcast", "transpose", "squeeze",
    "unsqueeze",
)  # fmt: skip
# Types that there are in memory only.
_PACKED = ("float16", *BLOCK_FLOATS)
_ACCUMULATING = ("matmul", "reduce_sum")


class Measured(Block):
    """A block with how far each of its elements may be off."""

    error: Array
    # How far what is read back from it may be off: it may not have been rounded yet.
    unrounded: Array
    # The element type, where that decides how many bits an integer has.
    dtype: str


class ErrorMachine(Machine):
    """The reference's arithmetic with errors.

    ``wide``: the registers of the chip hold 32 bits. ``single``: the program has one operation.
    """

    def __init__(self, *, wide: bool, single: bool) -> None:
        super().__init__()
        self._wide = wide
        self._single = single
        self._of_tensors: dict[int, Array] = {}

    def error_of(self, tensor: Tensor) -> Array:
        """How far each element of a tensor may be off now."""
        return self._of_tensors.setdefault(id(tensor), np.zeros(tensor.values.shape))

    def read(self, tensor: Tensor, index: tuple[Any, ...], shape: tuple[int, ...]) -> Block:
        """A copy from a tensor slice into a block."""
        block = super().read(tensor, index, shape)
        endless = _endless(block.values, tensor.dtype)
        if id(tensor) not in self._of_tensors:
            return _measured(block, endless, tensor.dtype)
        shadow = Tensor(np.zeros(tensor.values.shape), "float32", tensor.tiled)
        shadow.values = self.error_of(tensor).astype(np.float32)
        return _measured(block, super().read(shadow, index, shape).values + endless, tensor.dtype)

    def write(self, tensor: Tensor, index: tuple[Any, ...], block: Block) -> None:
        """A copy from a block to a tensor slice."""
        super().write(tensor, index, block)
        region = tensor.region(index)
        target = tensor.values[region].shape
        inner = target[-2:] if tensor.tiled else target[-1:]
        cut = (..., *(slice(0, extent) for extent in inner))
        self.error_of(tensor)[region] = _error(block)[cut].reshape(target)

    def fill(self, value: float, shape: tuple[int, ...], tiled: bool, integer: bool) -> Block:
        """A block of one number."""
        block = super().fill(value, shape, tiled, integer)
        inexact = (
            0.0
            if self._wide or integer
            else abs(rounded(np.array([value], np.float32), "bfloat16").item() - value)
        )
        return _measured(block, inexact)

    def store(self, block: Block, dtype: str) -> Block:
        """What a block of an element type holds after a store."""
        block = _within("store", block, dtype)
        stored = super().store(block, dtype)
        error = np.maximum(_error(block), block.unrounded if isinstance(block, Measured) else 0.0)
        if self._wide and not self._single and block.values.dtype.kind == "f":
            error = error + _largest([truncated(block.values)], block.values)
        made = _measured(stored, self._stored(block, stored, dtype, error), dtype)
        if stored.values.dtype.kind == "f":
            made.unrounded = error + _largest([stored.values], block.values)
        return made

    def _stored(self, block: Block, stored: Block, dtype: str, error: Array) -> Array:
        if dtype in BLOCK_FLOATS:
            # The exponent of a group follows the largest of its values; halves are rounded either way.
            largest = np.abs(block.values) + error
            # What may be anything may be the largest of its group.
            endless = _endless(np.where(np.isfinite(largest), block.values, np.inf), dtype)
            for start in range(0, largest.shape[-1], 16):
                group = largest[..., start : start + 16]
                group[...] = np.where(np.isfinite(group), group, 0).max(axis=-1, keepdims=True)
            return (
                error
                + endless
                + np.exp2(np.floor(np.log2(np.maximum(largest, 1e-30))) + 1 - BLOCK_FLOATS[dtype])
            )
        if not error.any():
            return error
        kind = stored.values.dtype
        return _largest(
            (rounded((block.values + sign * error).astype(block.values.dtype), dtype).astype(kind) for sign in (1, -1)),
            stored.values,
        )  # fmt: skip

    def apply(self, name: str, *args: Any, **params: Any) -> Block:
        """One operation of the language."""
        dtype = _dtype(name, args, params)
        args = tuple(_within(name, arg, dtype) if isinstance(arg, Block) else arg for arg in args)
        central = super().apply(name, *args, **params)
        if central.values.dtype.kind == "i" and name not in (*_WRAPPING, "typecast"):
            central.undefined = _within("", _measured(central, 0.0, dtype), dtype).undefined
        blocks = [arg for arg in args if isinstance(arg, Block)]
        entering = [self._entering(name, block) for block in blocks]
        error = self._propagated(name, args, params, central, entering) + self._own(name, blocks, central)
        if central.values.dtype.kind == "f":
            error = np.where(np.isfinite(central.values), error, np.inf)
        for block, endless in zip(blocks, entering, strict=True):
            if block.shape == central.shape:  # no number stays none, whatever limits are put to it
                error = np.where(np.isinf(endless), np.inf, error)
        if name == "typecast" and dtype in _PACKED:
            error = error + _largest([central.values], blocks[0].values)
        return _measured(central, np.where(np.isnan(error), np.inf, error), dtype)

    def _entering(self, name: str, block: Block) -> Array:
        """The error of an operand where it is computed with."""
        error = np.maximum(_error(block), block.unrounded if isinstance(block, Measured) else 0.0)
        if not self._wide or block.values.dtype.kind != "f" or (self._single and name not in MATRIX):
            return error
        lost = _largest([truncated(block.values)], block.values)
        # Of a value that is off already it may be all 10 bits do not hold.
        error = error + np.where(error > 0, np.abs(block.values) * 2.0**-10, lost)
        return np.where(np.isnan(error), np.inf, error)

    def _propagated(
        self,
        name: str,
        args: Sequence[Any],
        params: dict[str, Any],
        central: Block,
        entering: Sequence[Array],
    ) -> Array:
        if not any(error.any() for error in entering):
            return np.zeros(central.values.shape)
        if name == "matmul":
            (a, b), (error_a, error_b) = args, entering
            terms = ((np.abs(a.values), error_b), (error_a, np.abs(b.values)), (error_a, error_b))
            return np.asarray(
                sum(
                    super(ErrorMachine, self)._matmul(_like(a, left), _like(b, right)).values
                    for left, right in terms
                )
            )
        if name == "reduce_sum":
            return super()._reduce_sum(_like(args[0], entering[0]), **params).values
        found = []
        for signs in product((1, -1), repeat=len(entering)):
            moved = iter(
                _like(arg, arg.values + sign * error)
                for arg, sign, error in zip(
                    (each for each in args if isinstance(each, Block)), signs, entering, strict=True
                )
            )
            others = [next(moved) if isinstance(arg, Block) else arg for arg in args]
            found.append(super().apply(name, *others, **params).values)
        error = _largest(found, central.values)
        if name == "mod":  # where the quotient is about to be another one, it is off by the divisor
            divisor = np.abs(args[1].values if isinstance(args[1], Block) else float(args[1]))
            error = np.where(error > divisor / 2, divisor + error, error)
        return error

    def _own(self, name: str, blocks: Sequence[Block], central: Block) -> Array:
        if central.values.dtype.kind != "f":
            return np.zeros(central.values.shape)
        row = row_named(name)
        tolerance = row.tolerance["float32" if self._wide else "bfloat16"]
        size = np.abs(central.values).astype(np.float64)
        if name in _ACCUMULATING:
            size = self._size(name, blocks, central)
        if row.tolerance is EXACT and self._wide:
            return np.zeros(size.shape)
        if row.tolerance is EXACT:
            return np.abs(rounded(central.values, "bfloat16") - central.values)
        return tolerance.absolute + tolerance.relative * size

    def _size(self, name: str, blocks: Sequence[Block], central: Block) -> Array:
        """How large the terms of a sum are together."""
        sizes = [_like(block, np.abs(block.values)) for block in blocks]
        if name == "matmul":
            return super()._matmul(*sizes).values.astype(np.float64)
        # The shape of the result says over which dimensions the sum is.
        dims = [axis for axis, extent in enumerate(central.shape) if extent != blocks[0].shape[axis]]
        if not dims:
            dims = [-1, -2]
        total = super()._reduce_sum(sizes[0], dims).values.astype(np.float64)
        return np.broadcast_to(total.max(initial=0), central.values.shape)


def truncated(values: Array) -> Array:
    """What TF32 holds of float32 values."""
    words = np.ascontiguousarray(values, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)
    return words.view(np.float32)


def _endless(values: Array, dtype: str) -> Array:
    """An endless error where there is no number, and around one in a block float, which has no such values."""
    error = np.where(np.isfinite(values.astype(np.float64)), 0.0, np.inf)
    for start in range(0, error.shape[-1], 16) if dtype in BLOCK_FLOATS else ():
        group = error[..., start : start + 16]
        group[...] = group.max(axis=-1, keepdims=True)
    return error


def _within(name: str, block: Block, result: str) -> Block:
    """An operand of what gives an element type; lanes that mean something else on the chip are not defined."""
    dtype = block.dtype if isinstance(block, Measured) else ""
    converted = name in ("typecast", "store") and result in INTEGERS
    if block.values.dtype.kind == "f":
        dtype = result if converted else ""
    elif dtype in INTEGERS and result in INTEGERS and (converted or name in _WRAPPING):
        bits, wanted = INTEGERS[dtype][0], INTEGERS[result][0]
        # The nearest value of a narrower type, the low bits for one as wide; a wider one has no more of it.
        dtype = result if wanted < bits else "" if wanted == bits else dtype
    if dtype not in INTEGERS:
        return block
    bits, signed = INTEGERS[dtype]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    values = np.trunc(block.values) if block.values.dtype.kind == "f" else block.values
    outside = (values < low) | (values > high)
    if not outside.any():
        return block
    made = _measured(block, _error(block), block.dtype if isinstance(block, Measured) else "")
    made.undefined = block.undefined | outside
    return made


def _dtype(name: str, args: Sequence[Any], params: dict[str, Any]) -> str:
    """The integer type of a result, or nothing."""
    if name == "typecast":
        return str(params["dtype"])
    deciding = args[1:] if name == "where" else args[:1] if name.startswith("mask") else args
    found = [arg.dtype for arg in deciding if isinstance(arg, Measured) and arg.dtype in INTEGERS]
    return max(found, key=lambda dtype: INTEGERS[dtype][0], default="")


def _measured(block: Block, error: Any, dtype: str = "") -> Measured:
    made = Measured(block.shape, block.tiled, block.values, block.pad, block.undefined)
    made.dtype, made.unrounded = dtype, np.zeros(())
    made.error = np.broadcast_to(np.asarray(error, np.float64), elements(block.shape, block.tiled))
    return made


def _error(block: Block) -> Array:
    return block.error if isinstance(block, Measured) else np.zeros(block.values.shape)


def _like(block: Block, values: Array) -> Block:
    values = values.astype(block.values.dtype)
    return Block(block.shape, block.tiled, values, block.pad, block.undefined)


def _largest(found: Any, central: Array) -> Array:
    """The largest distance of any of some results."""
    error = np.zeros(central.shape)
    with np.errstate(all="ignore"):
        for values in found:
            distance = np.abs(values.astype(np.float64) - central.astype(np.float64))
            error = np.maximum(error, np.where((values == central), 0.0, distance))
    return error
