"""Data types of ``tt`` as element types of ``ttl.rows``, which kernels, host tensors and simulators know."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tt_model.layouts.enums import DataType
from ttl.rows import dtypes
from ttl.rows.dtypes import DType

DTYPES: Mapping[DataType, DType] = MappingProxyType(
    {
        DataType.Float32: dtypes.FLOAT32,
        DataType.Float16: dtypes.FLOAT16,
        DataType.BFloat16: dtypes.BFLOAT16,
        DataType.BFP_BFloat8: dtypes.BFLOAT8_B,
        DataType.BFP_BFloat4: dtypes.BFLOAT4_B,
        DataType.UInt32: dtypes.UINT32,
        DataType.UInt16: dtypes.UINT16,
        DataType.UInt8: dtypes.UINT8,
    }
)
