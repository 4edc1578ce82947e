"""The network on chip, semaphores, and where a kernel runs."""

from __future__ import annotations

from ttl.kernel_api.function_rows import Call
from ttl.kernel_api.rows import fn, row, text

_ACCESSOR = "api/tensor/tensor_accessor.h"
_SHARD_BYTES = "{accessor}.get_aligned_page_size() * {accessor}.dspec().shard_volume()"
_PLACE = "x: index, y: index"
_AREA = "x0: index, y0: index, x1: index, y1: index"

_ADDRESSES: tuple[Call, ...] = (
    row(
        "get_noc_addr_xy", f"{_PLACE}, l1: l1", fn("get_noc_addr", "x, y, l1"),
        thread="noc", result="noc", effect="pure", doc="An address in the memory of another node.",
    ),
    row(
        "get_noc_addr_over", f"{_PLACE}, l1: l1, noc: int", fn("get_noc_addr", "x, y, l1, noc"),
        thread="noc", result="noc", effect="pure",
        doc="An address in the memory of another node, for transfers over a NoC, which need not be the kernel's own.",
    ),
    row(
        "get_noc_addr_local", "l1: l1", fn("get_noc_addr", "l1"),
        thread="noc", result="noc", effect="pure", doc="An address in the memory of this node.",
    ),
    row(
        "zeros_address", "", text("MEM_ZEROS_BASE"),
        thread="noc", result="l1", effect="pure", doc="Where every node has 512 bytes of zeros.",
    ),
    row(
        "zeros_size", "", text("MEM_ZEROS_SIZE"),
        thread="noc", result="index", effect="pure", doc="How many bytes of zeros every node has.",
    ),
    row(
        "get_noc_multicast_addr", f"{_AREA}, l1: l1",
        thread="noc", result="noc", effect="pure",
        doc="The same address in the memories of a rectangle of nodes; on NoC 1 the corners are swapped.",
    ),
    row(
        "get_noc_addr", "page: index, accessor: accessor, offset: index = 0",
        fn("get_noc_addr", "page, offset", on="accessor"),
        thread="noc", header=_ACCESSOR, result="noc", effect="pure", doc="An address in a page of a tensor.",
    ),
    row(
        "get_shard_noc_addr", "shard: index, accessor: accessor, offset: index = 0",
        fn("get_shard_noc_addr", "shard, offset", on="accessor"),
        thread="noc", header=_ACCESSOR, result="noc", effect="pure", doc="An address in a shard of a tensor.",
    ),
)  # fmt: skip

_TRANSFERS: tuple[Call, ...] = (
    row(
        "noc_async_read", "from: noc, l1: l1, bytes: index", thread="noc", transfer="read",
        doc="Start to read bytes from anywhere into this node's memory.",
    ),
    row(
        "noc_async_write", "l1: l1, to: noc, bytes: index", thread="noc", transfer="write",
        doc="Start to write bytes from this node's memory to anywhere.",
    ),
    row(
        "noc_async_read_page", "page: index, accessor: accessor, l1: l1", thread="noc", transfer="read", header=_ACCESSOR,
        doc="Start to read a page of a tensor.",
    ),
    row(
        "noc_async_read_page_over", "page: index, accessor: accessor, l1: l1, noc: int",
        fn("noc_async_read_page", "page, accessor, l1, 0, noc"), thread="noc", header=_ACCESSOR,
        doc="Start to read a page of a tensor over a NoC, which need not be the kernel's own.",
    ),
    row(
        "noc_async_write_page", "page: index, accessor: accessor, l1: l1", thread="noc", transfer="write", header=_ACCESSOR,
        doc="Start to write a page of a tensor.",
    ),
    # The functions of 0.69 give the number of the NoC for an offset in bytes: on NoC 1 they are one byte beside the shard.
    row(
        "noc_async_read_shard", "shard: index, accessor: accessor, l1: l1",
        old=text(f"noc_async_read({{accessor}}.get_shard_noc_addr({{shard}}), {{l1}}, {_SHARD_BYTES})"),
        new=fn("noc_async_read_shard", "shard, accessor, l1"), thread="noc", transfer="read", header=_ACCESSOR,
        doc="Start to read a shard of a tensor.",
    ),
    row(
        "noc_async_write_shard", "shard: index, accessor: accessor, l1: l1",
        old=text(f"noc_async_write({{l1}}, {{accessor}}.get_shard_noc_addr({{shard}}), {_SHARD_BYTES})"),
        new=fn("noc_async_write_shard", "shard, accessor, l1"), thread="noc", transfer="write", header=_ACCESSOR,
        doc="Start to write a shard of a tensor.",
    ),
    row(
        "noc_async_write_multicast", "l1: l1, to: noc, bytes: index, count: index", thread="noc", transfer="multicast",
        doc="Start to write to count nodes, not including this one.",
    ),
    row(
        "noc_async_write_multicast_loopback_src", "l1: l1, to: noc, bytes: index, count: index", thread="noc", transfer="multicast",
        doc="Start to write to count nodes, including this one.",
    ),
    row(
        "noc_async_read_one_packet_set_state", "from: noc, bytes: index", thread="noc",
        doc="Node or bank, and bytes, of the reads of noc_async_read_one_packet_with_state.",
    ),
    row(
        "noc_async_read_one_packet_with_state", "from: l1, l1: l1", thread="noc",
        doc="Start to read from an address in the memory that was set.",
    ),
    row("noc_async_read_barrier", thread="noc", ends=("reads",), doc="Wait until all reads have arrived."),
    row(
        "noc_async_read_barrier_of", "noc: int", fn("noc_async_read_barrier", "noc"), thread="noc",
        doc="Wait until all reads over a NoC have arrived.",
    ),
    row("noc_async_write_barrier", thread="noc", ends=("leaving", "arriving"), doc="Wait until all writes have arrived."),
    row("noc_async_writes_flushed", thread="noc", ends=("leaving",), doc="Wait until all writes have left the node's memory."),
    row("noc_async_atomic_barrier", thread="noc", ends=("increments",), doc="Wait until all increments have arrived."),
    row("noc_async_full_barrier", thread="noc", ends=("reads", "leaving", "arriving", "increments"), doc="Wait until everything has arrived."),
)  # fmt: skip

_SEMAPHORES: tuple[Call, ...] = (
    row(
        "get_semaphore_address", "semaphore: semaphore", fn("reinterpret_cast", "semaphore", "uintptr_t"),
        thread="noc", result="l1", effect="pure", doc="The address of a semaphore, the same on every node.",
    ),
    row(
        "semaphore_of_number", "number: index",
        text("reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore({number}))"),
        thread="noc", result="semaphore", effect="pure", doc="The semaphore of this node with a number.",
    ),
    row(
        "semaphore_address_of_number", "number: index", fn("get_semaphore", "number"),
        thread="noc", result="l1", effect="pure", doc="Its address, the same on every node.",
    ),
    row(
        "semaphore_at", "l1: l1", fn("reinterpret_cast", "l1", "volatile tt_l1_ptr uint32_t*"),
        thread="noc", result="semaphore", effect="pure", doc="A word of this node's memory as a semaphore.",
    ),
    row(
        "noc_semaphore_set", "semaphore: semaphore, value: index", thread="noc",
        doc="Set a semaphore of this node.",
    ),
    row(
        "noc_semaphore_wait", "semaphore: semaphore, value: index", thread="noc",
        doc="Wait until a semaphore of this node has a value.",
    ),
    row(
        "noc_semaphore_wait_min", "semaphore: semaphore, value: index", thread="noc",
        doc="Wait until a semaphore of this node has at least a value.",
    ),
    row(
        "noc_semaphore_inc", "to: noc, value: index", thread="noc", transfer="increment",
        doc="Add to a semaphore of any node.",
    ),
    row(
        "noc_semaphore_inc_multicast", "to: noc, value: index, count: index", thread="noc", transfer="increment",
        doc="Add to a semaphore of count nodes, not including this one.",
    ),
    row(
        "noc_semaphore_set_remote", "l1: l1, to: noc", thread="noc", transfer="set",
        doc="Copy a semaphore's value to another node.",
    ),
    row(
        "noc_semaphore_set_multicast", "l1: l1, to: noc, count: index", thread="noc", transfer="set",
        doc="Copy a semaphore's value to count nodes, not including this one.",
    ),
    row(
        "noc_semaphore_set_multicast_loopback_src", "l1: l1, to: noc, count: index", thread="noc", transfer="set",
        doc="Copy a semaphore's value to count nodes, including this one.",
    ),
    row(
        "noc_inline_dw_write", "to: noc, value: index", thread="noc", transfer="set",
        doc="Start to write a 32-bit word to anywhere.",
    ),
)  # fmt: skip

_MEMORY: tuple[Call, ...] = (
    row(
        "reinterpret_l1", "l1: l1", fn("reinterpret_cast", "l1", "volatile tt_l1_ptr uint32_t*"),
        of_2024=fn("reinterpret_cast<volatile tt_l1_ptr uint32_t*>", "l1"),
        thread="noc", result="pointer", effect="pure", doc="An address as 32-bit words to read and write.",
    ),
    row(
        "load_from_l1", "pointer: pointer, i", text("{pointer}[{i}]"),
        thread="noc", result="index", effect="read", doc="Word i.",
    ),
    row(
        "load_shifted", "pointer: pointer, i, bits: index",
        text("({pointer}[{i}] >> ({bits})) | ({pointer}[({i}) + 1] << (31 - ({bits})) << 1)"),
        thread="noc", result="index", effect="read", doc="The word that begins so many bits after word i.",
    ),
    row(
        "store_to_l1", "value: index, pointer: pointer, i", text("{pointer}[{i}] = {value}"),
        thread="noc", doc="Write word i.",
    ),
    *(
        row(
            f"load_{name}", "l1: l1, i", text(f"reinterpret_cast<volatile tt_l1_ptr {ctype}*>({{l1}})[{{i}}]"),
            thread="noc", result="index", effect="read", doc=f"The {name} i behind an address: {ctype}.",
        )
        for name, ctype in (("word", "uint32_t"), ("half", "uint16_t"), ("byte", "uint8_t"))
    ),
    *(
        row(
            f"store_{name}", "value: index, l1: l1, i",
            text(f"reinterpret_cast<volatile tt_l1_ptr {ctype}*>({{l1}})[{{i}}] = {{value}}"),
            thread="noc", doc=f"Write the {name} i behind an address: {ctype}.",
        )
        for name, ctype in (("word", "uint32_t"), ("half", "uint16_t"))
    ),
    row(
        "invalidate_l1_cache", thread="noc",
        doc="Let loads see what others have written to this node's memory; nothing on chips without such a cache.",
    ),
    row(
        "load_semaphore", "semaphore: semaphore", text("{semaphore}[0]"),
        thread="noc", result="index", effect="read", doc="The value of a semaphore of this node.",
    ),
)  # fmt: skip

_PLACES: tuple[Call, ...] = (
    row(
        "get_absolute_logical_x", thread="any", result="index", effect="pure",
        doc="Column of this node, from the first of the chip.",
    ),
    row(
        "get_absolute_logical_y", thread="any", result="index", effect="pure",
        doc="Row of this node, from the first of the chip.",
    ),
    row(
        "get_arg_val", "i", fn("get_arg_val", "i", "uint32_t"), thread="any", result="index", effect="pure",
        doc="An argument of this node's kernel.",
    ),
    row(
        "get_common_arg_val", "i", fn("get_common_arg_val", "i", "uint32_t"), thread="any", result="index",
        effect="pure", doc="An argument of the kernel, the same on every node.",
    ),
)  # fmt: skip

ROWS: tuple[Call, ...] = (*_ADDRESSES, *_TRANSFERS, *_SEMAPHORES, *_MEMORY, *_PLACES)
