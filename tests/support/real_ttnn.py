"""The real ttnn, out of its published wheels, with a mock device: it judges descriptors, addresses and arguments.

An environment of its own for each generation of the kernel API, with CPython 3.12, which the wheels are for; made once
and kept in the user's cache folder. Programs run in it as processes. A mock device allocates, and accepts programs; it
runs none of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.kernel_headers import ROOT, WHEELS, cache_folder, locked

PYTHON = (3, 12)
# What the modules that we use of ttnn import, and what ours import.
_LIBRARIES = ("numpy<2", "loguru", "graphviz", "networkx", "pyyaml", "click", "xdsl==0.74.0", "greenlet")
_MARK = "@@answer@@"

# One card with one chip, none of its columns and one of its rows harvested; a board's number says what kind it is.
_CARD = """\
arch: {{0: {arch}}}
chips: {{0: [0,0,0,0]}}
ethernet_connections: []
chips_with_mmio: [0: 0]
harvesting: {{0: {{noc_translation: true, {harvested}}}}}
boards:
  -
    - board_id: {number}
    - board_type: {kind}
    - chips: [0]
"""
_CARDS: Mapping[str, str] = {
    "wormhole": _CARD.format(arch="Wormhole", harvested="harvest_mask: 32", number=72059269369839682, kind="n150"),
    "blackhole": _CARD.format(
        arch="Blackhole", number=72061992375951426, kind="p150",
        harvested="harvest_mask: 0, dram_harvesting_mask: 0, eth_harvesting_mask: 288, pcie_harvesting_mask: 2, l2cpu_harvesting_mask: 0",
    ),
}  # fmt: skip
# ttnn 0.81 builds firmware and kernels, even for a mock device, with a compiler that is no part of the wheel. This stands
# in for it: firmware it links is a copy of what the wheel brings, a kernel is always the same one, and nothing runs them.
_COMPILER = """\
#!/bin/sh
here=$(dirname "$0")
firmware=$here/../../../../tt_metal/pre-compiled
case "$*" in --version) echo "riscv-tt-elf-g++ (none) 15.1.0"; exit;; esac
previous=
for argument in "$@"; do
    case $previous$argument in
        -o*/kernels/*.elf) cp "$here/kernel.elf" "$argument" ;;
        -o*.elf)
            name=$(basename "$argument" | cut -d. -f1)
            set -- "$firmware"/*/"$name/$name.elf" "$firmware"/*/brisc/brisc.elf
            while [ ! -e "$1" ]; do shift; done
            cp "$1" "$argument" ;;
        -o*) : > "$argument"; object=$argument ;;
        -MF*) echo "$object: $source" > "$argument" ;;
        *.cc | *.cpp) source=$argument ;;
    esac
    previous=$argument
done
"""


class Missing(Exception):
    """There is no such environment and none can be made; the text says what is missing."""


def run(
    generation: str, program: str, *arguments: str, files: Path | None = None, chip: str = "wormhole"
) -> Any:
    """What ``program`` answers in the environment of a generation: the last object given to its ``answer(...)``.

    ``program`` is Python; it starts with ``ttnn`` imported, ``device`` open and ``answer`` defined. ``files`` is the
    folder it runs in. Skips the test where there is no CPython 3.12; fails it with what the program said otherwise.
    """
    try:
        python = environment(generation)
    except Missing as problem:
        pytest.skip(str(problem))
    start = (
        f"import json, ttnn\n\ndef answer(value):\n    print({_MARK!r}, json.dumps(value), flush=True)\n\n"
    )
    text = f"{start}device = ttnn.open_device(device_id=0)\n{program}\nttnn.close_device(device)\n"
    done = subprocess.run(
        [str(python), "-c", text, *arguments],
        cwd=files or python.parent,
        env=_variables(python, chip),
        capture_output=True,
        text=True,
        timeout=120,
    )
    answers = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
    assert done.returncode == 0 and answers, _brief(done.stdout + done.stderr)
    return json.loads(answers[-1].removeprefix(_MARK))


@cache
def environment(generation: str) -> Path:
    """The interpreter of the environment, made when it is not there yet. Raises ``Missing``."""
    wheel = WHEELS[generation]
    content = "\n".join((wheel.requirement, *_LIBRARIES, *_CARDS.values(), _COMPILER, kernel_elf().hex()))
    folder = (
        cache_folder().with_name("ttnn")
        / f"{wheel.version}-{hashlib.sha256(content.encode()).hexdigest()[:12]}"
    )
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        base = interpreter()
        with locked(folder.with_name(f"{folder.name}.lock")):
            if not complete.exists():
                _make(base, folder, wheel.requirement)
                complete.touch()
    return python


def interpreter() -> str:
    """A CPython 3.12 of this machine. Raises ``Missing``."""
    for candidate in _candidates():
        asked = subprocess.run(
            [candidate, "-c", f"import sys; sys.exit(sys.version_info[:2] != {PYTHON})"], capture_output=True
        )
        if asked.returncode == 0:
            return candidate
    raise Missing("no CPython 3.12 on this machine, which the wheels of ttnn are for")


def _candidates() -> Iterator[str]:
    name = f"python{PYTHON[0]}.{PYTHON[1]}"
    if sys.version_info[:2] == PYTHON:
        yield sys.executable
    if found := shutil.which(name):
        yield found
    roots = (os.environ.get("PYENV_ROOT"), str(Path.home() / ".pyenv"))
    for root in filter(None, roots):
        yield from map(str, sorted(Path(root).glob(f"versions/{PYTHON[0]}.{PYTHON[1]}*/bin/{name}")))


def _make(base: str, folder: Path, requirement: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _do([base, "-m", "venv", str(folder)])
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    pip += ["--only-binary", ":all:"]
    wanted = folder / "ttnn.txt"
    wanted.write_text(requirement + "\n", encoding="utf-8")
    _do([*pip, "--no-deps", "--require-hashes", "--requirement", str(wanted)])
    _do([*pip, *_LIBRARIES])
    for chip, card in _CARDS.items():
        (folder / f"{chip}.yaml").write_text(card, encoding="utf-8")
    (package,) = folder.glob("lib/python*/site-packages/ttnn")
    compiler = package / "runtime" / "sfpi" / "compiler" / "bin" / "riscv-tt-elf-g++"
    compiler.parent.mkdir(parents=True)
    compiler.write_text(_COMPILER, encoding="utf-8")
    compiler.chmod(0o755)
    (compiler.parent / "kernel.elf").write_bytes(kernel_elf())


def _do(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = "\n".join(done.stderr.strip().splitlines()[-10:])
        raise Missing(
            f"the environment of the real ttnn cannot be made: {' '.join(command[:4])} said\n{said}"
        )


def _variables(python: Path, chip: str) -> dict[str, str]:
    folder = python.parent.parent
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        # Our modules are compiled once, and nothing of it is written beside them.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(folder / "pycache"),
        "TT_METAL_MOCK_CLUSTER_DESC_PATH": str(folder / f"{chip}.yaml"),
        "TT_METAL_SLOW_DISPATCH_MODE": "1",
        "TT_METAL_LOGGER_LEVEL": "FATAL",
        "TT_METAL_CACHE": str(folder / "cache"),
    }


def _brief(said: str) -> str:
    """Without the frames of C++."""
    return "\n".join(line[:400] for line in said.splitlines() if not line.startswith(" --- "))[-4000:]


_START = 0x5000
_RETURN = struct.pack("<I", 0x00008067)
_NAMES = b"\0.text\0.rela.text\0.symtab\0.strtab\0.shstrtab\0"
_HEADER, _SEGMENT, _SECTION = 52, 32, 40
_PROGBITS, _SYMTAB, _STRTAB, _RELA = 1, 2, 3, 4
_EXECUTABLE, _RISCV, _RELAX = 2, 243, 51


def kernel_elf() -> bytes:
    """The smallest kernel that the host library takes for a compiled one: an ELF file for RISC-V with one instruction.

    It wants one segment of code, and at least one relocation in it, since it moves kernels to where there is room.
    """
    symbols = bytes(16) + struct.pack("<IIIBBH", 1, _START, len(_RETURN), 0x12, 0, 1)
    relocation = struct.pack("<III", _START, (1 << 8) | _RELAX, 0)
    contents = (_RETURN, relocation, symbols, b"\0_start\0", _NAMES)
    body, places = _laid_out(contents, _HEADER + _SEGMENT)
    sections = b"".join(
        (
            bytes(_SECTION),
            _section(".text", _PROGBITS, 6, _START, places[0], 0, 0, 0),
            _section(".rela.text", _RELA, 0x40, 0, places[1], 3, 1, 12),
            _section(".symtab", _SYMTAB, 0, 0, places[2], 4, 1, 16),
            _section(".strtab", _STRTAB, 0, 0, places[3], 0, 0, 0),
            _section(".shstrtab", _STRTAB, 0, 0, places[4], 0, 0, 0),
        )
    )
    offset, size = places[0]
    segment = struct.pack("<8I", 1, offset, _START, _START, size, size, 5, 4)
    header = b"\x7fELF\x01\x01\x01" + bytes(9)
    header += struct.pack("<HHIIII", _EXECUTABLE, _RISCV, 1, _START, _HEADER, _HEADER + _SEGMENT + len(body))
    header += struct.pack("<IHHHHHH", 0, _HEADER, _SEGMENT, 1, _SECTION, 6, 5)
    return header + segment + body + sections


def _laid_out(contents: tuple[bytes, ...], start: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Contents one after the other at multiples of four, and where each is: offset and size."""
    body, places = b"", []
    for content in contents:
        places.append((start + len(body), len(content)))
        body += content + bytes(-len(content) % 4)
    return body, places


def _section(
    name: str, kind: int, flags: int, address: int, place: tuple[int, int], link: int, info: int, entry: int
) -> bytes:
    return struct.pack(
        "<10I", _NAMES.index(f"{name}\0".encode()), kind, flags, address, *place, link, info, 4, entry
    )
