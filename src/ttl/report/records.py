"""The records of a report. One record is one object of the JSON, with the same names; arrays are columns (``ttl.report.pack``).

Positions count from 0, lines from 1. Times are cycles of the chip's clock on the emulated chip, steps of the scheduler in
the simulator: ``LaunchReport.unit`` says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ttl.report.pack import encoded
from ttl.rows.dtypes import Array

SCHEMA = 1
KIND = "report"
PAIR_KIND = "reports"
RUNS_KIND = "runs"

CellKind = Literal["worker", "dram", "ethernet", "arc", "pcie", "other"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipCell:
    """A router of the chip, and what is behind it."""

    x: int
    y: int
    """NoC coordinates."""
    kind: CellKind
    node: int | None = None
    """Position in ``nodes``, of a node of the launch."""
    bank: int | None = None
    """Of DRAM, the bank that is read and written here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipPlan:
    """The chip."""

    name: str
    """As ``--arch`` has it."""
    title: str
    """As people call it."""
    clock_hz: int
    columns: int
    rows: int
    """The rows of routers."""
    cells: tuple[ChipCell, ...]
    """Row by row."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeUse:
    """A node of the launch, row by row."""

    node: tuple[int, ...]
    """Its coordinate in the grid of the launch."""
    x: int | None
    y: int | None
    """Its router; None in a grid that no chip has."""
    busy: int
    """Time in which its processors worked, of all of them together."""
    waits: int
    roles: Mapping[str, tuple[int, int]]
    """The time that every processor worked, and that it waited."""
    dram_read: int
    dram_written: int
    """Bytes."""
    noc_in: int
    noc_out: int
    """Bytes that came to the node and left it over the NoCs, from and to DRAM included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceLabel:
    """The label of slices and transfers. No two labels are equal."""

    text: str
    kind: Literal["busy", "wait"]
    waits_for: str | None = None
    """``data`` or ``room`` in a buffer, ``semaphore``, ``message`` of a pipe, ``DRAM``, ``NoC``, another processor of the
    node (``unpack``, ``math``, ``pack``); None: it works."""
    file: int | None = None
    """Position in ``sources``; None where no source is known."""
    line: int | None = None
    kernel: int | None = None
    """Position in ``kernels``."""
    kernel_line: int | None = None
    """Line of that kernel's C++."""
    buffer: int | None = None
    """Position in ``buffer_names``."""
    net: int | None = None
    """Of a wait for a pipe, or a copy into or out of one, the net, as in ``pipes``."""
    pipe: int | None = None
    """Position of that pipe in ``pipes``, where it is known which of the net."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Track:
    """One processor of a node; in the simulator one kernel."""

    node: int
    """Position in ``nodes``."""
    role: str
    """``brisc``, ``ncrisc``, ``unpack``, ``math`` or ``pack``; in the simulator the name of the kernel."""
    kernel: int | None
    """Position in ``kernels``."""
    first: int
    count: int
    """Its slices: so many from the first on."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SliceColumns:
    """The slices of all processors, track after track, in order.

    A slice begins ``gap`` after the end of the one before it in its track, the first one of a track after 0.
    """

    gap: Array
    length: Array
    label: Array
    """Position in ``labels``."""
    cause: Array
    """The slice, by its number, that ended a wait; numbers behind the slices are transfers. -1 if it is not known, or if, in a
    launch that has failed, nothing ended the wait: ``LaunchReport.stands`` has the kernel that should have.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferEnd:
    """The begins and ends of transfers."""

    text: str
    cell: int | None = None
    """Position in the cells of the chip."""
    node: int | None = None
    bank: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class TransferColumns:
    """Transfers over the NoCs, those together that a processor issued one after the other at one line: a block, usually."""

    begin: Array
    length: Array
    node: Array
    """The node that issued it."""
    source: Array
    destination: Array
    """Positions in ``ends``."""
    bytes: Array
    """The bytes of all transfers in it; those of a multicast count once."""
    count: Array
    """How many are in it."""
    receivers: Array
    """Nodes that get one of them: more than one of a multicast."""
    noc: Array
    lane: Array
    """The lane of the transfer; transfers of one node, NoC and lane do not overlap."""
    label: Array
    kind: Array
    """Position in ``transfer_kinds``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkUse:
    """A link between two routers that carried something. NoC 0 leads to larger columns and rows, NoC 1 to smaller ones."""

    noc: int
    x: int
    y: int
    """The router that it leads from."""
    along: Literal["row", "column"]
    busy: int
    """Time in which it carried something."""
    bytes: int
    """The bytes that it carried, by its rate."""
    share: float
    """The share of the length of the launch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipLink:
    """The links from a chip to a neighbour, all ports together, one way."""

    source: int
    target: int
    """Chips, by their numbers in the system."""
    ports: int
    bytes: int
    """The bytes that went over it: on the emulated chips counted, in the simulator what pipes sent, along their routes."""
    busy: int
    """Time in which a port carried something, the mean over the ports; in the simulator 0."""
    share: float
    """The share of the length of the launch; in the simulator, of the bytes of the most used link."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MeshUse:
    """The chips of a launch over several, and the links between them."""

    title: str
    """The title of the system."""
    topology: str
    rows: int
    columns: int
    """The columns of the system; chips are numbered row by row."""
    names: tuple[str, ...]
    """The place of each chip of the system in the mesh of the launch, ``chip (0, 1)``; empty if the launch does not use the chip."""
    chips: tuple[int, ...]
    """The chip of every node, as in ``nodes``."""
    links: tuple[ChipLink, ...]
    """Every link there is, both ways."""
    bisection_bytes_per_second: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferName:
    """A dataflow buffer, or a circular buffer that the compiler made."""

    text: str
    file: int | None
    line: int | None
    made_by: Literal["user", "compiler"]
    blocks: int
    """The number of blocks that fit on a node."""
    block_pages: int
    """Pages of a block; 1 in the simulator."""
    block_bytes: int
    address: int | None = None
    """In the L1 of every node that has it; None in the simulator, and where it is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportTensor:
    """The place of a tensor in the memory of the emulated chip; over several chips the same on each."""

    name: str
    memory: Literal["dram", "l1"]
    address: int
    """Offset in each bank at which it begins."""
    bank_bytes: int
    """Bytes that it takes of the bank with the most of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferTrack:
    """A buffer on one node."""

    name: int
    """Position in ``buffer_names``."""
    node: int
    first: int
    count: int
    """Its rows in ``fills``."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FillColumns:
    """How full buffers are, buffer after buffer: from ``time`` on there are ``fill`` pages in it; before the first, none."""

    time: Array
    fill: Array


@dataclass(frozen=True, kw_only=True, slots=True)
class PipeUse:
    """A pipe."""

    net: int
    """The number of the net in the program, from 0."""
    name: str
    """The name of the net."""
    source: int
    destinations: tuple[int, ...]
    """Positions in ``nodes``."""
    bytes: int
    """The bytes that were sent, each message once."""
    transfers: int
    """Messages."""
    file: int | None
    line: int | None
    """The place where the net is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StopPosition:
    """The place of a processor, in the simulator of a kernel, when its launch failed; ended processors have no place."""

    track: int
    """Position in ``tracks``."""
    state: Literal["waits", "failed", "works"]
    """``failed``: it broke a rule, which stopped the launch."""
    label: int
    """Position in ``labels``: what it waits for, or did last, at which line."""
    slice: int
    """The last event of the track; -1 if the track has no events."""
    needs: str
    """The condition under which it would continue, in words; empty if it does not wait."""
    awaited: tuple[int, ...]
    """Tracks that should have ended the wait; those that have ended, too, where no other could."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LineUse:
    """The cycles and waits of a line of the program."""

    line: int
    cycles: int
    """The cycles of the critical path; in the simulator 0."""
    share: float
    """The share of the whole critical path."""
    busy: Mapping[str, float]
    waits: Mapping[str, float]
    """By role of the processor, the mean over the nodes that ran it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportSource:
    """A file of the program."""

    file: str
    """As the command line names it, or relative to the working folder."""
    text: str
    lines: tuple[LineUse, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelText:
    """A kernel; ``text`` is the C++ that the compiler made of it, empty in the simulator."""

    name: str
    roles: tuple[str, ...]
    microcores: tuple[str, ...]
    """``NOC0`` or ``NOC1`` where it moves data; ``UNPACK``, ``MATH`` and ``PACK``; in the simulator none."""
    file: str
    text: str
    lines: tuple[tuple[int, int, int], ...]
    """Line of the text, position of the file in ``sources``, line there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoofPoint:
    """A point in the roofline: ``x`` in work for every byte from or to DRAM, ``y`` in work for every cycle."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RoofCeiling:
    """A limit of the chip: work in a cycle (``compute``), or bytes of DRAM in a cycle (``bandwidth``), times ``x``.

    The ceiling ``NoC`` is there where the NoC bounds the launch: the bytes of DRAM in a cycle if its busiest link always worked.
    """

    name: str
    kind: Literal["compute", "bandwidth"]
    per_cycle: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Roofline:
    """A roofline (Williams, Waterman, Patterson, 2009). Work is what math units do: cycles in which they do not wait."""

    unit: str
    """The unit of the work."""
    points: tuple[RoofPoint, ...]
    ceilings: tuple[RoofCeiling, ...]
    bound_by: str
    """The name of the ceiling above the launch."""
    attained: float
    """Share of it."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PathColumns:
    """The critical path, from the beginning of the launch to its end without gaps."""

    length: Array
    resource: Array
    """Position in ``resources``."""
    at: Array
    """The slice that it goes through, or behind the slices the transfer; -1: none."""
    label: Array
    """Position in ``labels``; -1: the launch itself."""
    resources: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredCycles:
    """A launch, its kernels on a processor, or a signpost: cycles here and on a card."""

    what: str
    estimated: float
    """The work of the processor alone; of a launch, of what would take longest if nothing else took time."""
    emulated: float
    """With all waits; of a launch, from the first begin of a kernel to the last end."""
    measured: float | None
    """On the card, the mean over cores and times; None where it was not measured."""
    error: float | None
    """Emulated against measured, as a part of what was measured."""
    file: int | None
    """The file of a signpost, a position in ``sources``."""
    line: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class FirstChange:
    """The change to make first."""

    sentence: str
    change: str
    lines: tuple[tuple[int | None, int], ...]
    """Files by their positions in ``sources``, and lines."""
    cycles: int
    """The cycles that are saved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignedStream:
    """A load or store of a tile program: a dataflow buffer of its explicit operation, and the nodes that fill or empty it."""

    buffer: str
    tensor: str
    direction: Literal["in", "out"]
    kernel: str
    """The data movement kernel that moves its blocks."""
    multicast: str
    """The nodes that a reading node multicasts to, such as ``along rows``; empty where each node moves its own."""
    group: tuple[int, int]
    """Columns and rows of nodes that read the same: the grid is divided into such groups, each with one mover."""
    movers: tuple[int, ...]
    """The nodes of the grid, row by row, that read it from memory or write it there."""
    block: tuple[int, ...]
    """In tiles, or elements of the dimensions before the last two."""
    blocks: int
    """The number of blocks that fit on a node."""
    bytes: int
    """The bytes of L1 on a node."""
    turns: int
    """Blocks that a node gets or gives."""
    reasons: tuple[str, ...]
    file: int | None
    line: int
    """The line of the load or store."""
    cycles: int
    """The cycles of the critical path in that line; in the simulator 0."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DesignReport:
    """The plan of a tile program."""

    grid: tuple[int, int]
    """Columns and rows of nodes."""
    sentence: str
    """The nodes, what the designer expected, and what was measured."""
    estimate: int
    """Cycles that the designer expected."""
    limited_by: str
    loops: tuple[str, ...]
    """How each is spread or gone through."""
    streams: tuple[DesignedStream, ...]
    """Loads and stores, as the program has them."""
    source: str
    """The explicit operation."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class LaunchReport:
    """One launch."""

    name: str
    """The name of the operation."""
    number: int
    """The number of the call, from 1; the same on all devices of a mesh."""
    values: str
    """Its tensors and constants on one line."""
    target: Literal["emu", "sim"]
    """The target that ran it: the emulated chip or the simulator."""
    unit: Literal["cycles", "steps"]
    """The unit of all times."""
    length: int
    """Until the last processor has ended; of a launch that has failed, until a little later."""
    chip: ChipPlan
    grid: tuple[int, ...]
    """The grid of the launch, as the operation has it."""
    headline: str = ""
    """The first thing to do, in a sentence; empty in the simulator, and where the launch has failed."""
    verdict: str
    """The measured result, in a sentence; of a launch that has failed, the reason."""
    first: FirstChange | None
    """The first advice of the profile that leaves the results right."""
    profile: Mapping[str, Any] | None
    """The object of ``--profile --format json``."""
    stats: Mapping[str, Any] | None
    """The object of ``--stats --format json``."""
    nodes: tuple[NodeUse, ...]
    """Row by row."""
    labels: tuple[SliceLabel, ...]
    tracks: tuple[Track, ...]
    """By node, and processors in the order brisc, ncrisc, unpack, math, pack; in the simulator as kernels are defined."""
    slices: SliceColumns
    transfers: TransferColumns
    transfer_kinds: tuple[str, ...]
    ends: tuple[TransferEnd, ...]
    """The sources and destinations of transfers."""
    links: tuple[LinkUse, ...]
    buffer_names: tuple[BufferName, ...]
    """The program's own as it makes them, then those of the compiler."""
    buffers: tuple[BufferTrack, ...]
    fills: FillColumns
    pipes: tuple[PipeUse, ...]
    sources: tuple[ReportSource, ...]
    kernels: tuple[KernelText, ...]
    """In the simulator the kernels of the program; on the emulated chip those that it was compiled to, under the same names."""
    decisions: tuple[Mapping[str, Any], ...]
    """The objects of ``ttl compile --explain --format json``, ``file`` as in ``sources``."""
    roof: Roofline | None
    path: PathColumns | None
    stands: tuple[StopPosition, ...] = ()
    """The places of the processors when a launch failed, by track."""
    under_way: tuple[int, ...] = ()
    """The transfers of such a launch that had not arrived: positions in the columns of ``transfers``."""
    findings: tuple[Mapping[str, Any], ...] = ()
    """Why the launch has failed: the objects of ``--format json``, ``file`` as in ``sources``. Then ``path`` is None, and there
    is no advice.
    """
    design: DesignReport | None = None
    """The design of a tile program."""
    mesh: MeshUse | None = None
    """The use of the mesh in a launch over several chips."""
    tensors: tuple[ReportTensor, ...] = ()
    """The tensors in memory of the emulated chip, in the order of their addresses: every launch has its own memory."""
    measured: tuple[MeasuredCycles, ...] = ()
    """The cycles that a card measured, of ``ttl profile --measured``."""

    def to_object(self) -> dict[str, Any]:
        """Return an object that ``json.dumps`` takes."""
        result: dict[str, Any] = encoded(self)
        return result


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramFailure:
    """The failure of a program that no launch can show: before the first, between two, or because it was killed."""

    verdict: str
    """The failure, in a sentence."""
    findings: tuple[Mapping[str, Any], ...]
    """The errors that were raised: the objects of ``--format json``, ``file`` as in ``sources``."""
    sources: tuple[ReportSource, ...]
    """The files of the program that findings name; what their lines took is not known."""
