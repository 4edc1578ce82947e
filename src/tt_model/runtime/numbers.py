"""The numbers of each data type, in torch: the type that values are computed in, and the effect of storing them.

A float is computed in its own type. A block float is computed in float32 and rounded when it is stored: 16 neighbours
of a row share an exponent. Unsigned numbers are computed in int64 and taken modulo their width.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from tt_model.layouts.enums import DataType
from tt_model.runtime.problems import beyond_limits
from ttl.rows.dtypes import round_to_block_float, saturated

if TYPE_CHECKING:
    import torch

_FLOATS = MappingProxyType(
    {DataType.Float32: "float32", DataType.Float16: "float16", DataType.BFloat16: "bfloat16"}
)
# Bits of a mantissa, without the sign.
_MANTISSAS = MappingProxyType(
    {
        DataType.BFP_Float8: 7,
        DataType.BFP_BFloat8: 7,
        DataType.BFP_Float4: 3,
        DataType.BFP_BFloat4: 3,
        DataType.BFP_Float2: 1,
        DataType.BFP_BFloat2: 1,
    }
)
_LARGEST = MappingProxyType(
    {DataType.UInt32: (1 << 32) - 1, DataType.UInt16: (1 << 16) - 1, DataType.UInt8: (1 << 8) - 1}
)
_HOST = MappingProxyType(
    {**_FLOATS, DataType.UInt32: "uint32", DataType.UInt16: "uint16", DataType.UInt8: "uint8"}
)


def is_integer(data_type: DataType) -> bool:
    """Whether a data type is one of the unsigned types."""
    return data_type in _LARGEST


@cache
def working_dtype(data_type: DataType) -> torch.dtype:
    """Return the torch type in which values of a type are computed."""
    import torch

    if data_type in _LARGEST:
        return torch.int64
    dtype: torch.dtype = getattr(torch, _FLOATS.get(data_type, "float32"))
    return dtype


@cache
def host_dtype(data_type: DataType) -> torch.dtype | None:
    """The torch type of a user's tensor of a data type; None for block floats, which users cannot pass."""
    import torch

    name = _HOST.get(data_type)
    return None if name is None else getattr(torch, name)


def data_type_of(dtype: torch.dtype) -> DataType | None:
    """The data type of a user's tensor of torch, or None."""
    for data_type in _HOST:
        if host_dtype(data_type) == dtype:
            return data_type
    return None


def stored(values: torch.Tensor, data_type: DataType) -> torch.Tensor:
    """Results of arithmetic as they are stored in a type: rounded, and whole numbers modulo their width."""
    dtype = working_dtype(data_type)
    if data_type in _FLOATS:
        return values if values.dtype == dtype else values.to(dtype)
    largest = _LARGEST.get(data_type)
    if largest is not None:
        if values.is_floating_point():
            return converted(values, data_type)
        own = values.to(dtype)
        return own if values.dtype.itemsize == 1 and not values.dtype.is_signed else own & largest
    mantissa = _MANTISSAS.get(data_type)
    if mantissa is not None:
        return rounded_to_blocks(values, mantissa)
    return values.to(dtype)


def converted(values: torch.Tensor, data_type: DataType) -> torch.Tensor:
    """Convert values from another type: to floats they are rounded.

    To whole numbers, fractions are cut off, and numbers out of range become the nearest one.
    """
    import torch

    largest = _LARGEST.get(data_type)
    if largest is None:
        return stored(values, data_type)
    wide = values.to(torch.float64 if values.is_floating_point() else torch.int64)
    return torch.from_numpy(saturated(wide.numpy(), 0, largest)).to(torch.int64)


def rounded_to_blocks(values: torch.Tensor, mantissa_bits: int) -> torch.Tensor:
    """Round values to a block float with ``mantissa_bits`` bits of mantissa."""
    import torch

    plain = values.to(torch.float32).contiguous()
    return torch.from_numpy(round_to_block_float(plain.numpy(), mantissa_bits)).reshape(plain.shape)


def from_host(values: torch.Tensor, data_type: DataType) -> torch.Tensor:
    """Convert a user's tensor to the type that values are computed in."""
    return values.to(working_dtype(data_type))


def signed(values: torch.Tensor) -> torch.Tensor:
    """Reinterpret the bits of a user's integers as numbers with a sign."""
    import torch

    return values.view(getattr(torch, f"int{values.dtype.itemsize * 8}"))


def check_limits(name: str, given: torch.Tensor, limits: tuple[int, int]) -> None:
    """Raise ``RuntimeProblem`` for numbers for which 32 bits may not be enough.

    Signed numbers are passed as their bits.
    """
    least, most = limits
    if not given.numel():
        return
    if given.dtype.is_floating_point:
        values = given
    else:
        values = signed(given) if least < 0 else given.long()
    low, high = (one.item() for one in values.aminmax())
    if not (least <= low and high <= most):
        raise beyond_limits(
            f"{name} has numbers from {low} to {high}: the device computes integers of 64 bits in 32, which are enough for this "
            f"program with inputs from {least} to {most}; integers of 32 bits in the model wrap instead"
        )


def to_host(values: torch.Tensor, data_type: DataType) -> torch.Tensor:
    """Convert values from the type they are computed in to the type of a user's tensor."""
    dtype = host_dtype(data_type)
    return values if dtype is None else values.to(dtype)
