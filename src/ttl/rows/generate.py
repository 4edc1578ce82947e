"""Writes the files that are derived from the operation table: stubs, the reference page, the functionality matrix.

``python -m ttl.rows.generate`` writes the files of this source tree; ``--check`` only lists stale pages, without stubs,
which are not in git.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ttl.arch import all_chips
from ttl.rows.lowering import is_elementwise
from ttl.rows.on_hardware import hardware_notes, tile_functions
from ttl.rows.reference import accepted, docstring, layouts, signature, source, tolerance_text
from ttl.rows.row import Namespace, Op
from ttl.rows.table import OPS

_MADE_BY = "python -m ttl.rows.generate"
# Line length of the formatter.
_WIDTH = 110

_GROUPS = (
    ("Binary operators and functions", ("appendix-b-binary-operators", "appendix-d")),
    ("Comparisons", ("comparisons",)),
    ("Basic functions", ("appendix-b-basic-unary",)),
    ("Trigonometric functions", ("appendix-b-trigonometric",)),
    ("Activation functions", ("appendix-b-activation",)),
    ("Rounding functions", ("appendix-b-rounding",)),
    ("Reduction, broadcast and transpose", ("appendix-b-reduction",)),
    ("Fill, mask and where", ("appendix-b-fill-mask-where",)),
    ("Shape manipulation", ("appendix-b-shape",)),
    ("Conversion", ("typecast",)),
)


def module_stub(namespace: Namespace, rows: Iterable[Op]) -> str:
    """The stub of ``ttl.math`` or ``ttl.block``."""
    rows = [row for row in rows if row.namespace == namespace]
    text = "".join(f"\n{_definition(row)}\n{_indented(docstring(row))}\n" for row in rows)
    lines = [f"# Made by {_MADE_BY}; do not edit."]
    if "Sequence[" in text:
        lines.append("from collections.abc import Sequence")
        lines.append("")
    lines.append("from ttl.lang.expr import BlockExpr")
    if "DType" in text:
        lines.append("from ttl.rows.dtypes import DType")
    if "Layout |" in text:
        lines.append("from ttl.rows.types import Layout")
    if namespace == "math":
        lines += ["from ttl.ops.selection import topk as topk"]
    return "\n".join(lines) + "\n" + text


def operators_stub(rows: Iterable[Op]) -> str:
    """The stub of the operators of block expressions."""
    lines = [
        f"# Made by {_MADE_BY}; do not edit.",
        "from collections.abc import Iterable",
        "from typing import Any, NoReturn",
        "",
        "from ttl.lang.expr import BlockExpr",
        "from ttl.rows.row import Op",
        "",
        "def make(rows: Iterable[Op]) -> type[Any]: ...",
        "",
        "class Operators:",
        '    """The operators of a block expression."""',
        "",
        "    def __bool__(self) -> NoReturn: ...",
    ]
    for row in rows:
        if row.dunder is not None and len(row.operands) == 1:
            lines.append(f"    def {row.dunder}(self) -> BlockExpr: ...")
        elif row.dunder is not None:
            other = "BlockExpr | float" if row.operands[1].scalar else "BlockExpr"
            ignored = "  # type: ignore[override]" if row.dunder in ("__eq__", "__ne__") else ""
            lines.append(f"    def {row.dunder}(self, other: {other}) -> BlockExpr: ...{ignored}")
        if row.reflected is not None and row.operands[0].scalar:
            lines.append(f"    def {row.reflected}(self, other: float) -> BlockExpr: ...")
    return "\n".join(lines) + "\n"


def reference_page(rows: Sequence[Op]) -> str:
    """The reference of all operations."""
    lines = [
        f"<!-- Made by {_MADE_BY}; do not edit. -->",
        "# Operations",
        "",
        "Operators and functions over block expressions. Operands of an element-wise operation have one shape; "
        "nothing is broadcast silently. Inside an expression floats are float32 (and integers exact in 64 bits); a "
        "value is rounded once, to the element type of the buffer, when it is stored. Where blocks of two float "
        "types meet, the expression has the wider one; a float never meets an integer without `ttl.math.typecast`.",
        "",
        "`+=` adds: to an expression it rebinds the name, to a reserved block it accumulates into the block. `==` and "
        "`!=` that you write compare elements; which block it is, `is`, `in`, lists and dictionaries ask.",
        "",
        "`values, indices = ttl.math.topk(expr, k, indices, largest=True, stable=False)` is not an operation of its own but written "
        "in the language: of every row of a block of bfloat16 of 2, 4, 8, 16, 32 or 64 tiles it gives the `k` (4, 8, 16, 32 or 64) "
        "largest elements, in order, and their columns. `indices` is a block of uint16 of the same shape whose elements are the "
        "numbers of their columns.",
        "",
        "*Tolerance* is how far an execution on hardware may be from the value defined here, relative for bfloat16 and "
        "float32. *Cycles* are measured ones for a 32x32 tile where there is a source for them. *Tile functions* are "
        "those of the kernel API (0.81; the older generation 0.69 differs where both are given).",
        "",
    ]
    shown = next((row for row in rows if row.name == "exp"), rows[0])
    lines += [f"An example below stands in a program such as this one for `{shown.label}`:", ""]
    lines += ["```python", program(shown).rstrip(), "```", ""]
    known = {anchor for _, anchors in _GROUPS for anchor in anchors}
    groups = (*_GROUPS, ("Other", tuple({row.anchor for row in rows} - known)))
    for title, anchors in groups:
        chosen = [row for row in rows if row.anchor in anchors]
        if chosen:
            lines += [f"## {title}", ""]
        for row in chosen:
            lines += _entry(row)
    return "\n".join(lines).rstrip() + "\n"


def functionality_page(rows: Sequence[Op]) -> str:
    """The functionality matrix."""
    lines = [
        f"<!-- Made by {_MADE_BY}; do not edit. -->",
        "# Functionality matrix",
        "",
        "What runs where, and since which release; 0.2.0 is the next one. N/S: not supported. The emulator and the "
        "device run what the compiler makes. What a type, a parameter or a layout rules out has a diagnostic "
        "(`ttl explain TTL1450`). The device column is what the real ttnn accepts of us: nobody has run it on a card yet.",
        "",
        *_table("Language", SPECIFIED),
        *_table("Operators and functions", [_feature(row) for row in rows]),
        *_table("Tile programs", TILE_PROGRAMS),
        *_table("Beyond the specification", BEYOND),
    ]
    return "\n".join(lines).rstrip() + "\n"


def stubs(rows: Sequence[Op] = OPS) -> dict[str, str]:
    """The type stubs: path in the package, and content."""
    return {
        "math.pyi": module_stub("math", rows),
        "block.pyi": module_stub("block", rows),
        "lang/operators.pyi": operators_stub(rows),
    }


def write_stubs() -> list[Path]:
    """Write the stubs beside the modules, and return their paths."""
    package = Path(__file__).resolve().parents[1]
    _write_stale({package / name: content for name, content in stubs().items()})
    return [package / name for name in stubs()]


def generated(rows: Sequence[Op] = OPS) -> dict[str, str]:
    """Every generated page: path from the root of the source tree, and content."""
    return {
        "docs/reference/operations.md": reference_page(rows),
        "docs/reference/functionality.md": functionality_page(rows),
    }


def main(arguments: Sequence[str]) -> int:
    """Write the files, or with ``--check`` list the stale ones; the exit code is 1 if there are any."""
    root = Path(__file__).resolve().parents[3]
    pages = {root / name: content for name, content in generated().items()}
    if "--check" not in arguments:
        write_stubs()
        for path in _write_stale(pages):
            print(f"wrote {path.relative_to(root)}")
        return 0
    for path in (stale := _stale(pages)):
        print(f"stale: {path.relative_to(root)}, run {_MADE_BY}")
    return 1 if stale else 0


def _stale(files: Mapping[Path, str]) -> list[Path]:
    return [
        path
        for path, content in files.items()
        if not path.exists() or path.read_text(encoding="utf-8") != content
    ]


def _write_stale(files: Mapping[Path, str]) -> list[Path]:
    stale = _stale(files)
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[path], encoding="utf-8")
    return stale


def _definition(row: Op) -> str:
    text = f"def {signature(row)}:"
    if len(text) <= _WIDTH:
        return text
    name, _, rest = text.partition("(")
    parameters, _, result = rest.rpartition(")")
    return f"{name}(\n    {parameters}\n){result}"


def _indented(text: str) -> str:
    lines = ['"""' + text, '"""'] if "\n" in text else ['"""' + text + '"""']
    return "\n".join(f"    {line}" if line else "" for line in "\n".join(lines).split("\n"))


def _entry(row: Op) -> list[str]:
    title = row.label
    lines = [f"### `{title}`", ""]
    if row.namespace != "operator":
        lines += ["```text", f"ttl.{row.namespace}.{signature(row)}", "```", ""]
    lines += [row.summary + (f" {row.doc}" if row.doc else ""), ""]
    lines += [f"Example: `{stored(row)}`", ""]
    others = [spelling for spelling in row.spellings[1:] if spelling != title]
    if others:
        lines += [f"Also written {', '.join(f'`{spelling}`' for spelling in others)}.", ""]
    lines += [f"- `{operand.name}`: {operand.doc}" for operand in row.operands if row.namespace != "operator"]
    lines += [f"- `{param.name}`: {param.doc}" for param in row.parameters]
    if lines[-1]:
        lines.append("")
    lines += ["| | |", "| --- | --- |"]
    lines.append(f"| Element types | {accepted(row)} |")
    lines.append(f"| Layouts | {layouts(row)} |")
    lines.append(f"| Source | {source(row)} |")
    tolerances = [
        f"{name} {tolerance_text(row.tolerance[name].relative)}"
        for name in ("bfloat16", "float32")
        if name in row.tolerance
    ]
    lines.append(f"| Tolerance | {', '.join(tolerances)} |")
    cycles = [
        f"{chip.operations[row.name].value} ({chip.name.capitalize()})"
        for chip in all_chips()
        if row.name in chip.operations and chip.operations[row.name].how == "measured"
    ]
    if cycles:
        lines.append(f"| Cycles | {', '.join(cycles)} |")
    lines += _tile_functions(row)
    return [*lines, ""]


def _tile_functions(row: Op) -> list[str]:
    notes = hardware_notes(row)
    return [f"| Tile functions | {tile_functions(row)} |", *([f"| Notes | {notes} |"] if notes else [])]


def _feature(row: Op) -> Feature:
    text = ", ".join(f"`{spelling}`" for spelling in row.spellings)
    return Feature(text=text, simulator=row.since, compiler=COMPILER if _compiles(row) else None)


def _compiles(row: Op) -> bool:
    """Whether the compiler supports the operation: the hardware has it, or operations that compute it together."""
    return is_elementwise(row) or bool(row.hardware.get("0.81")) or row.name in ("squeeze", "unsqueeze")


def _table(title: str, features: Iterable[Feature]) -> list[str]:
    lines = [f"## {title}", "", "| Functionality | Simulator | Compiler | Emulator | Device |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for feature in features:
        versions = (feature.simulator, *[feature.compiler] * 3)
        lines.append(f"| {feature.text} | {' | '.join(version or 'N/S' for version in versions)} |")
    return [*lines, ""]


_INTEGER = "int32"
_FLOAT = "bfloat16"


def stored(op: Op) -> str:
    """The statement of the compute kernel that computes the example of a row."""
    expression = re.sub(r"\b(a|b)\b", r"\1_blk", op.example)
    return f"y_blk.store({expression})"


def program(op: Op) -> str:
    """A complete small program that computes the example of a row and prints the result.

    Two tensors of 64x64 elements, ``a`` and ``b``, one block of 2x2 tiles each, one node.
    """
    expression = op.example
    names = [name for name in ("a", "b") if re.search(rf"\b{name}\b", expression)]
    dtype = _INTEGER if op.accepts == "integer" else _FLOAT
    shape = "(2, 1)" if op.undefined is not None else "(2, 2)"
    columns = 32 if op.undefined is not None else 64
    inputs = ", ".join(names)
    parameters = f"{inputs}, y" if names else "y"
    lines = [
        "import ttnn",
        "",
        "import ttl",
        "",
        "",
        "@ttl.operation(grid=(1, 1))",
        f"def example({parameters}):",
    ]
    for name in names:
        lines.append(f"    {name}_dfb = ttl.make_dataflow_buffer_like({name}, shape=(2, 2))")
    lines.append(f"    y_dfb = ttl.make_dataflow_buffer_like(y, shape={shape})")
    if names:
        lines += ["", "    @ttl.datamovement()", "    def read():"]
        for name in names:
            lines.append(f"        with {name}_dfb.reserve() as {name}_blk:")
            lines.append(f"            ttl.copy({name}[0:2, 0:2], {name}_blk).wait()")
    lines += ["", "    @ttl.compute()", "    def compute():"]
    waits = [f"{name}_dfb.wait() as {name}_blk" for name in names] + ["y_dfb.reserve() as y_blk"]
    lines.append(f"        with {', '.join(waits)}:")
    lines.append(f"            {stored(op)}")
    lines += ["", "    @ttl.datamovement()", "    def write():", "        with y_dfb.wait() as y_blk:"]
    lines.append(f"            ttl.copy(y_blk, y[0:2, 0:{2 if columns == 64 else 1}]).wait()")
    lines += ["", "", "device = ttnn.open_device(device_id=0)"]
    make = f"dtype=ttnn.{dtype}, layout=ttnn.TILE_LAYOUT, device=device"
    for name in names:
        value = (
            f"ttnn.full((64, 64), {3 if name == 'a' else 2}, {make})"
            if dtype == _INTEGER
            else f"ttnn.rand((64, 64), {make})"
        )
        lines.append(f"{name} = {value}")
    lines.append(f"y = ttnn.zeros((64, {columns}), {make})")
    lines += [f"example({parameters})", "print(y)"]
    return "\n".join(lines) + "\n"


# The first release with the compiler.
COMPILER = "0.2.0"


@dataclass(frozen=True, kw_only=True, slots=True)
class Feature:
    """One feature of the language, and the first release of each execution that has it."""

    text: str
    simulator: str | None = "0.1.0"
    compiler: str | None = COMPILER


def _features(*texts: str) -> tuple[Feature, ...]:
    return tuple(Feature(text=text) for text in texts)


SPECIFIED: tuple[Feature, ...] = _features(
    '`ttl.operation` with a tuple, `"full"` or `"auto"` as grid',
    "`ttl.grid_size` and `ttl.node` with any `dims`, single-device grid",
    "`ttl.grid_size` and `ttl.node` on a multi-device grid",
    "TT-NN mesh devices",
    "TT-NN L1 sharded tensors",
    "`ttl.make_dataflow_buffer_like` for tiled tensors",
    "`ttl.make_dataflow_buffer_like` for row-major tensors",
    "`ttl.make_dataflow_buffer_like` with more than two dimensions",
    "`ttl.DataflowBuffer.reserve` and `wait`, also as `with` items",
    "`ttl.Block.store`, `push`, `pop`",
    "`+=` on block expressions and blocks",
    "`ttl.copy` and `ttl.Transfer`",
    "`ttl.GroupTransfer`",
    "`ttl.Pipe` and `ttl.PipeNet` on a single-device grid",
    "`ttl.Pipe` and `ttl.PipeNet` on a multi-device grid",
    "`ttl.Semaphore`, unicast and multicast, on a 2D grid",
    "`ttl.Semaphore` on a multi-device grid",
    "`ttl.signpost`",
    "`ttl.static_range`",
    "`print` of tensors, blocks and dataflow buffers",
)

TILE_PROGRAMS: tuple[Feature, ...] = _features(
    '`ttl.tile_operation` with a tuple or `"auto"` as grid; `explicit(...)` gives the designed operation',
    "`ttl.load`, `ttl.store` of parts of tiled tensors: blocks of loops, slices in tiles, whole dimensions, numbers before the last two",
    "`ttl.spatial`, `ttl.temporal`, and loops of which the designer decides, over `x.rows`, `x.columns`, `x.axis(n)` or a number of iterations",
    "Values that loops carry, several at a time, from numbers or values on; reductions over temporal loops",
    "`.T`, `.sum`, `.max`, `.mean`; elementwise functions, products and `ttl.math.typecast`; extents of 1 are repeated as NumPy does",
    "Extents with rests of tiles; loops in Python over what is known before the call, helper functions",
    "Steps that are designed: left out, `ttl.tunable(1, 2, 4)`, `ttl.fraction(0.5)`; only those that divide the axis (TTL1809)",
    "Designed: what is spread over nodes, what is read once and kept, multicast along rows, columns (from a diagonal, too) or to all, double buffers, division of loads between both data movement kernels",
    "`ttl design`: the plan, why a line is what it is (`--explain`), the explicit operation as a module with a test (`--keep`)",
    "`ttl why-not`: what another choice would cost, or which rule forbids it; `ttl tune` measures designs and keeps the fastest",
    "`operation.reference(...)`: the function over arrays of NumPy",
    "The plan in the editor, line by line, and on the report page beside the cycles",
    "Nests of loops from `indexing_maps`, `iterator_types` and `block_factors` (TTL1816)",
    "Transpositions and copies between tensors that lie differently: interleaved in DRAM or L1, sharded by height, width or blocks",
) + tuple(
    Feature(text=text, simulator=None, compiler=None)
    for text in (
        "Sums over nodes: a loop that carries values is temporal (TTL1812); one that is spread, in a temporal loop (TTL1812)",
        "Loads of a tensor that is stored elsewhere in the program (TTL1812); tensors that are not parameters (TTL1811)",
        "Row-major tensors (TTL1811): the language has no operation between rows of elements and tiles; `ttnn.to_layout` before or behind the call",
        "Decisions by what a loop gives (TTL1806), loops over blocks that are left early (TTL1807)",
        "`ttl.block.broadcast`, `squeeze`, `unsqueeze` (TTL1810) and `fill` (TTL0201): values have no shapes in tiles",
        "Designs for extents that nobody has given (TTL1811)",
    )
)

BEYOND: tuple[Feature, ...] = _features(
    "One function as the whole operation, divided into kernels",
    "Operations called in operations, with buffers, nets and lists of buffers as parameters",
    "Operations ready to use, launched or composed: `ttl.ops`",
    "Operations of `ttl.ops` over the chips of a mesh: all-gather, reduce-scatter, all-reduce, broadcast, all-to-all, halos",
    "Calls of operations with keyword arguments, through modules, and of operations with kernels",
    "`ttl.make_dfb`: element types by name, of torch and of ttnn; counts, address scopes",
    "`ttl.make_dfb_allocation_group`: buffers in the same memory, one after the other",
    "`ttl.make_dfb(tile=)`: blocks of tiles of 1 to 32 rows and 16 or 32 columns, computed element by element, through pipes, element by element from and to others",
    "`ttl.make_tensor_backed_dfb` and `publish`: buffers in the memory of sharded tensors",
    "`ttl.distribute` and `shard()`: sharded and replicated tensors over the nodes of a grid, each node's part by itself (plan of the dialect, 10.3: `dist_tensor`)",
    "`ttl.DFBReset`, `reset_dfbs`, `reset_all_dfbs`: buffers that are empty; dropping blocks is refused (TTL0249)",
    "`ttl.SRAMStorage`: tensors in L1 that live across launches, on the host; not for a card (TTL0269)",
    "More dataflow buffers than a node has, where their blocks go in order",
    "`ttl.raw_element_read` and `ttl.raw_element_write`; all comparisons and arithmetic of what was read",
    "`ttl.read_index`: slices, loops and coordinates by numbers in tensors, looked at when they are read",
    "`ttl.copy_tensor_page`: a page of a tensor by a number of the node or of a tensor",
    "`PipeNet.destination_count`, `is_src`, `is_dst`, `is_active`",
    "`ttl.wait_any`: the first of several receives, as requests; lists of blocks indexed by the answer",
    "`ttl.call_extern_func` with numbers, buffers, tensors and `ttl.raw_addr`, `ttl.ScalarType` and `ttl.DispatchCondition` for what it gives, `ttl.TensorAccess` for what it does to tensors; a stand-in by `ttl.extern` in the simulator",
    "`ttl.Kernel`, `ttl.KernelKind`; `kernel=` of `ttl.compute` and `ttl.datamovement`, and of `push` and `pop` in one body",
    "Inferred `push`, `pop` and transfer `wait`",
    "`accumulation=`: `+=` on a block, or on a total that is stored, in a loop by the packer, in bfloat16; for blocks of one tile on chips that add rightly to no larger ones",
    "Sub-views of blocks, `blk[0:2, 1:2]`, as operands and as targets of `store` and `+=`",
    "Numbers on either side of an operator",
    "`ttl.math.topk` of 2 to 64 tiles, as far as L1 has room for what it needs, written in the language",
    "Stores into waited blocks, of any buffer and at any place behind a read; not where the block is a tensor's memory (TTL0362)",
    "`ttl.block.fill` with `dtype=`, `ttl.matmul(transpose_rhs=True)`, `ttl.math.exp(skip_clamp_check=, iterations=8)`",
    "`==` and `!=` of blocks as comparisons, element by element; `in`, lists and dictionaries ask which block it is",
    "`Block.shape` and `Block.dtype`",
    "Tensor slices that drop dimensions",
    "Predicates on pipes as lambdas",
    "Schedules (`operation.schedule()`, `with_schedule`, `--schedule`, `--print-schedule`): sequences of the transform dialect",
    "Mathematics of blocks as `linalg.generic` and back (`ttl-opt`: `ttl-to-linalg`, `linalg-to-ttl`): floats in tiles; refused are integers, row-major blocks, and values that a loop keeps in the registers",
    "SPMD: a 2D grid on a mesh device",
    "Older spellings, with a note that carries the fix",
    "`all_gather`, `all_reduce`, `reduce_scatter`, `broadcast`, `all_broadcast`, `point_to_point`, `mesh_partition` and all-to-all of mesh tensors on the host; parts of a mesh (`create_submesh`)",
    "`--system`: n150, n300, T3000, QuietBox, Galaxy, p100, p150, p300, or one of a TOML file: chips, links, routes, the meshes that `ttnn.open_mesh_device` opens",
    "`all_gather`, `all_reduce` and `reduce_scatter` of mesh tensors on the host",
    "`ttl.report.load`: a run's launches, nodes, kernels, lines, events and waits as objects; rules of advice of your own (`ttl.advice`)",
    "`ttl report --to visualizer`: a run's operations, tensors and memory as ttnn 0.81.1 writes them, for ttnn-visualizer",
    "`ttl profile --measured`: what a card's profiler measured beside the emulated cycles",
    "Cycles of the emulated chip beside a thousand published measurements of cards, by family, with those that set no cost apart",
    "`ttl hang`: a card's hang, or the emulated chip's, from tt-triage and the watcher; `--dump` keeps what lines come from",
    "`ttnn.generic_op` and the descriptors of programs: C++ kernels, on the emulated chip whatever the target; a slice that is a shard is one transfer of it",
    "`ttnn.MeshProgramDescriptor`, `setup_fabric_connection`, global semaphores: C++ kernels of several chips that send packets over links, on emulated chips whatever the target",
    "`ttl.DeviceDomain`, `product`, `DeviceRef`, `current_index`, `is_current`, `index_order`, `iter_device_refs`, `flattened_extent`; `device_domain=`, or that of the nets an operation uses",
    "`ttl.TransferGraph`: `edges`, `axis_neighbor`, `stencil`, `gather`, `scatter`, `all_to_all`, kept as numbers and never listed",
    "`ttl.PipeNet` over graphs: `graph=`, pipes and `graph=`, `mappings=` of `ttl.PipeMapping`; `destination_device_index`, `source_device_index`",
    "Selections of chips: `domain[0, :]`, `select`, unions, `at_node`; `ttl.Pipe` between chips, `ttl.Pipe.pairwise`",
) + tuple(
    Feature(text=text, simulator=None, compiler=None)
    for text in (
        "Receives that a loop hands on of which only the node knows how often it runs, or that it may leave early, and lists of receives that it changes: refused (TTL0616)",
        "Two receives of one net, or into one buffer, in a `ttl.wait_any`: refused (TTL0615), the chip counts messages by net, and blocks are pushed in order",
        "`ttl.math.exp` with `skip_clamp_check` and `approx`, or fewer `iterations`: wrong numbers on the chip (TTL0432)",
        "`ttl.block.fill(tile=)` of other tiles than 32x32 (TTL0432)",
        "`ttl.distribute` of uneven shards (TTL0531), of tensors of more than two dimensions (TTL0530), over a mesh (TTL0532)",
        "`ttl.DFBReconfiguration`, `reconfigure_dfbs`: refused by name (TTL0247), what it is given is not known; formats have buffers of their own, which share memory",
        "`runtime_resource_factory`, `ttl.ProgramRuntimeResources` and its parts: refused by name (TTL0247)",
        "`ttl.DeviceRange` as the destination of an edge: refused in nets (TTL0625); pipes to a range of nodes in nets over graphs: refused (TTL0631)",
        "`ttl.DFBAddressScope`: refused by name (TTL0247), a word says it",
        "Reductions, broadcasts, transposes and products of blocks of tiles other than 32x32, and kernels with tiles of two sizes: refused (TTL1419), units are set up for one size and these need four faces",
        "Tensors of tiles other than 32x32; blocks of such tiles go between kernels and through pipes",
    )
)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
