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
    """A router of the chip, and the unit that is attached to it."""

    x: int
    y: int
    """NoC coordinates."""
    kind: CellKind
    node: int | None = None
    """Position in ``nodes``, if a node of the launch is attached."""
    bank: int | None = None
    """The bank of DRAM that is read and written through this router."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipPlan:
    """The chip."""

    name: str
    """The name in ``--arch``."""
    title: str
    """The name for people."""
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
    """The time in which its processors worked, the sum over all of them."""
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
    """The net, numbered as in ``pipes``, of a wait for a pipe, or of a copy into or out of a pipe."""
    pipe: int | None = None
    """Position of that pipe in ``pipes``, where it is known which pipe of the net it is."""


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
    """The number of its slices, from ``first`` on."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class SliceColumns:
    """The slices of all processors, track after track, in order.

    A slice begins ``gap`` after the end of the slice before it in its track; the first slice of a track, after 0.
    """

    gap: Array
    length: Array
    label: Array
    """Position in ``labels``."""
    cause: Array
    """The number of the slice that ended a wait; higher numbers than those of slices are transfers.

    It is -1 if it is not known, or if nothing ended the wait in a launch that has failed: ``LaunchReport.stands`` has
    the kernel that should have ended it.
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
    """Groups of transfers over the NoCs that a processor issued in succession at one line: usually those of a block."""

    begin: Array
    length: Array
    node: Array
    """The node that issued the group."""
    source: Array
    destination: Array
    """Positions in ``ends``."""
    bytes: Array
    """The bytes of all transfers in the group; those of a multicast count once."""
    count: Array
    """The number of transfers in the group."""
    receivers: Array
    """The number of nodes that receive each of them: more than one for a multicast."""
    noc: Array
    lane: Array
    """The lane of the transfer; transfers of one node, NoC and lane do not overlap."""
    label: Array
    kind: Array
    """Position in ``transfer_kinds``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkUse:
    """A link between two routers that carried data. NoC 0 leads to larger columns and rows, NoC 1 to smaller ones."""

    noc: int
    x: int
    y: int
    """The router that it leads from."""
    along: Literal["row", "column"]
    busy: int
    """The time in which it carried data."""
    bytes: int
    """The bytes that it carried: its busy time, times its rate."""
    share: float
    """Its busy time as a share of the length of the launch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChipLink:
    """The links from a chip to a neighbour, all ports together, in one direction."""

    source: int
    target: int
    """Chips, by their numbers in the system."""
    ports: int
    bytes: int
    """The bytes that went over it: counted on emulated chips; in the simulator, those of pipes along their routes."""
    busy: int
    """The time in which a port carried data, the mean over the ports; in the simulator 0."""
    share: float
    """``busy`` as a share of the launch's length; in the simulator, ``bytes`` as a share of the most used link's."""


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
    """Every link of the system, in both directions."""
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
    """The address in the L1 of every node that has it; None in the simulator, and where it is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportTensor:
    """The place of a tensor in the memory of the emulated chip; the same on each of several chips."""

    name: str
    memory: Literal["dram", "l1"]
    address: int
    """Offset in each bank at which it begins."""
    bank_bytes: int
    """The bytes of the tensor in the bank that holds most of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferTrack:
    """A buffer on one node."""

    name: int
    """Position in ``buffer_names``."""
    node: int
    first: int
    count: int
    """The number of its rows in ``fills``, from ``first`` on."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FillColumns:
    """The fill of buffers, buffer after buffer: from ``time`` on a buffer has ``fill`` pages; it is empty at first."""

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
    """The bytes that were sent; each message counts once."""
    transfers: int
    """The number of messages."""
    file: int | None
    line: int | None
    """The place where the net is made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StopPosition:
    """The place of a processor (in the simulator, a kernel) when its launch failed; ended processors have no place."""

    track: int
    """Position in ``tracks``."""
    state: Literal["waits", "failed", "works"]
    """``failed``: it broke a rule, which stopped the launch."""
    label: int
    """Position in ``labels``: its open wait or its last action, with the line."""
    slice: int
    """The last event of the track; -1 if the track has no events."""
    needs: str
    """The condition under which it would continue, in words; empty if it does not wait."""
    awaited: tuple[int, ...]
    """The tracks that should have ended the wait; tracks that have ended are included where no other track could."""


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
    """The time that processors worked and waited in the line, by their roles, each the mean over the nodes that ran it.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportSource:
    """A file of the program."""

    file: str
    """The path as in the command line, or relative to the working folder."""
    text: str
    lines: tuple[LineUse, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelText:
    """A kernel; ``text`` is the C++ that the compiler made of it, empty in the simulator."""

    name: str
    roles: tuple[str, ...]
    microcores: tuple[str, ...]
    """``NOC0`` or ``NOC1`` of a data movement kernel; ``UNPACK``, ``MATH`` and ``PACK``; empty in the simulator."""
    file: str
    text: str
    lines: tuple[tuple[int, int, int], ...]
    """Line of the text, position of the file in ``sources``, line there."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RoofPoint:
    """A point in the roofline: ``x`` in work per byte from or to DRAM, ``y`` in work per cycle."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, kw_only=True, slots=True)
class RoofCeiling:
    """A limit of the chip: work per cycle (``compute``), or bytes of DRAM per cycle (``bandwidth``), times ``x``.

    A launch that the NoC bounds also has the ceiling ``NoC``: bytes of DRAM per cycle if its busiest link never idled.
    """

    name: str
    kind: Literal["compute", "bandwidth"]
    per_cycle: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Roofline:
    """A roofline (Williams, Waterman, Patterson, 2009). Work is counted in cycles in which math units do not wait."""

    unit: str
    """The unit of the work."""
    points: tuple[RoofPoint, ...]
    ceilings: tuple[RoofCeiling, ...]
    bound_by: str
    """The name of the ceiling above the launch."""
    attained: float
    """The share of that ceiling which the launch attains."""
    text: str


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PathColumns:
    """The critical path, from the beginning of the launch to its end without gaps."""

    length: Array
    resource: Array
    """Position in ``resources``."""
    at: Array
    """The slice that a step goes through, or, numbered after the slices, the transfer; -1 if neither."""
    label: Array
    """Position in ``labels``; -1: the launch itself."""
    resources: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredCycles:
    """A launch, its kernels on a processor, or a signpost: cycles here and on a card."""

    what: str
    estimated: float
    """The work of the processor alone; for a launch, the largest of its lower bounds."""
    emulated: float
    """The cycles with all waits; for a launch, from the first begin of a kernel to the last end."""
    measured: float | None
    """The cycles on the card, the mean over cores and repetitions; None where they were not measured."""
    error: float | None
    """The difference of emulated to measured cycles, as a part of the measured cycles."""
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
    """Columns and rows of a group of nodes that read the same blocks; each such group of the grid has one mover."""
    movers: tuple[int, ...]
    """The nodes of the grid, numbered row by row, that read the tensor from memory or write it there."""
    block: tuple[int, ...]
    """The shape of a block in tiles, or in elements in the dimensions before the last two."""
    blocks: int
    """The number of blocks that fit on a node."""
    bytes: int
    """The bytes of L1 on a node."""
    turns: int
    """The number of blocks that a node gets or gives."""
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
    """The nodes, the cycles that the designer expected, and the cycles that were measured."""
    estimate: int
    """The cycles that the designer expected."""
    limited_by: str
    loops: tuple[str, ...]
    """For each loop, how it is spread over nodes or iterated."""
    streams: tuple[DesignedStream, ...]
    """Loads and stores, in the order of the program."""
    source: str
    """The text of the explicit operation."""


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
    """The time until the last processor has ended; of a launch that has failed, until a little later."""
    chip: ChipPlan
    grid: tuple[int, ...]
    """The grid of the operation."""
    headline: str = ""
    """The first thing to do, in a sentence; empty in the simulator, and where the launch has failed."""
    verdict: str
    """The measured result, in a sentence; of a launch that has failed, the reason."""
    first: FirstChange | None
    """The first advice of the profile that does not change the results."""
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
    """The buffers of the program in the order in which it makes them, then those of the compiler."""
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
    """The errors of a launch that has failed: the objects of ``--format json``, ``file`` as in ``sources``.

    A failed launch has no ``path`` and no advice.
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
    """The files of the program that findings name; the cycles of their lines are not known."""
