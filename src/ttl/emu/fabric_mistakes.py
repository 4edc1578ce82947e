"""The rules for packets to other chips that kernels may break, by the names in ``native/emu/fabric.cpp``: code and text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ttl.diag.words import counted

_CODE = "TTL1522"
_ENDS = ("from {} of the own L1", "to {} of the other chip", "to a word at {} of the other chip")
_MULTIPLES = (16, 16, 4)


@dataclass(frozen=True, kw_only=True, slots=True)
class FabricRule:
    """Words for the numbers of a failure; ``chip``: the name of one by its number, ``core`` of a core."""

    text: Callable[[tuple[int, ...], Callable[[int], str], Callable[[int], str]], str]
    help: str = ""
    code: str = _CODE


def _device(values: tuple[int, ...], chip: Callable[[int], str]) -> str:
    device, mesh, chips, own = values[:4]
    if mesh:
        return f"sends to mesh {mesh}, and all chips are in mesh 0"
    if device == own:
        return f"sends over a link to its own chip, number {own}"
    return f"sends to device {device}, and the system has devices 0 to {chips - 1}"


FABRIC_RULES: Mapping[str, FabricRule] = MappingProxyType(
    {
        "fabric-none": FabricRule(
            text=lambda v, chip, core: "uses links to other chips, and runs on a chip without any",
            help="launch it with a ttnn.MeshProgramDescriptor on a mesh of devices",
        ),
        "no-memory": FabricRule(
            text=lambda v, chip, core: (
                f"reaches {core(v[0])}, and this process has no room for its L1 below 2 GiB"
            ),
            help="use fewer nodes of each chip: there is room for some 700 together",
            code="TTL1520",
        ),
        "fabric-no-port": FabricRule(
            text=lambda v, chip, core: (
                f"builds a connection to link {v[0]} towards {chip(v[2])}, and there {'is' if v[1] == 1 else 'are'} "
                f"{counted(v[1], 'link')}, from 0 on"
            ),
            help="take the run-time arguments that ttnn.setup_fabric_connection gives",
        ),
        "fabric-not-built": FabricRule(
            text=lambda v, chip, core: "uses a connection that it has not built",
            help="WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index)",
        ),
        "fabric-not-open": FabricRule(
            text=lambda v, chip, core: (
                f"uses its connection to {chip(v[0])}, which it has {'closed' if v[1] else 'not opened'}"
            ),
            help="open() comes before the first packet, close() after the last one",
        ),
        "fabric-opened-twice": FabricRule(
            text=lambda v, chip, core: f"opens its connection to {chip(v[0])}, which is open",
            help="open it once, for all packets",
        ),
        "fabric-taken": FabricRule(
            text=lambda v, chip, core: (
                f"opens a connection to link {v[1]} to {chip(v[0])}, which {core(v[2])} "
                f"({('brisc', 'ncrisc')[v[3]]}) has open: a link takes packets of one kernel at a time"
            ),
            help="let one kernel of the chip send for all of them, take another of the links, or open it when the other kernel has closed it",
        ),
        "fabric-left-open": FabricRule(
            text=lambda v, chip, core: f"ends with its connection to {chip(v[0])} open",
            help="end with close(): no other kernel can use the link before",
        ),
        "fabric-headers": FabricRule(
            text=lambda v, chip, core: (
                f"takes {counted(v[1], 'packet header')} from the pool, of whose {v[2]} it has {v[0]}"
            ),
            help="take one for each connection, outside of loops",
        ),
        "fabric-header": FabricRule(
            text=lambda v, chip, core: f"sends a header at {v[0]:#x}, which it did not take from the pool",
            help="PacketHeaderPool::allocate_header()",
        ),
        "fabric-header-empty": FabricRule(
            text=lambda v, chip, core: (
                f"sends a header that does not say {'which device it is for' if v[0] else 'what is to be done'}"
            ),
            help="fabric_set_unicast_route(header, device, 0), and header->to_noc_unicast_write or another of its functions",
        ),
        "fabric-header-busy": FabricRule(
            text=lambda v, chip, core: "sends a header again whose last packet may not have left",
            help="noc_async_writes_flushed() after each packet, or another header",
        ),
        "fabric-device": FabricRule(
            text=lambda v, chip, core: _device(v, chip),
            help="the number of a device is chip_id of mesh_device.get_fabric_node_id(coordinate)",
        ),
        "fabric-no-way": FabricRule(
            text=lambda v, chip, core: f"sends to {chip(v[1])}, but no link leads there"
        ),
        "fabric-direction": FabricRule(
            text=lambda v, chip, core: (
                f"sends to {chip(v[0])} over its connection to {chip(v[1])}, and the way there begins at {chip(v[2])}"
            ),
            help="set the connection up towards that chip: ttnn.setup_fabric_connection(source, destination, ...)",
        ),
        "fabric-packet": FabricRule(
            text=lambda v, chip, core: (
                f"sends {counted(v[0], 'byte')} in a packet, which carries at most {v[1]}"
            ),
            help="send it in parts; ttnn.get_tt_fabric_max_payload_size_bytes() is the most",
        ),
        "fabric-payload": FabricRule(
            text=lambda v, chip, core: (
                f"sends a header for {counted(v[0], 'byte')}, and has put {v[1]} into the slot"
            ),
            help="send_payload_without_header_non_blocking_from_address comes before the header, with the same size",
        ),
        "fabric-no-slot": FabricRule(
            text=lambda v, chip, core: (
                f"sends a packet to {chip(v[0])} without having waited for a free slot of the router"
            ),
            help="wait_for_empty_write_slot() comes before each packet",
        ),
        "fabric-misaligned": FabricRule(
            text=lambda v, chip, core: (
                f"sends {_ENDS[v[1]].format(hex(v[0]))}, which is not a multiple of {_MULTIPLES[v[1]]}"
            ),
            help="packets begin at multiples of 16 at both ends, words at multiples of 4",
            code="TTL1515",
        ),
    }
)
