"""From the source of a kernel to a shared object, kept in the cache folder by everything it was made from."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from ttl.arch import Chip, chip_named
from ttl.diag import Diagnostic, ProgramError, error
from ttl.emu import headers, kernel_cache
from ttl.emu.numbers import apart
from ttl.emu.precompiled import header_for
from ttl.emu.program import FORMATS, CircularBuffer, Kernel, Program
from ttl.native import cores
from ttl.settings import cache_folder
from ttl.source.spans import user_span

COMPILERS = ("g++", "c++", "clang++")
_FLAGS = (
    "-std=c++20", "-O1", "-fPIC", "-shared", "-nostdlib", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
    "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fpermissive", "-w",
)  # fmt: skip

# Where a kernel uses memory itself, and not by a function of the kernel API.
_POINTERS = re.compile(r"\w\s*\*\s*>|\*\s*\)|get_unsafe_ptr|CoreLocalMem|tt_l1_ptr")


@dataclass(frozen=True, kw_only=True, slots=True)
class CompiledKernel:
    """A compiled kernel: its shared object, and the numbers that it asks the runtime for."""

    path: str
    numbers: tuple[int, ...]


def compile_program(program: Program, chip: str) -> list[CompiledKernel]:
    """Every kernel compiled. Raises ``ProgramError`` TTL1501 where one does not compile."""
    jobs = [_Job(kernel, program, chip) for kernel in program.kernels]
    missing = {job.target: job for job in jobs if not job.is_done()}
    if missing:
        with ThreadPoolExecutor(min(len(missing), cores())) as pool:
            problems = [problem for problem in pool.map(_Job.run, missing.values()) if problem is not None]
        if problems:
            raise ProgramError(problems[0], *problems[1:])
        kernel_cache.stored(os.path.dirname(jobs[0].target), len(missing))
    return [job.result() for job in jobs]


def _limits(chip: Chip) -> list[str]:
    """Numbers of the chip that kernels may ask for."""
    return [
        f"-DTTL_EMU_BUFFERS={chip.dataflow_buffers}",
        f"-DTTL_EMU_PACKET_BYTES={chip.noc.max_packet_bytes}",
        f"-DTTL_EMU_L1_ALIGNMENT={chip.l1_alignment}",
        f"-DTTL_EMU_DRAM_ALIGNMENT={chip.dram_read_alignment}",
    ]


def arguments(kernel: Kernel, buffers: Sequence[CircularBuffer], program: Program, chip: str) -> list[str]:
    """What the compiler is told about a kernel, besides its source."""
    formats = ["255"] * 64
    for buffer in buffers:
        if set(buffer.cores) & set(kernel.cores):
            formats[buffer.index] = str(FORMATS[buffer.dtype])
    version = program.generation.replace("0.", "")
    words = [
        f"-DTTL_EMU_API_VERSION={version}", f"-DARCH_{chip.upper()}", *_limits(chip_named(chip)), f"-DTTL_EMU_FORMATS={','.join(formats)}",
        "-DKERNEL_BUILD", "-DTENSIX_FIRMWARE",
    ]  # fmt: skip
    if kernel.compile_time_args:
        words.append(
            f"-DKERNEL_COMPILE_TIME_ARGS={','.join(f'{word}u' for word in kernel.compile_time_args)}"
        )
    if kernel.named_args:
        pairs = ",".join(f'{{"{name}",{value}u}}' for name, value in kernel.named_args.items())
        words.append(f"-DKERNEL_COMPILE_TIME_ARG_MAP={pairs}")
    if kernel.processor == "compute":
        words += [
            "-DTTL_EMU_COMPUTE", "-DCOMPILE_FOR_TRISC=1", f"-DDST_ACCUM_MODE={int(kernel.fp32_dst)}",
            f"-DENABLE_FP32_DEST_ACC={int(kernel.fp32_dst)}",
            f"-DAPPROX={int(kernel.approximate)}", f"-DMATH_FIDELITY=ckernel::MathFidelity::{kernel.fidelity}",
            f"-DDST_SYNC_MODE=ckernel::DstSync::Sync{'Full' if kernel.full_sync else 'Half'}",
        ]  # fmt: skip
    else:
        words += [f"-DNOC_INDEX={kernel.noc}", f"-DCOMPILE_FOR_{kernel.processor.upper()}"]
    words += [f"-D{name}={value}" if value else f"-D{name}" for name, value in kernel.defines.items()]
    words += [f"-I{headers.INCLUDE}", f"-I{headers.tree(program.generation)}"]
    words += [f"-I{folder}" for folder in kernel.include]
    if kernel.include or _POINTERS.search(kernel.source):
        # Each load and store of its own is a call of the runtime, which checks it.
        words += ["-fsanitize=thread", "-g1"]
    return words


def _headers(kernel: Kernel) -> list[str]:
    """What is included before its source. Headers of the hardware include much of the standard library, and kernels rely on it."""
    return [*(["algorithm"] if "std::" in kernel.source else []), "ttl_emu/kernel.h"]


def _included(headers_: Sequence[str]) -> list[str]:
    return [word for header in headers_ for word in ("-include", header)]


class _Job:
    """One kernel to be compiled: its statements, and the numbers in them apart."""

    def __init__(self, kernel: Kernel, program: Program, chip: str) -> None:
        self.kernel = kernel
        self.span = user_span()
        self.arguments = arguments(kernel, program.circular_buffers, program, chip)
        self.headers = _headers(kernel)
        self.identity = _identity() + headers.fingerprint()
        self.base = os.path.join(cache_folder() or _temporary(), "emu")
        self.text, self.numbers = apart(kernel.source) if kernel.generated else (kernel.source, ())
        self.target = self._target(self.text)
        # Where the compiler turns out to need a number, the kernel is compiled as it is.
        self.as_it_is = self._target(kernel.source) if self.numbers else self.target

    def _target(self, text: str) -> str:
        told = "\0".join(
            (*_command(), self.identity, *self.arguments, *self.headers, self.kernel.bindings, text)
        )
        name = hashlib.sha256(told.encode()).hexdigest()[:32]
        return os.path.join(self.base, "kernels", f"{name}.so")

    def is_done(self) -> bool:
        """Whether there is a shared object, one way or the other."""
        return kernel_cache.is_kept(self.target) or kernel_cache.is_kept(self.as_it_is)

    def result(self) -> CompiledKernel:
        """What became of it."""
        if os.path.exists(self.target):
            return CompiledKernel(path=self.target, numbers=self.numbers)
        return CompiledKernel(path=self.as_it_is, numbers=())

    def run(self) -> Diagnostic | None:
        """The compiler's complaint, as a report."""
        complaint = self._compiled(self.text, self.target)
        if complaint is not None and self.as_it_is != self.target:
            complaint = self._compiled(self.kernel.source, self.as_it_is)
        if complaint is None:
            return None
        return error(
            "TTL1501",
            f"kernel {self.kernel.name} does not compile for the emulated chip",
            notes=complaint,
        ).at(self.span)

    def _compiled(self, source: str, target: str) -> tuple[str, ...] | None:
        """Compile a text; what the compiler says against it."""
        folder = os.path.dirname(target)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=folder, suffix=".tmp")
        os.close(handle)
        words = [*_FLAGS, *self.arguments]
        header = header_for(
            _command(), words, self.headers, self.identity, os.path.join(self.base, "precompiled")
        )
        text = f'{self.kernel.bindings}\n#line 1 "{self.kernel.file_name}"\n{source}'

        def compiled(headers_: Sequence[str]) -> subprocess.CompletedProcess[str]:
            command = [*_command(), *words, *_included(headers_), "-x", "c++", "-o", unfinished, "-"]
            return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

        done = compiled(self.headers if header is None else [header])
        if done.returncode and header is not None and not os.path.exists(header):
            done = compiled(self.headers)  # another process has made room
        if done.returncode:
            os.unlink(unfinished)
            lines = done.stderr.strip().splitlines()
            return tuple([line for line in lines if "error" in line][:5] or lines[:5])
        os.replace(unfinished, target)
        return None


def _command() -> tuple[str, ...]:
    """The compiler. Raises ``ProgramError`` TTL1502 when there is none."""
    for name in COMPILERS:
        path = shutil.which(name)
        if path is not None:
            # What it says goes into reports, which are the same everywhere.
            return ("env", "LC_ALL=C", path)
    raise ProgramError(
        error(
            "TTL1502",
            "the emulator compiles kernels, and there is no C++ compiler",
            notes=(f"looked for {', '.join(COMPILERS)}",),
            help="install g++ 12 or newer, or clang 15 or newer",
        ).at(user_span())
    )


@cache
def _identity() -> str:
    return subprocess.run([*_command(), "--version"], capture_output=True, text=True, check=False).stdout


@cache
def _temporary() -> str:
    folder = tempfile.mkdtemp(prefix="ttl-emu-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def shown(kernel: Kernel, program: Program, chip: str) -> str:
    """The command that compiles a kernel, for people."""
    words = [*_FLAGS, *arguments(kernel, program.circular_buffers, program, chip)]
    return shlex.join([*_command(), *words, *_included(_headers(kernel)), "-x", "c++"])
