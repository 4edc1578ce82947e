"""Tensors whose elements are known while a module is compiled: ``ttir.constant`` with its elements permuted or reshaped."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import SSAValue

from ttl.ir.dense import dense_of_bytes, is_splat
from ttmlir.operations.ttir import TTIRConstantOp

Elements = DenseIntOrFPElementsAttr[Any]


def constant_attribute(value: SSAValue) -> Elements | None:
    """The elements of a ``ttir.constant``; None of another value."""
    owner = value.owner
    if not isinstance(owner, TTIRConstantOp):
        return None
    attribute = owner.value
    return attribute if isinstance(attribute, DenseIntOrFPElementsAttr) else None


def permuted_constant(elements: Elements, order: tuple[int, ...]) -> Elements:
    """The elements of a permuted tensor: the dimension that comes first is ``order[0]``."""
    old = elements.type
    type = TensorType(old.element_type, [old.get_shape()[dim] for dim in order])
    if is_splat(elements):
        return dense_of_bytes(type, elements.data.data)
    size = old.element_type.compile_time_size
    table = np.frombuffer(elements.data.data, f"V{size}").reshape(old.get_shape())
    return dense_of_bytes(type, table.transpose(order).tobytes())
