"""Tensors that a binary includes, converted to and from tensors of torch; their bytes are shared, not copied."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tt_model.flatbuffer.stored_inputs import Buffer, StoredInput
from tt_model.layouts.enums import DataType
from tt_model.runtime.numbers import host_dtype

if TYPE_CHECKING:
    import torch

    from tt_model.binaries.binary import Binary


def tensor_of(stored: StoredInput) -> torch.Tensor:
    """Return the elements of an input that the binary includes. They are shared and must not be written."""
    import torch

    dtype = host_dtype(stored.data_type)
    assert stored.elements is not None and dtype is not None
    if not stored.size:
        return torch.empty(stored.shape, dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns about memory that must not be written to
        flat = torch.frombuffer(stored.elements(), dtype=dtype)
    return flat.reshape(stored.shape)


def named_inputs(
    binary: Binary, names: Sequence[str], tensors: Sequence[Callable[[], torch.Tensor] | None]
) -> list[StoredInput]:
    """Return the inputs of a binary's first program by their names; those with ``tensors`` include their elements.

    A tensor is requested when it is written. Its elements are copied only if they are not in row-major order, one
    tensor at a time.
    """
    described = [one["desc"] for one in binary.programs[0].get("inputs", [])]
    limits = {one.index: one.limits for one in binary.stored_inputs if one.program == 0}
    return [
        StoredInput(
            program=0,
            index=index,
            name=name,
            data_type=DataType[desc["layout"]["memory_desc"]["data_type"]],
            shape=tuple(desc["shape"]),
            elements=None if tensor is None else partial(_elements, tensor),
            limits=limits.get(index),
        )
        for index, (desc, name, tensor) in enumerate(zip(described, names, tensors, strict=True))
    ]


def _elements(tensor: Callable[[], torch.Tensor]) -> Buffer:
    import torch

    flat = tensor().detach().contiguous().reshape(-1)
    content: Any = flat.view(torch.uint8).numpy()
    return memoryview(content) if flat.numel() else b""
