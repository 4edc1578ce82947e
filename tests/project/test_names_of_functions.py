"""A function of the language is named in its row and in the kernels that compute it, and nowhere else.

Names that say other things, too, are left out: those of the arithmetic of indices, of Python, and of what is done with
memory and tiles. The others are looked for among the string literals of Python and the words of C++.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from support.syntax_trees import nodes
from ttl.rows.table import OPS

ROOT = Path(__file__).resolve().parents[2]
COMMON = frozenset(
    [
        *(
            "add",
            "sub",
            "mul",
            "floordiv",
            "mod",
            "xor",
            "pow",
            "min",
            "max",
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
        ),
        *(
            "abs",
            "neg",
            "sign",
            "round",
            "square",
            "threshold",
            "fill",
            "mask",
            "where",
            "transpose",
            "squeeze",
        ),
        # What the units do on the way of a tile, in the words of the kernel API.
        *("relu", "broadcast", "matmul"),
    ]
)
NAMES = frozenset(row.name for row in OPS) - COMMON
# Where else functions are named, and why.
ALLOWED: Mapping[str, str] = {
    "src/ttl/rows/": "their rows",
    "src/ttmlir/compositions/": "functions that are made of several operations, by formulas",
    "src/ttl/passes/structured/scalars.py": "what they do with an element, in the operations of arith and math",
    "src/ttl/arch/chips/": "what they take on a chip, where somebody measured it",
    "native/machine/elementwise_functions.inc.h": "kernels of the native machine",
    "native/machine/kernels.inc.cpp": "exp, a kernel with a form of its own",
    "native/machine/opcodes.h": "exp, the same",
    "src/ttl/sim/numbers.py": "operators and methods of Python's floats",
    "src/ttl/sim/native/lowering.py": "rows that are several opcodes of the machine, or none",
    "native/emu/vector_functions.inc.h": "kernels of the emulated chip",
    "native/emu/vector.cpp": "parts of kernels",
    "src/ttl/emu/include/ttl_emu/rows.h": "generated from the rows",
    "src/ttl/emu/include/ttl_emu/vector.h": "functions of the kernel API that take more than their rows say, such as whether "
    "an approximation will do; and namesakes that no row uses",
    "src/tt_model/layouts/enums.py": "keywords of attributes of the kernel dialect",
    "src/ttmlir/torch/": "functions of ATen, and the methods of the builder that they become",
    "src/tt_model/operations/": "mnemonics of TTIR and TTNN, in their rows",
    "src/ttmlir/standalone/": "functions of the library that operations of TTNN are, with their parameters, by mnemonics",
    "src/ttmlir/transforms/metal/": "which functions of the kernel API operations of TTIR become: mnemonics and rows",
    "src/tt_model/cost/rates.py": "which rows' costs the operations of a binary are estimated by",
    "src/tt_model/stablehlo/": "operations of StableHLO, by their mnemonics",
    "src/ttmlir/transforms/from_stablehlo/": "which operations of TTIR those of StableHLO become: mnemonics",
    "src/ttmlir/transforms/upgrade/": "which operations of TTIR those of later text become: mnemonics",
    "src/tt_model/reference/": "which rows TT-MLIR's elementwise operations take their arithmetic from",
    "src/ttl/lang/names.py": "what functions of NumPy and torch are called here",
    "src/ttl/lang/mistakes.py": "what methods of NumPy and torch are called here",
    "src/ttl/host/": "functions of ttnn, torch and NumPy, on tensors",
    "src/ttl/frontend/library.py": "functions of Python's math, on numbers",
    "src/ttl/frontend/host/meta.py": "methods of tensors of torch in host code",
    "src/ttl/frontend/host/torch_": "functions of torch in host code",
}


def words_of_python(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def words_of_cpp(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = re.sub(r'//.*|std::\w+|"[^"]*"', "", line)
        for word in re.findall(r"\b[A-Za-z_]\w*", code):
            yield number, word


@cache
def mentions() -> tuple[tuple[str, int, str], ...]:
    """File, line and word, wherever a function is named."""
    return tuple(_mentions())


def _mentions() -> Iterator[tuple[str, int, str]]:
    for folder, pattern, words in (
        ("src", "*.py", words_of_python),
        ("src", "*.h", words_of_cpp),
        ("native", "*.h", words_of_cpp),
        ("native", "*.cpp", words_of_cpp),
    ):
        for path in sorted((ROOT / folder).rglob(pattern)):
            name = path.relative_to(ROOT).as_posix()
            for number, word in words(path):
                if word.removesuffix("_init").removesuffix("_tile") in NAMES:
                    yield name, number, word


def test_functions_are_named_in_their_rows_and_kernels_only() -> None:
    found: dict[str, list[str]] = {}
    for file, number, word in mentions():
        if not file.startswith(tuple(ALLOWED)):
            found.setdefault(file, []).append(f"{word} ({number})")
    wrong = [f"{file}: {', '.join(words)}" for file, words in found.items()]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("place", ALLOWED)
def test_every_exception_is_needed(place: str) -> None:
    assert any(file.startswith(place) for file, _, _ in mentions())
