"""The operations of the library in three sizes each: how they are made, what they are given, what they make.

Everything is text, so that a test runs it and a program that is checked has it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import ttnn

import ttl


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """An operation, made for one size."""

    name: str
    made: str
    inputs: tuple[str, ...]
    """Arrays, by functions of ``_SOURCES``; those with what they give here are float32, the others bfloat16."""
    outputs: tuple[tuple[int, ...], ...]
    """Shapes; without any, the last input is changed in place."""
    numbers: tuple[int, ...] = ()
    """Further arguments."""
    types: tuple[str, ...] = ()
    """Of the outputs; bfloat16 without."""

    def arrays(self) -> list[Any]:
        """The inputs: always the same."""
        generator = np.random.default_rng(0)
        known: dict[str, Callable[..., Any]] = {
            "normal": lambda *shape: generator.standard_normal(shape),
            "small": lambda *shape: generator.standard_normal(shape) / 8,
            "rotation": ttl.ops.rope_rotation,
            "causal_mask": ttl.ops.causal_mask,
            "tile_rows": ttl.ops.tile_rows,
            "ids": lambda count, rows: generator.integers(rows, size=(1, count)),
            **{name: getattr(ttl.ops, name) for name in _EXACT},
        }
        return [eval(text, known) for text in self.inputs]

    def described(self) -> list[tuple[Any, str]]:
        """The shape and type of every tensor."""
        inputs = [
            (np.shape(array), self.dtype_of(text))
            for array, text in zip(self.arrays(), self.inputs, strict=True)
        ]
        return inputs + list(zip(self.outputs, self.types or ("bfloat16",) * len(self.outputs), strict=True))

    @staticmethod
    def dtype_of(text: str) -> str:
        """The element type of an input."""
        source = text.partition("(")[0]
        return "uint32" if source == "ids" else "float32" if source in _EXACT else "bfloat16"

    @property
    def layout(self) -> str:
        """The layout of all tensors."""
        return "ROW_MAJOR_LAYOUT" if self.name == "embedding_gather" else "TILE_LAYOUT"

    def tensors(self) -> list[Any]:
        """The inputs and the outputs."""
        arrays = [*self.arrays(), *map(np.zeros, self.outputs)]
        layout = getattr(ttnn, self.layout)
        return [
            ttnn.Tensor(
                np.asarray(array, np.uint32 if dtype == "uint32" else np.float32),
                dtype=getattr(ttnn, dtype),
                layout=layout,
            )
            for array, (_, dtype) in zip(arrays, self.described(), strict=True)
        ]


_EXACT = ("length_mask", "column_numbers")


def program() -> str:
    """The text of a program that makes the operation of every case, and launches them when it is the main one."""
    lines = ["import numpy as np", "import ttl", "import ttnn", "", "operations = ["]
    lines += [f"    {case.made}," for case in CASES]
    lines += ["]", 'if __name__ == "__main__":']
    for number, case in enumerate(CASES):
        lines += [f"    operations[{number}]("]
        lines += [
            f"        ttnn.zeros({tuple(shape)}, dtype=ttnn.{dtype}, layout=ttnn.{case.layout}),"
            for shape, dtype in case.described()
        ]
        lines += [f"        {number}," for number in case.numbers]
        lines += ["    )"]
    return "\n".join(lines) + "\n"


def _cases(
    name: str, *sizes: tuple[str, tuple[str, ...], tuple[int, ...]], types: tuple[str, ...] = ()
) -> list[Case]:
    return [
        Case(name=name, made=made, inputs=inputs, outputs=(output,), types=types)
        for made, inputs, output in sizes
    ]


def _appends(made: str, shape: tuple[int, int, int], position: int) -> Case:
    heads, length, head_dim = shape
    inputs = (f"normal({heads}, 1, {head_dim})", "tile_rows()", f"normal({heads}, {length}, {head_dim})")
    return Case(name="kv_append", made=made, inputs=inputs, outputs=(), numbers=(position,))


def _topk(made: str, rows: int, columns: int, k: int) -> Case:
    inputs = (f"normal({rows}, {columns})", f"column_numbers({columns})")
    return Case(
        name="topk", made=made, inputs=inputs, outputs=((rows, k), (rows, k)), types=("bfloat16", "float32")
    )


CASES = [
    *_cases(
        "elementwise",
        (
            "ttl.ops.make_elementwise(lambda a, b: a + b * 2, (64, 128), (2, 1), (1, 2), inputs=2)",
            ("normal(64, 128)", "normal(64, 128)"),
            (64, 128),
        ),
        (
            "ttl.ops.make_elementwise(lambda a: a * a - 1, (64, 32), (1, 1))",
            ("normal(64, 32)",),
            (64, 32),
        ),
        (
            "ttl.ops.make_elementwise("
            "lambda a, b, c: ttl.math.exp(a) * b + c, (64, 96), (2, 2), (2, 1), inputs=3, reference=lambda a, b, c: np.exp(a) * b + c)",
            ("normal(64, 96)", "normal(64, 96)", "normal(64, 96)"),
            (64, 96),
        ),
    ),
    *_cases(
        "matmul",
        (
            "ttl.ops.make_matmul((128, 128, 128), (2, 2), (1, 2, 2))",
            ("normal(128, 128)", "small(128, 128)"),
            (128, 128),
        ),
        (
            "ttl.ops.make_matmul((64, 96, 64), (1, 1), (1, 1, 2))",
            ("normal(64, 96)", "small(96, 64)"),
            (64, 64),
        ),
        (
            "ttl.ops.make_matmul((64, 64, 192), (3, 1), (2, 1, 1))",
            ("normal(64, 64)", "small(64, 192)"),
            (64, 192),
        ),
    ),
    *_cases(
        "gemv",
        ("ttl.ops.make_gemv((1, 128, 128), (3, 1))", ("normal(1, 128)", "small(128, 128)"), (1, 128)),
        ("ttl.ops.make_gemv((7, 64, 128), (2, 2), (2,))", ("normal(7, 64)", "small(64, 128)"), (7, 128)),
        ("ttl.ops.make_gemv((40, 96, 64), (1, 1), (2,))", ("normal(40, 96)", "small(96, 64)"), (40, 64)),
    ),
    *_cases(
        "swiglu",
        (
            "ttl.ops.make_swiglu((1, 128, 128), (2, 1), (1, 2, 2))",
            ("normal(1, 128)", "small(128, 128)", "small(128, 128)"),
            (1, 128),
        ),
        (
            "ttl.ops.make_swiglu((64, 96, 64), (1, 1), (2, 3, 1))",
            ("normal(64, 96)", "small(96, 64)", "small(96, 64)"),
            (64, 64),
        ),
        (
            "ttl.ops.make_swiglu((40, 64, 96), (2, 2))",
            ("normal(40, 64)", "small(64, 96)", "small(64, 96)"),
            (40, 96),
        ),
    ),
    *_cases(
        "softmax",
        ("ttl.ops.make_softmax((64, 128), (2, 1))", ("normal(64, 128)",), (64, 128)),
        ("ttl.ops.make_softmax((40, 64), (1, 1), (2,))", ("normal(40, 64)",), (40, 64)),
        ("ttl.ops.make_softmax((1, 96), (2, 2))", ("normal(1, 96)",), (1, 96)),
    ),
    *_cases(
        "rmsnorm",
        ("ttl.ops.make_rmsnorm((64, 128), (2, 1))", ("normal(64, 128)", "normal(1, 128)"), (64, 128)),
        (
            "ttl.ops.make_rmsnorm((40, 64), (1, 1), (2,), epsilon=1e-3)",
            ("normal(40, 64)", "normal(1, 64)"),
            (40, 64),
        ),
        ("ttl.ops.make_rmsnorm((1, 96), (2, 2))", ("normal(1, 96)", "normal(1, 96)"), (1, 96)),
    ),
    *_cases(
        "layernorm",
        (
            "ttl.ops.make_layernorm((64, 128), (2, 1))",
            ("normal(64, 128)", "normal(1, 128)", "normal(1, 128)"),
            (64, 128),
        ),
        (
            "ttl.ops.make_layernorm((40, 64), (1, 1), (2,), epsilon=1e-3)",
            ("normal(40, 64)", "normal(1, 64)", "normal(1, 64)"),
            (40, 64),
        ),
        (
            "ttl.ops.make_layernorm((1, 96), (2, 2))",
            ("normal(1, 96)", "normal(1, 96)", "normal(1, 96)"),
            (1, 96),
        ),
    ),
    *_cases(
        "rope",
        (
            "ttl.ops.make_rope((64, 2, 64), (2, 1))",
            ("normal(64, 128)", "normal(64, 64)", "normal(64, 64)", "rotation(64)"),
            (64, 128),
        ),
        (
            "ttl.ops.make_rope((1, 3, 32), (1, 1))",
            ("normal(1, 96)", "normal(1, 32)", "normal(1, 32)", "rotation(32)"),
            (1, 96),
        ),
        (
            "ttl.ops.make_rope((40, 1, 128), (1, 2), (2,))",
            ("normal(40, 128)", "normal(40, 128)", "normal(40, 128)", "rotation(128)"),
            (40, 128),
        ),
    ),
    *_cases(
        "flash_attention",
        (
            "ttl.ops.make_flash_attention((2, 64, 128, 64), (2, 1), (1, 2))",
            ("normal(2, 64, 64)", "normal(2, 128, 64)", "normal(2, 128, 64)"),
            (2, 64, 64),
        ),
        (
            "ttl.ops.make_flash_attention((1, 96, 96, 32), (2, 1), causal=True)",
            ("normal(1, 96, 32)", "normal(1, 96, 32)", "normal(1, 96, 32)", "causal_mask(32)"),
            (1, 96, 32),
        ),
        (
            "ttl.ops.make_flash_attention((3, 64, 64, 32), (1, 2), (2, 1))",
            ("normal(3, 64, 32)", "normal(3, 64, 32)", "normal(3, 64, 32)"),
            (3, 64, 32),
        ),
    ),
    *_cases(
        "flash_decode",
        (
            "ttl.ops.make_flash_decode((2, 1, 128, 64), (2, 2))",
            ("normal(2, 1, 64)", "normal(2, 128, 64)", "normal(2, 128, 64)", "length_mask(128, 40)"),
            (2, 1, 64),
        ),
        (
            "ttl.ops.make_flash_decode((2, 4, 64, 32), (1, 1), (2,))",
            ("normal(2, 4, 32)", "normal(2, 64, 32)", "normal(2, 64, 32)", "length_mask(64, 63)"),
            (2, 4, 32),
        ),
        (
            "ttl.ops.make_flash_decode((1, 2, 128, 32), (4, 1))",
            ("normal(1, 2, 32)", "normal(1, 128, 32)", "normal(1, 128, 32)", "length_mask(128, 0)"),
            (1, 2, 32),
        ),
    ),
    _appends("ttl.ops.make_kv_append((2, 64, 64), (2, 1), (2,))", (2, 64, 64), 37),
    _appends("ttl.ops.make_kv_append((3, 32, 64), (1, 2))", (3, 32, 64), 0),
    _appends("ttl.ops.make_kv_append((1, 64, 32), (2, 2))", (1, 64, 32), 63),
    *_cases(
        "embedding_gather",
        (
            "ttl.ops.make_embedding_gather((16, 64, 64), (2, 1), (4,))",
            ("ids(16, 64)", "normal(64, 64)"),
            (16, 64),
        ),
        (
            "ttl.ops.make_embedding_gather((9, 8, 96), (1, 1), (3,))",
            ("ids(9, 8)", "normal(8, 96)"),
            (9, 96),
        ),
        (
            "ttl.ops.make_embedding_gather((5, 1000, 40), (2, 2))",
            ("ids(5, 1000)", "normal(1000, 40)"),
            (5, 40),
        ),
    ),
    *_cases(
        "moe_router",
        (
            "ttl.ops.make_moe_router((40, 64, 8), (2, 1))",
            ("normal(40, 64)", "small(64, 8)", "column_numbers(8)"),
            (40, 8),
        ),
        (
            "ttl.ops.make_moe_router((1, 32, 64), (1, 1), top=3)",
            ("normal(1, 32)", "small(32, 64)", "column_numbers(64)"),
            (1, 64),
        ),
        (
            "ttl.ops.make_moe_router((64, 32, 4), (1, 1), (2,), top=1)",
            ("normal(64, 32)", "small(32, 4)", "column_numbers(4)"),
            (64, 4),
        ),
    ),
    *_cases(
        "argmax",
        (
            "ttl.ops.make_argmax((1, 8192), (1, 1), (1, 32))",
            ("normal(1, 8192)", "column_numbers(1024)"),
            (1, 1),
        ),
        (
            "ttl.ops.make_argmax((40, 128), (2, 1), (1, 4))",
            ("normal(40, 128)", "column_numbers(128)"),
            (40, 1),
        ),
        (
            "ttl.ops.make_argmax((64, 96), (2, 2), (2, 1))",
            ("normal(64, 96)", "column_numbers(32)"),
            (64, 1),
        ),
        types=("float32",),
    ),
    _topk("ttl.ops.make_topk((40, 128), (2, 1), k=4)", 40, 128, 4),
    _topk("ttl.ops.make_topk((1, 64), (1, 1), k=1)", 1, 64, 1),
    _topk("ttl.ops.make_topk((64, 64), (2, 2), (2,), k=32)", 64, 64, 32),
]
