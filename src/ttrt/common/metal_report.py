"""``ttrt run --report``: runs of commands with kernels on the emulated chip, in the format of ``ttl run --report``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tt_model.runtime.metal.executor import DispatchCycles
from tt_model.runtime.metal.kernel_sources import GENERATION
from ttl.arch import Chip
from ttl.codegen.description import (
    CircularBufferDescription,
    ComputeConfig,
    KernelDescription,
    ProgramDescription,
)
from ttl.emu.program import ChipKernel
from ttl.emu.recorder import RecordedLaunch
from ttl.report.assembly import require_page
from ttl.report.collector import ReportCollector
from ttl.report.emulated import launch_report
from ttl.report.text import is_data, write
from ttl.source.spans import Span
from ttrt.common.problems import unwritable

_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')


class MetalReportFile:
    """A report that is written when a file has run. Raises ``ProgramError`` TTL0140 at once where pages cannot be made."""

    def __init__(self, path: str, title: str) -> None:
        if not is_data(path):
            require_page()
        self._path = path
        self._collector = ReportCollector(title=title, command=f"ttrt run --report {path} {title}")

    def add(self, program: str, dispatches: Sequence[DispatchCycles], chip: Chip) -> None:
        """Add the commands of a recorded run."""
        for one in dispatches:
            launch = RecordedLaunch(run=one.run, description=described(program, one, chip), chip=chip)
            self._collector.add(launch_report(launch, self._collector.count + 1))

    def write(self) -> None:
        """Write the file, completely or not at all. Raises ``ProgramError``."""
        try:
            write(self._path, self._collector.to_object())
        except OSError as problem:
            raise unwritable(self._path, problem.strerror) from None


def described(program: str, dispatch: DispatchCycles, chip: Chip) -> ProgramDescription:
    """Describe a command as an operation of TT-Lang: its kernels with their texts from the file."""
    command = dispatch.command
    span = _span(command.at.location)
    rows = 1 + max(y for kernel in command.kernels for y, _ in kernel.cores)
    columns = 1 + max(x for kernel in command.kernels for _, x in kernel.cores)
    emulated = dispatch.run.program
    return ProgramDescription(
        name=f"{program}, command {command.at.index}",
        generation=GENERATION,
        chip=chip.name,
        grid=(columns, rows),
        tensors=(),
        kernels=tuple(
            _kernel(one, held.source, span)
            for one, held in zip(emulated.kernels, command.kernels, strict=True)
        ),
        circular_buffers=tuple(
            CircularBufferDescription(
                name=name, index=index, pages=pages, page_bytes=page, dtype=dtype, made_by="compiler"
            )
            for name, index, pages, page, dtype in dict.fromkeys(
                (one.name, one.index, one.pages, one.page_bytes, one.dtype)
                for one in emulated.circular_buffers
            )
        ),
        semaphores=(),
    )


def _kernel(kernel: ChipKernel, source: str, span: Span | None) -> KernelDescription:
    """Describe a kernel; ``span`` is the operation of the model for which the whole kernel runs."""
    config: Any = None
    if kernel.processor == "compute":
        config = ComputeConfig(
            math_fidelity=kernel.fidelity,
            fp32_dest_acc_en=kernel.fp32_dst,
            dst_full_sync_en=kernel.full_sync,
            math_approx_mode=kernel.approximate,
        )
    return KernelDescription(
        name=kernel.name,
        file=kernel.file_name,
        source=source,
        thread="noc" if config is None else "tensix",
        processor=None if kernel.processor == "compute" else kernel.processor,
        noc=kernel.noc if config is None else None,
        config=config,
        lines={} if span is None else dict.fromkeys(range(1, 2 + source.count("\n")), span),
    )


def _span(location: str) -> Span | None:
    """The span of a location; None if it has no place, or its file is not on this machine."""
    place = _PLACE.search(location)
    if place is None or not Path(place[1]).is_file():
        return None
    line, column = int(place[2]), int(place[3])
    return Span(file=str(Path(place[1])), line=line, column=column, end_line=line, end_column=column + 1)
