"""What a core of this machine reaches at most, measured by ``peak.cpp``: for the share of it that a product reaches.

python benchmarks/peak.py
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cpp")
FOLDER = Path(__file__).parent.parent / "build" / "benchmarks"
_COMPILERS = ("c++", "g++", "clang++")
_MEMORY = "triad"


def measure() -> dict[str, float]:
    """GFLOP/s by instruction set, and GB/s of the triad; empty without a C++ compiler."""
    compiler = next((path for name in _COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        return {}
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    program = FOLDER / f"peak.{digest}"
    if not program.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-std=c++20", "-O3", str(SOURCE), "-o", str(program)], check=True)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in (line.split() for line in said.splitlines())}


def of_products(peaks: dict[str, float]) -> float | None:
    """The most GFLOP/s of products of bfloat16 with any instructions of the processor; None where it was not measured."""
    return max((value for name, value in peaks.items() if name != _MEMORY), default=None)


def of_floats(peaks: dict[str, float]) -> float | None:
    """The same of products of float32, which have no tiles and no pairs."""
    wide = [value for name, value in peaks.items() if name in ("plain", "avx2", "avx512")]
    return max(wide, default=None)


def words(peaks: dict[str, float]) -> str:
    """One line for the terminal and the page; empty where nothing was measured."""
    rates = [f"{name} {value:.0f} GFLOP/s" for name, value in peaks.items() if name != _MEMORY]
    return ", ".join([*rates, f"triad {peaks[_MEMORY]:.0f} GB/s"]) if peaks else ""


if __name__ == "__main__":
    print(words(measure()) or "no C++ compiler")
    sys.exit(0)
