"""Kernels that send to other chips, with the real headers of the fabric, which only these kernels include.

They are those of the same wheels, fetched as the others are (``make headers``), in a folder of their own: kernels of one chip
are compiled as before.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from support import kernel_compiler
from support.kernel_compiler import Generation
from support.kernel_headers import headers, more

MARK = "tt_metal/fabric/"
_PARTS = ("tt_metal/fabric", "ttnn/cpp/ttnn/operations/ccl")
# What the build on the device defines for every kernel where the fabric has two dimensions.
_DEFINES = ("FABRIC_2D", "ROUTING_MODE=(ROUTING_MODE_2D | ROUTING_MODE_MESH | ROUTING_MODE_LOW_LATENCY)")


@cache
def fabric_headers(generation: Generation) -> Path:
    """The folder that the includes of the fabric are relative to. Raises ``HeadersMissing``."""
    return more(generation, _PARTS)


def complaint(generation: Generation, text: str, name: str, defines: tuple[str, ...] = ()) -> str | None:
    """What the compiler prints about a data movement kernel that sends to other chips; None when it prints nothing."""
    root = fabric_headers(generation)
    command = [*kernel_compiler._command(generation, "datamovement")]
    command += [f"-D{define}" for define in (*defines, *_DEFINES)]
    for folder in (root, root / "tt_metal", root / "ttnn/cpp"):
        command += ["-isystem", str(folder)]
    prelude = kernel_compiler._precompiled(generation, "datamovement")
    command += ["-fsyntax-only", "-include", str(prelude), "-x", "c++", "-"]
    done = subprocess.run(
        command,
        input=f'#line 1 "{name}"\n{text}',
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    said = done.stderr
    for folder in (headers(generation), root):
        said = said.replace(f"{folder}/", "")
    if done.returncode and not said.strip():
        return f"g++ ended with status {done.returncode}"
    return said.strip() or None
