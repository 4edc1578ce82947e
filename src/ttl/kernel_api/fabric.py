"""What goes to other chips: the connections of a kernel with the fabric, and its packets (``mesh/api.h``, two dimensions).

A kernel that sends to other chips has an array of connections, ``fabric_links``, and the header of one packet. Each packet says
to which chip it goes, by its number in the fabric and that of its mesh.
"""

from __future__ import annotations

from ttl.kernel_api.model import Call, CppSnippet
from ttl.kernel_api.rows import row, text

_HEADERS = ("tt_metal/fabric/hw/inc/mesh/api.h", "tt_metal/fabric/hw/inc/packet_header_pool.h")
_SENDER = "tt::tt_fabric::WorkerToFabricEdmSender"
_CHIP = "link: index, device: index, mesh: index"
_TO_CHIP = "&fabric_links[{link}], fabric_packet, {device}, {mesh}"
_SEND = "tt::tt_fabric::mesh::experimental::fabric_unicast_noc"

NAMES = ("fabric_links", "fabric_packet", "fabric_argument")
"""The variables of a kernel that its calls mention."""

ROWS: tuple[Call, ...] = (
    row(
        "fabric_declare", "most: int, first: int",
        (
            CppSnippet(f"{_SENDER} fabric_links[{{most}}]"),
            CppSnippet("volatile tt_l1_ptr PACKET_HEADER_TYPE* const fabric_packet = PacketHeaderPool::allocate_header()"),
            CppSnippet("std::size_t fabric_argument = {first}"),
        ),
        thread="noc", header=_HEADERS,
        doc="The connections of a kernel, none of them open, and the header of its packets; what connections need is among the "
        "arguments of this node's kernel from the first on.",
    ),
    row(
        "fabric_connect", "link: index",
        text(f"fabric_links[{{link}}] = {_SENDER}::build_from_args<ProgrammableCoreType::TENSIX>(fabric_argument)"),
        thread="noc", header=_HEADERS, doc="A connection, from the next arguments.",
    ),
    row(
        "fabric_open", "link: index", text("fabric_links[{link}].open()"), thread="noc", header=_HEADERS,
        doc="Begin to use a connection.",
    ),
    row(
        "fabric_close", "link: index", text("fabric_links[{link}].close()"), thread="noc", header=_HEADERS,
        doc="End the use of a connection.",
    ),
    row(
        "fabric_write", f"{_CHIP}, l1: l1, bytes: index, to: noc",
        text(f"{_SEND}_unicast_write({_TO_CHIP}, {{l1}}, {{bytes}}, tt::tt_fabric::NocUnicastCommandHeader{{{{{{to}}}}}})"),
        thread="noc", transfer="write", header=_HEADERS, doc="Send one packet of bytes to an address on another chip.",
    ),
    row(
        "fabric_write_and_count", f"{_CHIP}, l1: l1, bytes: index, to: noc, counter: noc, value: index",
        text(
            f"{_SEND}_fused_unicast_with_atomic_inc({_TO_CHIP}, {{l1}}, {{bytes}}, "
            "tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{{{to}, {counter}, {value}}})"
        ),
        thread="noc", transfer="write", header=_HEADERS,
        doc="Send one packet of bytes to an address on another chip, and add to a semaphore there when they have arrived.",
    ),
    row(
        "fabric_count", f"{_CHIP}, counter: noc, value: index",
        text(f"{_SEND}_unicast_atomic_inc({_TO_CHIP}, tt::tt_fabric::NocUnicastAtomicIncCommandHeader{{{{{{counter}}, {{value}}}}}})"),
        thread="noc", transfer="set", header=_HEADERS, doc="Add to a semaphore on another chip.",
    ),
    row(
        "fabric_set", f"{_CHIP}, to: noc, value: index",
        text(f"{_SEND}_unicast_inline_write({_TO_CHIP}, tt::tt_fabric::NocUnicastInlineWriteCommandHeader{{{{{{to}}, {{value}}}}}})"),
        thread="noc", transfer="set", header=_HEADERS, doc="Write a 32-bit word on another chip.",
    ),
)  # fmt: skip
