"""System descriptions in files: ``.ttsys``, as ``ttrt query`` writes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tt_model.flatbuffer.decode import decode, identifier_of
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.version import version_fields
from tt_model.layouts.enums import Arch, ChipCapability, CPURole, DataType
from tt_model.layouts.system_desc import (
    CHIP_NUMBERS,
    ChipChannel,
    ChipCoord,
    ChipDesc,
    Coordinate,
    CPUDesc,
    PhysicalCores,
    SystemRecord,
)

SCHEMA = "Common/system_desc.fbs"
_NUMBERS = (*CHIP_NUMBERS, "num_cbs")
_CORE_KINDS = ("worker", "dram", "eth", "eth_inactive")
_ARCHS = {arch.keyword.capitalize(): arch for arch in Arch}
# The kinds of files with other identifiers.
_OTHER_KINDS = {"TTNN": "a compiled TTNN program", "TTM0": "a compiled TTMetal program"}


def read_system_desc(path: str | os.PathLike[str]) -> SystemRecord:
    """The system that a ``.ttsys`` file describes. Raises ``FlatbufferError``."""
    try:
        content = Path(path).read_bytes()
    except OSError as problem:
        why = problem.strerror or problem
        raise FlatbufferError(f"cannot read the system description {path}: {why}") from None
    try:
        return decode_system_desc(content)
    except FlatbufferError as problem:
        what = _OTHER_KINDS.get(identifier_of(content))
        why = f"it is {what}" if what else f"{problem}"
        raise FlatbufferError(f"{path} is not a system description (.ttsys): {why}") from None


def write_system_desc(path: str | os.PathLike[str], desc: SystemRecord) -> None:
    """Write a ``.ttsys`` file. Raises ``OSError``."""
    Path(path).write_bytes(encode_system_desc(desc))


def encode_system_desc(desc: SystemRecord) -> bytes:
    """The content of a ``.ttsys`` file."""
    root = version_fields() | {"product_identifier": "unknown", "system_desc": system_desc_fields(desc)}
    return encode(schema(SCHEMA), root)


def decode_system_desc(content: bytes) -> SystemRecord:
    """The inverse of ``encode_system_desc``. Raises ``FlatbufferError``.

    The identifier and the structure are checked, the release is not.
    """
    return system_desc_of_fields(decode(schema(SCHEMA), content).get("system_desc"))


# The table ``SystemDesc``, which is in compiled programs, too.


def system_desc_fields(desc: SystemRecord) -> dict[str, Any]:
    """The fields of the table that describes a system."""
    return {
        "cpu_descs": [{"role": cpu.role.name, "target_triple": cpu.target_triple} for cpu in desc.cpu_descs],
        "chip_descs": [_chip_fields(chip) for chip in desc.chip_descs],
        "chip_desc_indices": desc.chip_desc_indices,
        "chip_capabilities": [int(capability) for capability in desc.chip_capabilities],
        "chip_coords": [
            {"rack": coord.rack, "shelf": coord.shelf, "y": coord.y, "x": coord.x}
            for coord in desc.chip_coords
        ],
        "chip_channels": [
            {
                "device_id0": channel.device_id0,
                "ethernet_core_coord0": dim2d(channel.ethernet_core_coord0),
                "device_id1": channel.device_id1,
                "ethernet_core_coord1": dim2d(channel.ethernet_core_coord1),
            }
            for channel in desc.chip_channels
        ],
    }


def dim2d(pair: tuple[int, ...]) -> dict[str, int]:
    """A pair (y, x) as the struct ``Dim2d``."""
    y, x = pair
    return {"y": y, "x": x}


def _chip_fields(chip: ChipDesc) -> dict[str, Any]:
    cores = chip.physical_cores
    return {name: getattr(chip, name) for name in _NUMBERS} | {
        "arch": int(chip.arch),
        "grid_size": dim2d(chip.grid),
        "physical_cores": {kind: [dim2d(core) for core in getattr(cores, kind)] for kind in _CORE_KINDS},
        "supported_data_types": [int(data_type) for data_type in chip.supported_data_types],
        "supported_tile_sizes": [dim2d(size) for size in chip.supported_tile_sizes],
    }


def system_desc_of_fields(fields: dict[str, Any] | None) -> SystemRecord:
    """The system that the fields of a table describe. Raises ``FlatbufferError``."""
    if fields is None:
        raise FlatbufferError("there is no system_desc in it")
    try:
        return SystemRecord(
            cpu_descs=tuple(
                CPUDesc(CPURole[cpu["role"]], cpu.get("target_triple", ""))
                for cpu in fields.get("cpu_descs", ())
            ),
            chip_descs=tuple(_chip_of_fields(chip) for chip in fields.get("chip_descs", ())),
            chip_desc_indices=tuple(fields.get("chip_desc_indices", ())),
            chip_capabilities=tuple(map(_capability, fields.get("chip_capabilities", ()))),
            chip_coords=tuple(ChipCoord(**coord) for coord in fields.get("chip_coords", ())),
            chip_channels=tuple(
                ChipChannel(
                    channel["device_id0"],
                    _pair(channel["ethernet_core_coord0"]),
                    channel["device_id1"],
                    _pair(channel["ethernet_core_coord1"]),
                )
                for channel in fields.get("chip_channels", ())
            ),
        )
    except (KeyError, ValueError) as problem:
        if isinstance(problem, FlatbufferError):
            raise
        raise FlatbufferError(f"the description has an unknown value: {problem}") from None


def _pair(value: dict[str, int]) -> Coordinate:
    return value["y"], value["x"]


def _capability(words: str | int) -> ChipCapability:
    if isinstance(words, int):
        return ChipCapability(words)
    capability = ChipCapability(0)
    for word in words.split():
        capability |= ChipCapability[word]
    return capability


def _chip_of_fields(fields: dict[str, Any]) -> ChipDesc:
    cores = fields.get("physical_cores", {})
    grid = fields.get("grid_size")
    if grid is None:
        raise FlatbufferError("a chip has no grid_size")
    return ChipDesc(
        arch=_ARCHS[fields["arch"]],
        grid=_pair(grid),
        **{name: fields[name] for name in _NUMBERS},
        physical_cores=PhysicalCores(
            **{kind: tuple(map(_pair, cores.get(kind, ()))) for kind in _CORE_KINDS}
        ),
        supported_data_types=tuple(DataType[word] for word in fields.get("supported_data_types", ())),
        supported_tile_sizes=tuple(map(_pair, fields.get("supported_tile_sizes", ()))),
    )
