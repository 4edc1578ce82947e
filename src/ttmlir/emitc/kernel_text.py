"""The kernels of a ``ttmetal.dispatch`` as files of C++, for a kernel API: that of 2024-11-21, or a generation of ttnn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation

from tt_model.attributes.ttkernel import NocConfigAttr, PlacedCBType, TensixConfigAttr
from tt_model.kernels.kernel_ir import function_name, program_of_region
from tt_model.layouts.enums import NocIndex
from tt_model.layouts.records import CircularBufferRecord, CoreRangeRecord
from tt_model.operations.ttmetal import TTMetalDispatchOp
from ttl.codegen.cpp.kernel import KernelFile, kernel_file
from ttl.dialects.ttkernel import ProgramOp
from ttl.emitc.dialect import operation
from ttl.emitc.printer import print_cpp
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, reports_of
from ttl.ir.reports import Report
from ttl.rows.row import Generation
from ttl.source.spans import Span
from ttmlir.transforms.to_emitc.ttkernel_to_emitc import ConvertTTKernelToEmitC, kernel_function

KernelThread = Literal["compute", "noc0", "noc1", "ethernet"]
# The kernel API whose functions a kernel calls: that of 2024-11-21, or of a generation of ttnn, which the emulated chip
# has, too.
KernelApi = Literal["2024-11", "0.69", "0.81"]


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelSource:
    """One kernel: its C++, and the information that the host needs.

    ``name`` is unique in its dispatch and a name of C++; the function is ``kernel_main``. ``buffers`` are its arguments in order: in
    the text a circular buffer is the number of its port, so a kernel takes no arguments, neither when it is compiled nor when it
    runs. ``lines`` says where lines of the text come from in the program that the module was made of, by number from 1.
    """

    name: str
    text: str
    thread: KernelThread
    config: Attribute
    cores: CoreRangeRecord
    buffers: tuple[CircularBufferRecord, ...]
    lines: Mapping[int, Span]


def kernel_programs(dispatch: TTMetalDispatchOp) -> list[ProgramOp]:
    """Return each region of a ``ttmetal.dispatch`` as a program of one kernel, in the kernel IR of TT-Lang.

    Raises ``NotLegalized`` with every operation that the kernel API has no function for.
    """
    refused: list[tuple[Operation, Refusal]] = []
    programs = [
        program_of_region(
            dispatch,
            block,
            name=name,
            thread="tensix" if isinstance(config, TensixConfigAttr) else "noc",
            grid=cores.size,
            refused=refused,
        )
        for name, (block, cores, config) in zip(_names(dispatch), _kernels(dispatch), strict=True)
    ]
    if refused:
        raise NotLegalized(reports_of(refused))
    return programs


def kernel_sources(dispatch: TTMetalDispatchOp, api: KernelApi = "0.81") -> list[KernelSource]:
    """The C++ of every region of a ``ttmetal.dispatch``, in their order.

    The same dispatch gives the same text. Raises ``NotLegalized`` with every operation that the kernel API has no function for.
    """
    files = _files_of_2024(dispatch) if api == "2024-11" else _files(dispatch, api)
    return [
        KernelSource(
            name=name,
            text=file.text,
            thread=_thread(config),
            config=config,
            cores=cores,
            buffers=tuple(_buffer(argument.type) for argument in block.args),
            lines=file.lines,
        )
        for name, file, (block, cores, config) in zip(
            _names(dispatch), files, _kernels(dispatch), strict=True
        )
    ]


def kernel_files(module: ModuleOp, api: KernelApi = "0.81") -> dict[str, str]:
    """The C++ of all kernels of a module by the names of files: ``forward_0_compute.cpp`` of the first dispatch of ``forward``.

    Raises ``NotLegalized`` with everything that the kernel API has no function for, and for a module without kernels.
    """
    files: dict[str, str] = {}
    reports: list[Report] = []
    count: Counter[str] = Counter()
    for op in module.walk():
        if not isinstance(op, TTMetalDispatchOp):
            continue
        function = function_name(op)
        try:
            for source in kernel_sources(op, api):
                files[f"{function}_{count[function]}_{source.name}.cpp"] = source.text
        except NotLegalized as problem:
            reports += problem.reports
        count[function] += 1
    if not count:
        way_out = "compile it with --ttir-to-ttmetal-backend-pipeline"
        reports.append(Report(message=f"the module has no ttmetal.dispatch: {way_out}"))
    if reports:
        raise NotLegalized(reports)
    return files


def _files(dispatch: TTMetalDispatchOp, generation: Generation) -> list[KernelFile]:
    return [
        kernel_file(program, kernel, generation)
        for program in kernel_programs(dispatch)
        for kernel in program.kernels
    ]


def _files_of_2024(dispatch: TTMetalDispatchOp) -> list[KernelFile]:
    files: list[KernelFile] = []
    reports: list[Report] = []
    for block, _, config in _kernels(dispatch):
        try:
            files.append(KernelFile(text_of_2024(block, config), {}))
        except NotLegalized as problem:
            reports += problem.reports
    if reports:
        raise NotLegalized(reports)
    return files


def _kernels(dispatch: TTMetalDispatchOp) -> list[tuple[Block, CoreRangeRecord, Attribute]]:
    """Return for each region its block, the cores that run it, and its configuration."""
    return [
        (region.block, cores.data, config)
        for region, cores, config in zip(
            dispatch.regions, dispatch.core_ranges, dispatch.kernel_configs, strict=True
        )
    ]


def _thread(config: Attribute) -> KernelThread:
    match config:
        case TensixConfigAttr():
            return "compute"
        case NocConfigAttr():
            return "noc1" if config.data is NocIndex.Noc1 else "noc0"
    return "ethernet"


def _buffer(type_: Attribute) -> CircularBufferRecord:
    assert isinstance(type_, PlacedCBType)
    return type_.data


def _names(dispatch: TTMetalDispatchOp) -> Sequence[str]:
    """Return the names of kernels: ``compute``, ``noc0``; of several of a kind, with the first core: ``noc0_1_0``."""
    plain = [(_thread(config), cores) for _, cores, config in _kernels(dispatch)]
    threads = [thread for thread, _ in plain]
    return [
        thread if threads.count(thread) == 1 else f"{thread}_{'_'.join(map(str, cores.offset))}"
        for thread, cores in plain
    ]


_COMPUTE = "compute_kernel_api/"
_COMPUTE_HEADERS = (
    "common.h",
    "tilize.h",
    "untilize.h",
    "eltwise_binary.h",
    "tile_move_copy.h",
    "eltwise_unary/eltwise_unary.h",
    "eltwise_unary/exp.h",
    "eltwise_unary/sfpu_split_includes.h",
    "eltwise_unary/recip.h",
)
_MACROS = ("#define REDUCE_OP PoolType::SUM", "#define REDUCE_DIM ReduceDim::REDUCE_COL")


def emitc_module(block: Block, config: Attribute) -> ModuleOp:
    """The module of ``emitc`` of a kernel. Raises ``NotLegalized``."""
    function = kernel_function(block, "kernel_main")
    converted = ModuleOp([function])
    ConvertTTKernelToEmitC().apply(Context(), converted)
    body = converted.body.block
    body.insert_ops_before(list(_before(config)), function)
    body.add_ops(_after(config))
    return converted


def text_of_2024(block: Block, config: Attribute) -> str:
    """The file of a kernel. Raises ``NotLegalized``."""
    return print_cpp(emitc_module(block, config))


def _before(config: Attribute) -> Iterator[Operation]:
    yield operation("include", include=StringAttr("cstdint"), is_standard_include=UnitAttr())
    match config:
        case NocConfigAttr():
            yield _include("dataflow_api.h")
        case TensixConfigAttr():
            yield _include("llk_defs.h")
            yield from (_include(f"{_COMPUTE}{name}") for name in _COMPUTE_HEADERS)
            yield from map(_verbatim, _MACROS)
            yield _include(f"{_COMPUTE}reduce.h")
            yield _verbatim("namespace NAMESPACE {")


def _after(config: Attribute) -> Iterator[Operation]:
    if isinstance(config, TensixConfigAttr):
        yield _verbatim("void MAIN { kernel_main(); }")
        yield _verbatim("} // namespace NAMESPACE")


def _include(name: str) -> Operation:
    return operation("include", include=StringAttr(name))


def _verbatim(text: str) -> Operation:
    return operation("verbatim", value=StringAttr(text))
