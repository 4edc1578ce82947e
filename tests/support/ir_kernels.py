"""Executes a compute kernel of the ``ttkernel`` dialect, call by call.

Inits are followed: a function whose unit was last set up for another one, sources or a packer that are set to another
format, raise ``Misuse``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from xdsl.ir import Operation

from support.ir_device import Misuse, PageRing, Registers, as_tf32
from ttl.analysis.interpreter import KernelInterpreter
from ttl.dialects.elements import dtype_and_layout
from ttl.dialects.ttkernel import CBType, CommonArgOp, GetCBOp, KernelCallOp, KernelOp, ProgramOp
from ttl.kernel_api.tiles import init_of, use_by_faces, use_by_value, use_of
from ttl.rows.dtypes import FLOAT32, INT32, Array, DType
from ttl.rows.row import Op, Slot, TileCall
from ttl.rows.table import OPS
from ttl.rows.types import BlockType, Layout

_TURNS = {
    "tile_regs_acquire": ("released", "acquired"),
    "tile_regs_commit": ("acquired", "committed"),
    "tile_regs_wait": ("committed", "waited"),
    "tile_regs_release": ("waited", "released"),
}
_FPU: Mapping[str, Callable[[Array, Array], Array]] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
_SPREAD: Mapping[str, Callable[[Array], Array]] = {
    "row": lambda tile: tile[:1],
    "col": lambda tile: tile[:, :1],
    "scalar": lambda tile: tile[:1, :1],
}
# What a vector mode leaves out of a tile.
_LEFT_OUT = {
    "VectorMode::C": (slice(None), slice(16, None)),
    "VectorMode::R": (slice(16, None), slice(None)),
}
_AXES = {"ReduceDim::REDUCE_ROW": (1,), "ReduceDim::REDUCE_COL": (0,), "ReduceDim::REDUCE_SCALAR": (0, 1)}


@dataclass
class Device:
    """One node: buffers, registers, and what the units are set to."""

    rings: Mapping[str, PageRing]
    registers: Registers
    # Buffers that are unpacked straight to the registers.
    direct: frozenset[str]
    rounds: bool
    math: object = None
    sfpu: object = None
    # Formats of the two sources.
    sources: list[DType | None] = field(default_factory=lambda: [None, None])
    packer: DType | None = None
    # The lanes the packer writes, where they are not all.
    edges: str | None = None
    is_started: bool = False


@cache
def _functions() -> Mapping[str, tuple[Op, TileCall, Slot | None]]:
    """Functions of registers by the name of their call; with the slot of a number that is a value."""
    found: dict[str, tuple[Op, TileCall, Slot | None]] = {}
    for row in OPS:
        for call in row.hardware.get("0.69", ()):
            try:
                found[use_of(call).call.name] = (row, call, None)
                if call.by_faces:
                    found[use_by_faces(call).call.name] = (row, call, None)
                use, source = use_by_value(call)
                found[use.call.name] = (row, call, source)
            except KeyError:
                continue  # it reads circular buffers, or takes no number
    return found


class ComputeInterpreter(KernelInterpreter):
    """Executes one compute kernel on a device."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._device = device
        self._registers = device.registers
        # How often each function was called.
        self.counts: dict[str, int] = {}

    def other(self, op: Operation) -> None:
        if isinstance(op, CommonArgOp) and op.entry == "chip()":
            self.define(op.results, [0])
        else:
            super().other(op)

    def buffer(self, name: str) -> PageRing:
        return self._device.rings[name]

    def call(self, op: KernelCallOp, given: Sequence[Any]) -> Any:
        self.counts[op.call.name] = self.counts.get(op.call.name, 0) + 1
        name, device = op.call.name, self._device
        if name.startswith("cb_"):
            ring, count = given
            {"reserve": ring.reserve, "push": ring.push, "wait": ring.wait, "pop": ring.pop}[
                name.split("_")[1]
            ](count)
        elif name in _TURNS:
            self._registers.turn(*_TURNS[name])
        elif name.startswith("get_absolute_logical"):
            return 0
        elif op.call.configures is not None:
            self._configure(op, given)
        elif not device.is_started:
            raise Misuse(f"{name} before the hardware is started up")
        elif name == "pack_tile":
            self._pack(*given)
        elif name in _functions():
            self._function(op, given)
        else:
            getattr(self, f"_{_family(name)}")(op, *given)
        return None

    # --- what units are set to ---

    def _configure(self, op: KernelCallOp, given: Sequence[Any]) -> None:
        name, device = op.call.name, self._device
        match op.call.configures:
            case "startup":
                if device.is_started:
                    raise Misuse("the hardware is started up twice")
                device.is_started = True
                first, second = given[:2] if name != "matmul_hw_startup" else given[1::-1]
                device.sources = [first.dtype, second.dtype]
                device.packer = given[2].dtype
            case "source":
                of_one = {"reconfig_data_format_srca": [0], "reconfig_data_format_srcb": [1]}
                for at, each in zip(of_one.get(name, [0, 1]), given, strict=False):
                    device.sources[at] = each.dtype
            case "pack":
                assert name == "pack_reconfig_data_format", name
                device.packer = given[0].dtype
            case "lanes":
                device.edges = None if name == "pack_lanes_uninit" else op.constants["dim"]
            case "sfpu":
                device.sfpu = (name, op.constants)
            case "math" if name.endswith("_uninit"):
                device.math = None
                device.edges = None if name in ("reduce_uninit", "row_sum_uninit") else device.edges
            case "math":
                device.math = (name, op.constants, [each.dtype for each in given])
                if name == "reduce_init":
                    device.edges = op.constants["dim"]
                elif name == "row_sum_init":
                    device.edges = "ReduceDim::REDUCE_ROW"

    def _expect(self, init: str, constants: Mapping[str, Any], rings: list[PageRing]) -> None:
        wanted = (init, dict(constants), [each.dtype for each in rings])
        if self._device.math != wanted:
            raise Misuse(f"the math unit is set to {self._device.math}, not {wanted}")

    def _reads(self, a: PageRing | None, b: PageRing | None) -> None:
        """Check the formats of the sources."""
        for ring, format_ in zip((a, b), self._device.sources, strict=True):
            if ring is not None and ring.dtype is not format_:
                raise Misuse(f"{ring.name} is read as {format_}: it is {ring.dtype}")

    def _source(self, ring: PageRing, index: int) -> Array:
        """A tile as the matrix unit reads it."""
        if ring.name in self._device.direct:
            raise Misuse(f"{ring.name} is unpacked to the registers, and read by the matrix unit")
        if not ring.dtype.is_float:
            raise Misuse(f"the matrix unit reads integers of {ring.name}")
        tile = ring.read(index)
        return as_tf32(tile) if self._device.rounds else tile

    # --- functions that read buffers ---

    def _copied(self, op: KernelCallOp, ring: PageRing, index: int, d: int) -> None:
        transposed = op.call.name == "transpose_tile"
        self._expect("transpose_init" if transposed else "copy_tile_init", {}, [ring])
        self._reads(ring, None)
        tile = self._unpacked(ring, index)
        self._registers.write(d, tile.T if transposed else tile)

    def _unpacked(self, ring: PageRing, index: int) -> Array:
        tile = ring.read(index)
        return tile if ring.name in self._device.direct or not self._device.rounds else as_tf32(tile)

    def _unary_bcast(self, op: KernelCallOp, ring: PageRing, index: int, d: int) -> None:
        state = self._device.math
        direct = ring.name in self._device.direct or ring.dtype is INT32
        init = f"{'unary_bcast_direct' if direct else 'unary_bcast'}_init"
        if op.call.name != init.removesuffix("_init"):
            raise Misuse(
                f"{op.call.name} of a buffer that is{' ' if direct else ' not '}unpacked to the registers"
            )
        if not isinstance(state, tuple) or state[0] != init or state[1] != op.constants:
            raise Misuse(f"the math unit is set to {state}, not {init} {op.constants}")
        if state[2][0] is not ring.dtype:
            raise Misuse(f"a broadcast of {ring.dtype} is set up for {state[2][0]}")
        self._reads(ring, ring)
        self._registers.write(
            d,
            _SPREAD[op.constants["how"].removeprefix("BroadcastType::").lower()](self._unpacked(ring, index)),
        )

    def _tiles(self, op: KernelCallOp, left: PageRing, right: PageRing, i: int, j: int, d: int) -> None:
        name, _, how = op.call.name.partition("_tiles")
        init = f"{name}_tiles_init" if not how else f"{name}_bcast_{how.removeprefix('_bcast_')}_init"
        self._expect(init, {}, [left, right])
        self._reads(left, right)
        second = self._source(right, j)
        if how:
            second = _SPREAD[how.removeprefix("_bcast_").rstrip("s")](second)
        value = _FPU[name](self._source(left, i), second)
        self._registers.write(d, value + self._registers.read(d) if name == "mul" else value)

    def _binary_dest_reuse_tiles(self, op: KernelCallOp, ring: PageRing, index: int, d: int) -> None:
        self._expect("binary_dest_reuse_tiles_init", op.constants, [ring])
        self._reads(ring, ring)
        held, other = self._registers.read(d), self._source(ring, index)
        if self._device.rounds:
            held = as_tf32(held)
        pair = (held, other) if op.constants["reuse"].endswith("SRCA") else (other, held)
        name = op.constants["operation"].removeprefix("EltwiseBinaryType::ELW").lower()
        self._registers.write(d, _FPU[name](*pair))

    def _matmul_block(
        self, op: KernelCallOp, left: PageRing, right: PageRing, i: int, j: int, d: int
    ) -> None:
        constants = op.constants
        self._expect("matmul_block_init", constants, [left, right])
        self._reads(right, left)
        for row in range(constants["rt"]):
            for column in range(constants["ct"]):
                register = d + row * constants["ct"] + column
                first, second = self._source(left, i + row * constants["kt"]), self._source(right, j + column)
                product = first @ (second.T if constants["transpose"] else second)
                self._registers.write(register, self._registers.read(register) + product)

    def _reduced(self, op: KernelCallOp, ring: PageRing, scaler: PageRing, i: int, j: int, d: int) -> None:
        pool, dim = (
            op.constants.get("pool", "PoolType::SUM"),
            op.constants.get("dim", "ReduceDim::REDUCE_ROW"),
        )
        self._reads(*((ring, scaler) if op.call.name == "reduce_tile" else (scaler, ring)))
        state = self._device.math
        wanted = (op.call.name.replace("_tile", "_init"), op.constants, [ring.dtype, scaler.dtype])
        if not isinstance(state, tuple) or (state[0], state[1], state[2][:2]) != wanted:
            raise Misuse(f"the math unit is set to {state}, not {wanted}")
        tile = self._source(ring, i) * _weights(self._source(scaler, j), pool, dim)
        combine, start = (np.add, 0.0) if pool.endswith("SUM") else (np.maximum, -np.inf)
        found = combine.reduce(tile, axis=_AXES[dim], keepdims=True)
        lanes = np.ix_(range(found.shape[0]), range(found.shape[1]))
        before = start if self._registers.fresh(d) else self._registers.read(d)[lanes]
        value = np.full(tile.shape, np.nan, np.float32)
        value[lanes] = combine(before, found)
        self._registers.write(d, value)

    # --- functions of registers ---

    def _copy_dest_values(self, op: KernelCallOp, source: int, target: int) -> None:
        self._expect_sfpu("copy_dest_values_init", {})
        self._registers.write(target, self._registers.held(source))

    def _expect_sfpu(self, init: str, constants: Mapping[str, Any]) -> None:
        if self._device.sfpu != (init, constants):
            raise Misuse(f"the vector unit is set to {self._device.sfpu}, not {init} {constants}")

    def _function(self, op: KernelCallOp, given: Sequence[int]) -> None:
        row, call, number = _functions()[op.call.name]
        use = use_of(call) if number is None else use_by_value(call)[0]
        by_source = dict(
            zip(use.sources, (op.constants[each.name] for each in use.call.constants), strict=True)
        )
        if number is not None:
            *given, bits = given
            by_source[number] = bits if number.kind == "int" else float(np.uint32(bits).view(np.float32))
        init = init_of(call)
        assert init is not None
        names = [each.name for each in init.call.constants]
        self._expect_sfpu(
            init.call.name,
            {name: by_source[source] for name, source in zip(names, init.sources, strict=True)},
        )
        formats = {slot.name: value for slot, value in by_source.items() if slot.kind.startswith("format")}
        result = formats.get("out") or _element(call)
        operand = formats.get("in") or result
        read = given if call.form in ("unary", "scalar") else given[:-1]
        tiles = [self._registers.held(each) for each in read]
        if row.name == "where":  # a condition of any type: zero is zero
            tiles[0] = (tiles[0] != 0).astype(np.float32 if operand.is_float else np.int64)
        tiles = [self._converted(each, operand, op) for each in tiles]
        named = {slot.name: value for slot, value in by_source.items()}
        if row.name in ("reduce_sum", "reduce_max"):
            named["dims"] = (-1,) if op.call.name.endswith("_row") else (-2,)
        numbers = [named.get(each.name, 0) for each in row.operands[len(tiles) :]]
        params = tuple(_param(each.name, each.default, named, result) for each in row.params)
        given_numbers = numbers if operand.is_float else map(int, numbers)
        with np.errstate(all="ignore"):
            value = row.evaluate([*tiles, *given_numbers], params, BlockType.of((1, 1), result, Layout.TILE))
        if not result.is_float:
            value = result.load(result.store(value))
        elif "dims" in named:  # beside the result is what was combined on the way
            value = np.where(
                row.undefined_lanes(params, BlockType.of((1, 1), result, Layout.TILE)), np.nan, value
            )
        if faces := op.constants.get("faces"):  # whoever reads what was left as it was shall see it
            value[*_LEFT_OUT[faces]] = np.nan
        self._registers.write(given[-1], value)

    def _converted(self, tile: Array, dtype: DType, op: KernelCallOp) -> Array:
        if dtype.is_float:
            if tile.dtype.kind == "i":
                raise Misuse(f"{op.call.name} computes floats, and finds integers")
            return tile
        if tile.dtype.kind == "f":
            if tile.any():  # what nobody wrote is zero in any format
                raise Misuse(f"{op.call.name} computes integers, and finds floats")
            return tile.astype(np.int64)
        return dtype.load(dtype.store(tile))

    def _pack(self, d: int, ring: PageRing, index: int) -> None:
        device = self._device
        if device.packer is not ring.dtype:
            raise Misuse(f"{ring.name} is written as {device.packer}: it is {ring.dtype}")
        tile = self._registers.read(d, "waited")
        if not ring.dtype.is_float and tile.dtype.kind == "f":
            if tile.any():
                raise Misuse(f"floats are packed to {ring.name}, which holds {ring.dtype}")
            tile = tile.astype(np.int64)
        elif ring.dtype.is_float and tile.dtype.kind == "i":
            raise Misuse(f"integers are packed to {ring.name}, which holds {ring.dtype}")
        if device.edges is not None:
            kept = np.zeros_like(tile)
            axes = _AXES[device.edges]
            lanes = np.ix_(*(range(1 if axis in axes else extent) for axis, extent in enumerate(tile.shape)))
            kept[lanes] = tile[lanes]
            tile = kept
        if device.rounds or not ring.dtype.is_float:
            tile = ring.dtype.load(ring.dtype.store(tile))
        ring.write(index, tile)


def _family(name: str) -> str:
    families = {
        "unary_bcast_direct": "unary_bcast", "copy_tile": "copied", "transpose_tile": "copied", "reduce_tile": "reduced",
        "row_sum_tile": "reduced",
    }  # fmt: skip
    if name in families:
        return families[name]
    return "tiles" if name.split("_")[0] in _FPU and "_tiles" in name else name


def _element(call: TileCall) -> DType:
    """The element type that a function computes in, where its call does not say."""
    if FLOAT32 in call.dtypes:
        return FLOAT32
    return INT32 if INT32 in call.dtypes else min(call.dtypes, key=lambda dtype: dtype.bits)


def _param(name: str, default: Any, named: Mapping[str, Any], result: DType) -> Any:
    match name:
        case "shape":
            return (1, 1)
        case "layout":
            return Layout.TILE
        case "dtype":
            return result
    value = named.get(name, default)
    assert value is not ..., f"the call does not say its {name}"
    return value


def _weights(scaler: Array, pool: str, dim: str) -> Array:
    """What a reduction multiplies the columns, or the rows, of a tile with: the first row of every face."""
    faces = scaler.reshape(2, 16, 2, 16).swapaxes(1, 2)[:, :, 0]
    rest = np.array(scaler)
    rest[[0, 16]] = 0
    if rest.any():
        raise Misuse("a scaler has numbers beside the first row of its faces")
    along = faces if dim == "ReduceDim::REDUCE_ROW" else faces.swapaxes(0, 1)
    if not np.array_equal(along[0], along[1]):
        raise Misuse(f"the faces of a scaler do not agree: {scaler[0]}, {scaler[16]}")
    weights = along[0].reshape(-1)
    if not weights.all() and (pool.endswith("MAX") or dim.endswith("SCALAR")):
        raise Misuse(f"{pool} over {dim} multiplies with {weights}")
    return weights if dim == "ReduceDim::REDUCE_ROW" else weights[:, None]


_SCALER = (
    "cb_reserve_back", "get_write_ptr", "reinterpret_l1", "store_to_l1", "cb_push_back", "zeros_address",
    "get_noc_addr_local", "noc_async_read", "noc_async_read_barrier",
)  # fmt: skip


class ScalerInterpreter(KernelInterpreter):
    """Executes what a data movement kernel does to write scalers, and nothing else of it."""

    def __init__(self, rings: Mapping[str, PageRing]) -> None:
        super().__init__()
        self._rings = rings
        self._is_reading = False

    def run_kernel(self, kernel: KernelOp) -> None:
        """Write the scalers; ``rings`` are theirs."""
        for op in kernel.body.block.ops:
            calls = [each for each in op.walk() if isinstance(each, KernelCallOp)]
            if all(each.call.name in _SCALER for each in calls) and all(
                value in self.values
                for each in op.walk()
                for value in each.operands
                if value.owner is not each and getattr(value.owner, "parent", None) is kernel.body.block
            ):
                self.run(op)

    def other(self, op: Operation) -> None:
        if isinstance(op, KernelCallOp) or (isinstance(op, GetCBOp) and op.declared_name in self._rings):
            super().other(op)

    def buffer(self, name: str) -> PageRing:
        return self._rings[name]

    def call(self, op: KernelCallOp, given: Sequence[Any]) -> Any:
        match op.call.name:
            case "cb_reserve_back":
                given[0].reserve(given[1])
            case "get_write_ptr":
                self._words = np.full(512, 0xDEAD, np.uint32)
                return 0
            case "zeros_address" | "get_noc_addr_local":
                return "zeros"
            case "noc_async_read":
                self._is_reading = True
                self._words[given[1] // 4 : (given[1] + given[2]) // 4] = 0
            case "noc_async_read_barrier":
                self._is_reading = False
            case "reinterpret_l1":
                return self._words
            case "store_to_l1":
                if self._is_reading:
                    raise Misuse("a word is written before the zeros have arrived")
                given[1][given[2]] = given[0]
            case "cb_push_back":
                elements = self._words.view(np.uint16).reshape(2, 2, 16, 16).swapaxes(1, 2).reshape(32, 32)
                given[0].write(0, given[0].dtype.load(elements))
                given[0].push(given[1])
            case _:
                raise NotImplementedError(op.call.name)
        return None


def device_of(program: ProgramOp, kernel: KernelOp, *, rounds: bool) -> Device:
    """A node for a program, with empty buffers."""
    config = kernel.config
    wide = config["fp32_dest_acc_en"]
    capacity = (8 if config["dst_full_sync_en"] else 4) * (1 if wide else 2)
    rings = {
        each.declared_name: PageRing(each.declared_name, each.pages, dtype_and_layout(each.element_type)[0])
        for each in program.buffers
    }
    called = [op for op in kernel.walk() if isinstance(op, KernelCallOp)]
    waits = {id(_ring(op, rings)) for op in called if op.call.name == "cb_wait_front"}
    for op in called:
        if op.call.name == "cb_reserve_back" and id(_ring(op, rings)) not in waits:
            _ring(op, rings).is_output = True
    return Device(
        rings=rings,
        registers=Registers(capacity, wide=wide, rounds=rounds),
        direct=frozenset(config.get("unpack_to_dest_fp32", ())),
        rounds=rounds,
    )


def _ring(op: KernelCallOp, rings: Mapping[str, PageRing]) -> PageRing:
    get = op.operands[0].owner
    assert isinstance(get, GetCBOp) and isinstance(get.result.type, CBType)
    return rings[get.declared_name]
