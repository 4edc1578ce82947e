"""Programs of several emulated chips, with kernels that were written by hand for the fabric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
import ttnn

import ttl.emu.generic
from ttl.emu.launch import ChipRun
from ttl.host.mesh_programs import links_of

PAGE = 2048
_HEAD = """#include "api/dataflow/dataflow_api.h"
#include "tt_metal/fabric/hw/inc/edm_fabric/edm_fabric_worker_adapters.hpp"
#include "tt_metal/fabric/hw/inc/packet_header_pool.h"
#include "tt_metal/fabric/hw/inc/mesh/api.h"
using namespace tt::tt_fabric;
using namespace tt::tt_fabric::mesh::experimental;
using Add = NocUnicastAtomicIncCommandHeader;
using Write = NocUnicastCommandHeader;
using Both = NocUnicastAtomicIncFusedCommandHeader;
inline uint64_t here(uint32_t address) { return get_noc_addr(my_x[0], my_y[0], address); }
void kernel_main() {
    size_t at = 0;
"""
_CONNECTED = "    auto to{} = WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(at);\n"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A kernel on one core of one device. Its C++ has connections ``to0``, ``to1`` ..., and words by ``w(0)``, ``w(1)`` ..."""

    device: tuple[int, int]
    body: str
    to: tuple[tuple[int, int], ...] = ()
    words: Sequence[int] = ()
    core: tuple[int, int] = (0, 0)
    link: int = 0
    reader: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def text_of(body: str, connections: int, a: int = 0, b: int = 0, done: int = 0) -> str:
    """The C++ of a kernel with so many connections, on tensors and a counter at addresses."""
    text = _HEAD + "".join(_CONNECTED.format(number) for number in range(connections))
    text += "    const auto w = [at](uint32_t i) { return get_arg_val<uint32_t>(at + i); };\n"
    text += "    constexpr auto args = TensorAccessorArgs<0>();\n"
    text += f"    [[maybe_unused]] const auto a = TensorAccessor(args, {a}, {PAGE});\n"
    text += f"    [[maybe_unused]] const auto b = TensorAccessor(args, {b}, {PAGE});\n"
    return f"{text}    const uint32_t done = {done};\n{body}\n}}\n"


class Chips:
    """A mesh of devices with a tensor ``a`` of so many pages on each, ``b`` of as many zeros, and a counter at one address."""

    def __init__(self, shape: tuple[int, int], pages: int = 4, cores: tuple[int, int] = (1, 1)) -> None:
        self.mesh = ttnn.open_mesh_device(ttnn.MeshShape(*shape))
        self.shape, self.pages = shape, pages
        count = shape[0] * shape[1]
        self.values = (torch.arange(count * pages * 1024) % 251).reshape(count * pages * 32, 32).float()
        mapper = ttnn.ShardTensorToMesh(self.mesh, 0)
        options = {"layout": ttnn.TILE_LAYOUT, "device": self.mesh, "mesh_mapper": mapper}
        self.a = ttnn.from_torch(self.values, ttnn.bfloat16, **options)
        self.b = ttnn.from_torch(torch.zeros_like(self.values), ttnn.bfloat16, **options)
        self.cores = self.range((0, 0), (cores[0] - 1, cores[1] - 1))
        self.counter = ttnn.create_global_semaphore(self.mesh, self.cores, 0)
        self.runs: list[ChipRun] = []

    @staticmethod
    def range(first: tuple[int, int], last: tuple[int, int]) -> Any:
        return ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(*first), ttnn.CoreCoord(*last))])

    @property
    def done(self) -> int:
        """The address of the counter."""
        return int(ttnn.get_global_semaphore_address(self.counter))

    def devices(self) -> list[tuple[int, int]]:
        return [(row, column) for row in range(self.shape[0]) for column in range(self.shape[1])]

    def chip(self, device: tuple[int, int]) -> int:
        """Its number, as packets name it."""
        return int(self.mesh.get_fabric_node_id(ttnn.MeshCoordinate(*device)).chip_id)

    def first_hop(self, source: tuple[int, int], target: tuple[int, int]) -> tuple[int, int]:
        """The device that packets to another one reach first."""
        system, chips = links_of(self.mesh)
        route = system.route(self.chip(source), self.chip(target))
        return self.devices()[chips.index(route[1])]

    def launch(self, *parts: Part, recorded: bool = False) -> torch.Tensor:
        """Run the kernels; what is in ``b`` afterwards, the devices one below the other."""
        descriptor = ttnn.MeshProgramDescriptor()
        for device in dict.fromkeys(part.device for part in parts):
            program = ttnn.ProgramDescriptor()
            own = [part for part in parts if part.device == device]
            kernels = [self._kernel(part, program) for part in own]
            program.kernels = kernels
            cores = sorted({part.core for part in own})
            program.cbs = [
                ttnn.CBDescriptor(
                    4 * PAGE, self.range(core, core), [ttnn.CBFormatDescriptor(0, ttnn.bfloat16, PAGE)]
                )
                for core in cores
            ]
            place = ttnn.MeshCoordinate(*device)
            descriptor[ttnn.MeshCoordinateRange(place, place)] = program
        with watched(self.runs, recorded):
            ttnn.generic_op([self.a, self.b], descriptor)
        composer = ttnn.ConcatMeshToTensor(self.mesh, 0)
        return torch.as_tensor(ttnn.to_torch(self.b, mesh_composer=composer)).float()

    def _kernel(self, part: Part, program: Any) -> Any:
        core, words = ttnn.CoreCoord(*part.core), []
        source = self.mesh.get_fabric_node_id(ttnn.MeshCoordinate(*part.device))
        for target in part.to:
            node = self.mesh.get_fabric_node_id(ttnn.MeshCoordinate(*target))
            words += ttnn.setup_fabric_connection(source, node, part.link, program, core)
        return ttnn.KernelDescriptor(
            text_of(part.body, len(part.to), self.a.buffer_address(), self.b.buffer_address(), self.done),
            ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
            self.range(part.core, part.core),
            ttnn.TensorAccessorArgs(self.a).get_compile_time_args(),
            runtime_args=[(core, [*words, *part.words])],
            config=ttnn.ReaderConfigDescriptor() if part.reader else ttnn.WriterConfigDescriptor(),
            **part.options,
        )


@contextmanager
def watched(runs: list[ChipRun], recorded: bool = False) -> Iterator[None]:
    """Inside, runs of ``ttnn.generic_op`` are kept."""
    run_program = ttl.emu.generic.run_program

    def run(*args: Any, **options: Any) -> ChipRun:
        runs.append(run_program(*args, **options, recorded=recorded))
        return runs[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ttl.emu.generic, "run_program", run)
        yield
