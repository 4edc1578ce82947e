"""Kernels of TTMetal as they were reviewed: ``tests/ttmlir/emitc/golden``, all kernels of a module in one file.

``python -m support.metal_golden`` in ``tests`` keeps what is printed today.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from support.golden import keep_in
from support.metal_kernels import compiled
from ttmlir.emitc import KernelApi, kernel_files

TTMLIR = Path(__file__).resolve().parent.parent / "ttmlir"
FOLDER = TTMLIR / "emitc" / "golden"
APIS: tuple[KernelApi, ...] = get_args(KernelApi)
MODULES: Mapping[str, Path] = {
    "exp": TTMLIR / "lit" / "metal" / "exp.mlir",
    "streamed_sum": TTMLIR / "lit" / "metal" / "streamed_sum.mlir",
    "work": FOLDER / "work.mlir",
}


def printed(name: str) -> dict[str, str]:
    """What is printed today, by the name of the file it is kept in."""
    module = compiled(MODULES[name].read_text(encoding="utf-8"))
    return {
        f"{name}.{api}.cpp": "".join(
            f"// {file}\n{text}\n" for file, text in kernel_files(module, api).items()
        )
        for api in APIS
    }


if __name__ == "__main__":
    keep_in(FOLDER, {file: text for each in MODULES for file, text in printed(each).items()})
