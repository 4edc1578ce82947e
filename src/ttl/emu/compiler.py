"""From the source of a kernel to a shared object, kept in the cache folder by everything it was made from."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cache

from ttl.arch import Chip, chip_named
from ttl.diag import Diagnostic, ProgramError, error
from ttl.emu import headers, kernel_cache
from ttl.emu.numbers import apart
from ttl.emu.precompiled import forget, header_for
from ttl.emu.program import FORMATS, OURS, ChipKernel, CircularBuffer, Program
from ttl.native import cores
from ttl.rows.row import Generation
from ttl.source.spans import user_span

NOT_COMPILED = "TTL1501"
"""The code of a kernel that does not compile."""
COMPILERS = ("g++", "c++", "clang++")
_FLAGS = (
    "-std=c++20", "-O1", "-fPIC", "-shared", "-nostdlib", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
    "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fpermissive", "-w",
)  # fmt: skip

# The header with the definitions of one kernel, and the option that leaves it out of the others, which are precompiled.
_GIVEN, _GIVEN_LATER = "ttl_emu/given.h", "-DTTL_EMU_GIVEN_LATER"

# The errors of a compiler that cannot write.
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)

# ``_POINTERS``: code with which a kernel accesses memory itself, and not by a function of the kernel API.
_FLOATS = re.compile(r"\b(?:float|double)\b")
_AFTER_HEADERS = re.compile(r"(\A(?:.*\n)*#include .*\n)\n")
_SOFT_FLOAT = r'\1#include "ttl_emu/soft_float.h"\n'
_POINTERS = re.compile(r"\w\s*\*\s*>|\*\s*\)|get_unsafe_ptr|CoreLocalMem|tt_l1_ptr|#include \"/")


_NOT_FOUND = re.compile(r"fatal error: '?([\w./]+?)'?(?:: No such file| file not found)")
_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class CompiledKernel:
    """A compiled kernel: its shared object, and the numbers that it asks the runtime for."""

    path: str
    numbers: tuple[int, ...]


def compile_program(program: Program, chip: str) -> list[CompiledKernel]:
    """Every kernel compiled. Raises ``ProgramError`` TTL1501 where one does not compile."""
    jobs = [_Job(kernel, program, chip) for kernel in program.kernels]
    missing = {job.name: job for job in jobs if not job.is_done()}
    if missing:
        # In the session of this thread, which says where kernels are kept.
        work = [(copy_context(), job) for job in missing.values()]
        with ThreadPoolExecutor(min(len(missing), cores())) as pool:
            complaints = pool.map(lambda item: item[0].run(item[1].run), work)
            problems = [problem for problem in complaints if problem is not None]
        if problems:
            raise ProgramError(problems[0], *problems[1:])
        kernel_cache.stored(os.path.dirname(jobs[0].result().path), len(missing))
    return [job.result() for job in jobs]


def _where_headers_are(complaint: Sequence[str], generation: Generation) -> tuple[str, ...]:
    """Notes on headers that were not found: the paths that headers of the same name have in this generation."""
    missing = {name for line in complaint for name in _NOT_FOUND.findall(line)}
    known = sorted(headers.paths(generation))
    return tuple(
        f'TT-Metalium {generation} has it as "{path}"'
        for name in sorted(missing)
        for path in known
        if path.rpartition("/")[2] == name.rpartition("/")[2] and path != name
    )


def _limits(chip: Chip) -> list[str]:
    """Numbers of the chip that kernels may ask for."""
    return [
        f"-DTTL_EMU_BUFFERS={chip.dataflow_buffers}",
        f"-DTTL_EMU_PACKET_BYTES={chip.noc.max_packet_bytes}",
        f"-DTTL_EMU_L1_ALIGNMENT={chip.l1_alignment}",
        f"-DTTL_EMU_DRAM_ALIGNMENT={chip.dram_read_alignment}",
    ]


def arguments(
    kernel: ChipKernel, buffers: Sequence[CircularBuffer], program: Program, chip: str
) -> list[str]:
    """The arguments of the compiler for a kernel, besides its source."""
    return [*_of_its_kind(kernel, program, chip), *_of_its_own(kernel, buffers)]


def _of_its_kind(kernel: ChipKernel, program: Program, chip: str) -> list[str]:
    """Return the compiler's arguments that headers depend on, which many kernels share."""
    version = program.generation.replace("0.", "")
    words = [
        f"-DTTL_EMU_API_VERSION={version}", f"-DARCH_{chip.upper()}", *_limits(chip_named(chip)), "-DKERNEL_BUILD", "-DTENSIX_FIRMWARE",
    ]  # fmt: skip
    if kernel.processor == "compute":
        words.append("-DTTL_EMU_COMPUTE")
    words += [f"-D{name}={value}" if value else f"-D{name}" for name, value in kernel.defines.items()]
    words += [f"-I{headers.INCLUDE}", f"-I{headers.tree(program.generation)}"]
    words += [f"-I{folder}" for folder in kernel.include]
    if kernel.include or _POINTERS.search(kernel.source):
        # Each load and store of its own is a call of the runtime, which checks it.
        words += ["-fsanitize=thread", "-g1"]
    return words


def _of_its_own(kernel: ChipKernel, buffers: Sequence[CircularBuffer]) -> list[str]:
    """Return the compiler's arguments that only ``ttl_emu/given.h`` and the kernel itself depend on."""
    formats = ["255"] * 64
    for buffer in buffers:
        if set(buffer.cores) & set(kernel.cores):
            formats[buffer.index] = str(FORMATS[buffer.dtype])
    words = [f"-DTTL_EMU_FORMATS={','.join(formats)}"]
    if kernel.compile_time_args:
        words.append(
            f"-DKERNEL_COMPILE_TIME_ARGS={','.join(f'{word}u' for word in kernel.compile_time_args)}"
        )
    if kernel.named_args:
        pairs = ",".join(f'{{"{name}",{value}u}}' for name, value in kernel.named_args.items())
        words.append(f"-DKERNEL_COMPILE_TIME_ARG_MAP={pairs}")
    if kernel.processor == "compute":
        return [
            *words, "-DCOMPILE_FOR_TRISC=1", f"-DDST_ACCUM_MODE={int(kernel.fp32_dst)}",
            f"-DENABLE_FP32_DEST_ACC={int(kernel.fp32_dst)}",
            f"-DAPPROX={int(kernel.approximate)}", f"-DMATH_FIDELITY=ckernel::MathFidelity::{kernel.fidelity}",
            f"-DDST_SYNC_MODE=ckernel::DstSync::Sync{'Full' if kernel.full_sync else 'Half'}",
        ]  # fmt: skip
    return [*words, f"-DNOC_INDEX={kernel.noc}", f"-DCOMPILE_FOR_{kernel.processor.upper()}"]


def _headers(kernel: ChipKernel) -> list[str]:
    """Return the headers to include before a kernel's source.

    Kernels rely on the headers of the hardware to include much of the standard library.
    """
    return [*(["algorithm"] if "std::" in kernel.source else []), "ttl_emu/kernel.h"]


def _included(headers_: Sequence[str]) -> list[str]:
    return [word for header in headers_ for word in ("-include", header)]


def _with_counted_floats(kernel: ChipKernel) -> ChipKernel:
    """Return a data movement kernel in which arithmetic on floats takes the cycles of the functions that compute it.

    One more header is included for this, in the empty line after its own.
    """
    if not kernel.generated or kernel.processor == "compute" or not _FLOATS.search(kernel.source):
        return kernel
    return replace(kernel, source=_AFTER_HEADERS.sub(_SOFT_FLOAT, kernel.source, count=1))


def _files_of_the_user(kernel: ChipKernel) -> list[str]:
    """Paths and texts of the user's files that a kernel includes.

    They are included by an absolute path, from an include folder of the kernel, or from the folder of the including
    file.
    """
    texts: dict[str, str] = {}
    waiting = [("", kernel.source)]
    while waiting:
        folder, text = waiting.pop()
        for name in _INCLUDES.findall(text):
            path = next(
                (
                    path
                    for base in (folder, *map(str, kernel.include))
                    if os.path.isabs(path := os.path.join(base, name)) and os.path.isfile(path)
                ),
                None,
            )
            if path is not None and path not in texts:
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts[path] = file.read()
                waiting.append((os.path.dirname(path), texts[path]))
    return [word for path in sorted(texts) for word in (path, texts[path])]


class _Job:
    """One kernel to be compiled, with its numbers separated from its statements."""

    def __init__(self, kernel: ChipKernel, program: Program, chip: str) -> None:
        self.generation = program.generation
        self.kernel = kernel = _with_counted_floats(kernel)
        self.span = user_span()
        self.kind = _of_its_kind(kernel, program, chip)
        self.arguments = [*self.kind, *_of_its_own(kernel, program.circular_buffers)]
        self.headers = _headers(kernel)
        self.identity = _identity() + headers.fingerprint()
        self.files = _files_of_the_user(kernel)
        self.text, self.numbers = apart(kernel.source) if kernel.generated else (kernel.source, ())
        self.name = self._name(self.text)
        # If the compiler needs a number, the kernel is compiled with its numbers in place.
        self.as_it_is = self._name(kernel.source) if self.numbers else self.name

    def _name(self, text: str) -> str:
        told = "\0".join(
            (
                *_command(),
                *_FLAGS,
                self.identity,
                *self.arguments,
                *self.headers,
                self.kernel.bindings,
                text,
                *self.files,
            )
        )
        return f"{hashlib.sha256(told.encode()).hexdigest()[:32]}.so"

    def is_done(self) -> bool:
        """Whether there is a shared object, with separated numbers or without."""
        return bool(_kept(self.name) or _kept(self.as_it_is))

    def result(self) -> CompiledKernel:
        """Return the compiled kernel after the job has run."""
        path = _kept(self.name)
        if path:
            return CompiledKernel(path=path, numbers=self.numbers)
        return CompiledKernel(
            path=_kept(self.as_it_is) or _path(kernel_cache.bases()[0], self.as_it_is), numbers=()
        )

    def run(self) -> Diagnostic | None:
        """Compile the kernel. Return a report with the compiler's complaint, if it has one."""
        complaint = kernel_cache.written(lambda base: self._compiled(base, self.text, self.name))
        if complaint is not None and self.as_it_is != self.name:
            complaint = kernel_cache.written(
                lambda base: self._compiled(base, self.kernel.source, self.as_it_is)
            )
        if complaint is None:
            return None
        return error(
            NOT_COMPILED,
            f"kernel {self.kernel.name} does not compile for the emulated chip",
            notes=(*complaint, *((OURS,) if self._is_ours else ())),
            help=_where_headers_are(complaint, self.generation),
        ).at(self.span)

    @property
    def _is_ours(self) -> bool:
        """Whether no line of the kernel is the user's."""
        return self.kernel.generated and not self.kernel.include and not self.files

    def _compiled(self, base: str, source: str, name: str) -> tuple[str, ...] | None:
        """Compile a text; return the compiler's complaints, or None. Raises ``OSError`` if it cannot be written."""
        target = _path(base, name)
        folder = os.path.dirname(target)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=folder, suffix=".tmp")
        os.close(handle)
        try:
            return self._compiled_to(unfinished, source, target, os.path.join(base, "precompiled"))
        finally:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)

    def _compiled_to(
        self, unfinished: str, source: str, target: str, precompiled: str
    ) -> tuple[str, ...] | None:
        kind = [*_FLAGS, *self.kind, _GIVEN_LATER]
        header = header_for(_command(), kind, self.headers, self.identity, precompiled)
        text = f'{self.kernel.bindings}\n#line 1 "{self.kernel.file_name}"\n{source}'

        def compiled(first: Sequence[str]) -> subprocess.CompletedProcess[str]:
            command = [*_command(), *_FLAGS, *self.arguments, *first, "-x", "c++", "-o", unfinished, "-"]
            return subprocess.run(command, input=text, capture_output=True, text=True, check=False)

        plainly = _included(self.headers)
        done = compiled(plainly if header is None else [_GIVEN_LATER, *_included([header, _GIVEN])])
        if done.returncode and header is not None:
            # Another process has removed the header to make room, or it is damaged.
            done = compiled(plainly)
            if not done.returncode:
                forget(header)
        if done.returncode:
            for number in _OF_THE_DISK:
                if os.strerror(number) in done.stderr:
                    raise OSError(number, os.strerror(number))
            lines = done.stderr.strip().splitlines()
            return tuple([line for line in lines if "error" in line][:5] or lines[:5])
        kernel_cache.seal(unfinished)
        os.replace(unfinished, target)
        return None


def _path(base: str, name: str) -> str:
    return os.path.join(base, "kernels", name)


def _kept(name: str) -> str | None:
    """Return the path at which a kernel is cached."""
    return next(
        (path for base in kernel_cache.bases() if kernel_cache.is_kept(path := _path(base, name))), None
    )


def _command() -> tuple[str, ...]:
    """The compiler. Raises ``ProgramError`` TTL1502 if there is no compiler."""
    for name in COMPILERS:
        path = shutil.which(name)
        if path is not None:
            # Its messages go into reports, which are the same everywhere.
            return ("env", "LC_ALL=C", path)
    raise ProgramError(
        error(
            "TTL1502",
            "the emulator compiles kernels, but there is no C++ compiler",
            notes=(f"looked for {', '.join(COMPILERS)}",),
            help="install g++ 12 or newer, or clang 15 or newer",
        ).at(user_span())
    )


@cache
def _identity() -> str:
    return subprocess.run([*_command(), "--version"], capture_output=True, text=True, check=False).stdout


def shown(kernel: ChipKernel, program: Program, chip: str) -> str:
    """The command that compiles a kernel, for people."""
    words = [*_FLAGS, *arguments(kernel, program.circular_buffers, program, chip)]
    return shlex.join([*_command(), *words, *_included(_headers(kernel)), "-x", "c++"])
