"""Binaries: ``.ttnn`` and ``.ttm`` programs and ``.ttsys`` system descriptions, read from files."""

from tt_model.binaries.binary import (
    Binary,
    Flatbuffer,
    SystemDesc,
    as_dict,
    load_binary_from_capsule,
    load_binary_from_path,
    load_from_path,
    load_system_desc_from_path,
)
from tt_model.flatbuffer.files import FlatbufferError
from ttrt.binary import stats

__all__ = [
    "Binary",
    "Flatbuffer",
    "FlatbufferError",
    "SystemDesc",
    "as_dict",
    "load_binary_from_capsule",
    "load_binary_from_path",
    "load_from_path",
    "load_system_desc_from_path",
    "stats",
]
