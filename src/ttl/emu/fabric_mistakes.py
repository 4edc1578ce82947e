"""The rules for packets to other chips that kernels may break, by the names in ``native/emu/fabric.cpp``: code and text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.diag.words import counted
from ttl.emu.broken_rules import FailureFacts, RuleWords, rule

_CODE = "TTL1522"
_ENDS = ("from {} of the own L1", "to {} of the other chip", "to a word at {} of the other chip")
_MULTIPLES = (16, 16, 4)


def _device(facts: FailureFacts) -> str:
    device, mesh, chips, own = facts.values[:4]
    if mesh:
        return f"sends to mesh {mesh}, and all chips are in mesh 0"
    if device == own:
        return f"sends over a link to its own chip, number {own}"
    return f"sends to device {device}, and the system has devices 0 to {chips - 1}"


FABRIC_RULES: Mapping[str, RuleWords] = MappingProxyType(
    {
        "fabric-none": rule(
            _CODE,
            lambda f: "uses links to other chips, and runs on a chip without any",
            "launch it with a ttnn.MeshProgramDescriptor on a mesh of devices",
        ),
        "no-memory": rule(
            "TTL1520",
            lambda f: f"reaches {f.core(f.values[0])}, and this process has no room for its L1 below 2 GiB",
            "use fewer nodes of each chip: there is room for some 700 together",
        ),
        "fabric-no-port": rule(
            _CODE,
            lambda f: (
                f"builds a connection to link {f.values[0]} towards {f.chip(f.values[2])}, and there {'is' if f.values[1] == 1 else 'are'} "
                f"{counted(f.values[1], 'link')}, from 0 on"
            ),
            "take the run-time arguments that ttnn.setup_fabric_connection gives",
        ),
        "fabric-not-built": rule(
            _CODE,
            lambda f: "uses a connection that it has not built",
            "WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index)",
        ),
        "fabric-not-open": rule(
            _CODE,
            lambda f: (
                f"uses its connection to {f.chip(f.values[0])}, which it has {'closed' if f.values[1] else 'not opened'}"
            ),
            "open() comes before the first packet, close() after the last one",
        ),
        "fabric-opened-twice": rule(
            _CODE,
            lambda f: f"opens its connection to {f.chip(f.values[0])}, which is open",
            "open it once, for all packets",
        ),
        "fabric-taken": rule(
            _CODE,
            lambda f: (
                f"opens a connection to link {f.values[1]} to {f.chip(f.values[0])}, which {f.core(f.values[2])} "
                f"({('brisc', 'ncrisc')[f.values[3]]}) has open: a link takes packets of one kernel at a time"
            ),
            "let one kernel of the chip send for all of them, take another of the links, or open it when the other kernel has closed it",
        ),
        "fabric-left-open": rule(
            _CODE,
            lambda f: f"ends with its connection to {f.chip(f.values[0])} open",
            "end with close(): no other kernel can use the link before",
        ),
        "fabric-headers": rule(
            _CODE,
            lambda f: (
                f"takes {counted(f.values[1], 'packet header')} from the pool, of whose {f.values[2]} it has {f.values[0]}"
            ),
            "take one for each connection, outside of loops",
        ),
        "fabric-header": rule(
            _CODE,
            lambda f: f"sends a header at {f.values[0]:#x}, which it did not take from the pool",
            "PacketHeaderPool::allocate_header()",
        ),
        "fabric-header-empty": rule(
            _CODE,
            lambda f: (
                f"sends a header that does not say {'which device it is for' if f.values[0] else 'what is to be done'}"
            ),
            "fabric_set_unicast_route(header, device, 0), and header->to_noc_unicast_write or another of its functions",
        ),
        "fabric-header-busy": rule(
            _CODE,
            lambda f: "sends a header again whose last packet may not have left",
            "noc_async_writes_flushed() after each packet, or another header",
        ),
        "fabric-device": rule(
            _CODE,
            lambda f: _device(f),
            "the number of a device is chip_id of mesh_device.get_fabric_node_id(coordinate)",
        ),
        "fabric-no-way": rule(
            _CODE,
            lambda f: f"sends to {f.chip(f.values[1])}, but no link leads there",
        ),
        "fabric-direction": rule(
            _CODE,
            lambda f: (
                f"sends to {f.chip(f.values[0])} over its connection to {f.chip(f.values[1])}, and the way there begins at {f.chip(f.values[2])}"
            ),
            "set the connection up towards that chip: ttnn.setup_fabric_connection(source, destination, ...)",
        ),
        "fabric-packet": rule(
            _CODE,
            lambda f: (
                f"sends {counted(f.values[0], 'byte')} in a packet, which carries at most {f.values[1]}"
            ),
            "send it in parts; ttnn.get_tt_fabric_max_payload_size_bytes() is the most",
        ),
        "fabric-payload": rule(
            _CODE,
            lambda f: (
                f"sends a header for {counted(f.values[0], 'byte')}, and has put {f.values[1]} into the slot"
            ),
            "send_payload_without_header_non_blocking_from_address comes before the header, with the same size",
        ),
        "fabric-no-slot": rule(
            _CODE,
            lambda f: (
                f"sends a packet to {f.chip(f.values[0])} without having waited for a free slot of the router"
            ),
            "wait_for_empty_write_slot() comes before each packet",
        ),
        "fabric-misaligned": rule(
            "TTL1515",
            lambda f: (
                f"sends {_ENDS[f.values[1]].format(hex(f.values[0]))}, which is not a multiple of {_MULTIPLES[f.values[1]]}"
            ),
            "packets begin at multiples of 16 at both ends, words at multiples of 4",
        ),
    }
)
