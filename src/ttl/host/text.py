"""How a tensor prints outside of kernels."""

from __future__ import annotations

import numpy as np

from ttl.host.tensor import Tensor


def describe_tensor(tensor: Tensor) -> str:
    """Values (shortened), shape, type and layout on a few lines."""
    tail = f"shape={tensor.shape!r}, dtype=ttnn.{tensor.dtype}, layout=ttnn.{tensor.layout}_LAYOUT"
    if not tensor.is_allocated():
        return f"ttnn.Tensor(deallocated, {tail})"
    tensor._observe()
    if tensor.shards is None:
        return f"ttnn.Tensor({_values(tensor)}, {tail})"
    lines = [f"shard {number}: {_values(shard)}" for number, shard in enumerate(tensor.shards)]
    return "\n".join([f"ttnn.Tensor(on a mesh of {len(tensor.shards)} devices, {tail})", *lines])


def _values(tensor: Tensor) -> str:
    values = tensor.dtype.load(tensor._data).reshape(tensor.shape)
    return np.array2string(
        values, separator=", ", precision=4, threshold=64, edgeitems=3, prefix="ttnn.Tensor("
    )
