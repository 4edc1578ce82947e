"""Transfers to other chips: the connections of a kernel with the fabric, and its packets (``mesh/api.h``, two dimensions).

A kernel that sends to other chips has an array of connections, ``fabric_links``, and the headers of some packets. Each packet
names its chip, by its number in the fabric and that of its mesh."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ttl.kernel_api.function_rows import Call, CppSnippet
from ttl.kernel_api.rows import row, text

_HEADERS = ("tt_metal/fabric/hw/inc/mesh/api.h", "tt_metal/fabric/hw/inc/packet_header_pool.h")
_SENDER = "tt::tt_fabric::WorkerToFabricEdmSender"
_CHIP = "link: index, header: index, device: index, mesh: index"
_TO_CHIP = "&fabric_links[{link}], &fabric_packets[{header}], {device}, {mesh}"
_SEND = "tt::tt_fabric::mesh::experimental::fabric_unicast_noc"

NAMES = (
    "fabric_links",
    "fabric_packets",
    "fabric_argument",
    "message_counts",
    "fabric_turns",
    "fabric_take_turn",
    "fabric_number",
)
"""The variables and functions of a kernel that its calls mention."""

HELPERS: Mapping[str, str] = MappingProxyType(
    {
        "fabric_take_turn": """\
// Kernels of a chip that share a link use it one after the other: who comes takes a number above all others, and waits for
// those who have a lower one. A number is a word of its node: 0 where nobody asks, all ones while one is being taken.
static inline uint32_t fabric_number(uint64_t of, uint32_t seen) {
    noc_async_read(of, seen, 4);
    noc_async_read_barrier();
    invalidate_l1_cache();
    return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(seen);
}

static inline void fabric_take_turn(const uint64_t* all, uint32_t count, uint32_t mine, volatile tt_l1_ptr uint32_t* own, uint32_t seen) {
    constexpr uint32_t taking = 0xFFFFFFFF;
    noc_semaphore_set(own, taking);
    uint32_t number = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t other = i == mine ? 0 : fabric_number(all[i], seen);
        number = other != taking && other > number ? other : number;
    }
    noc_semaphore_set(own, ++number);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t other = 0;
        do {
            other = i == mine ? 0 : fabric_number(all[i], seen);
        } while (other == taking || (other != 0 && (other < number || (other == number && i < mine))));
    }
}
"""
    }
)
"""The C++ that a file has before the kernel for calls of this name."""


def helper_of(call: Call) -> str | None:
    """Return the name of the C++ in ``HELPERS`` that a call needs; None where it needs none."""
    return call.name if call.name in HELPERS else None


ROWS: tuple[Call, ...] = (
    row(
        "fabric_declare", "most: int, first: int, headers: int",
        (
            CppSnippet(f"{_SENDER} fabric_links[{{most}}]"),
            CppSnippet("volatile tt_l1_ptr PACKET_HEADER_TYPE* const fabric_packets = PacketHeaderPool::allocate_header({headers})"),
            CppSnippet("std::size_t fabric_argument = {first}"),
        ),
        thread="noc", header=_HEADERS,
        doc="The connections of a kernel, none of them open, and the headers of its packets; what connections need is among the "
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
        "declare_message_counts", "count: int", text("uint32_t message_counts[{count}] = {{}}"), thread="noc",
        doc="How many messages the kernel has sent or received, net by net.",
    ),
    row(
        "next_message", "i: int", text("message_counts[{i}]++"), thread="noc", result="index",
        doc="The number of the next message of a net that the kernel sends or receives.",
    ),
    row(
        "fabric_declare_turns", "count: int", text("uint64_t fabric_turns[{count}]"), thread="noc",
        doc="Where the numbers of all kernels of this chip are that may share a link with this one.",
    ),
    row(
        "fabric_turn", "i, to: noc", text("fabric_turns[{i}] = {to}"), thread="noc", doc="Where the number of one of them is.",
    ),
    row(
        "fabric_take_turn", "mine: index, own: semaphore, seen: l1, count: int",
        text("fabric_take_turn(fabric_turns, {count}, {mine}, {own}, {seen})"), thread="noc",
        doc="Wait until no other of them uses the link; seen is room for a word.",
    ),
    row(
        "fabric_write", f"{_CHIP}, l1: l1, bytes: index, to: noc",
        text(f"{_SEND}_unicast_write({_TO_CHIP}, {{l1}}, {{bytes}}, tt::tt_fabric::NocUnicastCommandHeader{{{{{{to}}}}}})"),
        thread="noc", transfer="packet", header=_HEADERS, doc="Send one packet of bytes to an address on another chip.",
    ),
    row(
        "fabric_write_and_count", f"{_CHIP}, l1: l1, bytes: index, to: noc, counter: noc, value: index",
        text(
            f"{_SEND}_fused_unicast_with_atomic_inc({_TO_CHIP}, {{l1}}, {{bytes}}, "
            "tt::tt_fabric::NocUnicastAtomicIncFusedCommandHeader{{{to}, {counter}, {value}}})"
        ),
        thread="noc", transfer="packet", header=_HEADERS,
        doc="Send one packet of bytes to an address on another chip, and add to a semaphore there when they have arrived.",
    ),
    row(
        "fabric_count", f"{_CHIP}, counter: noc, value: index",
        text(f"{_SEND}_unicast_atomic_inc({_TO_CHIP}, tt::tt_fabric::NocUnicastAtomicIncCommandHeader{{{{{{counter}}, {{value}}}}}})"),
        thread="noc", transfer="packet", header=_HEADERS, doc="Add to a semaphore on another chip.",
    ),
    row(
        "fabric_set", f"{_CHIP}, to: noc, value: index",
        text(f"{_SEND}_unicast_inline_write({_TO_CHIP}, tt::tt_fabric::NocUnicastInlineWriteCommandHeader{{{{{{to}}, {{value}}}}}})"),
        thread="noc", transfer="packet", header=_HEADERS, doc="Write a 32-bit word on another chip.",
    ),
)  # fmt: skip
