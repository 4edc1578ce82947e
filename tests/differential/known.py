"""What is known to differ between the language and the chip: refused by the compiler, or different by design.

The page ``docs/reference/differences.md`` is made of these tables (``scripts/differential.py --write-docs``), and the
tests hold them to be exact: a gap that is gone fails as one that is new.
"""

from __future__ import annotations

from dataclasses import dataclass

from differential.rows import Case

_REDUCTIONS = ("reduce_sum", "reduce_max")
_FLOATS = ("bfloat16", "float32", "float16", "bfloat8_b", "bfloat4_b")
# Rows that move tiles, or convert them, and compute nothing.
_MOVES = ("fill", "squeeze", "unsqueeze", "broadcast", "transpose", "typecast", "reduce_sum", "reduce_max")


@dataclass(frozen=True)
class Gap:
    """Programs that are right and not compiled."""

    code: str
    what: str


@dataclass(frozen=True)
class Difference:
    """Where results differ by design."""

    subject: str
    language: str
    chip: str
    test: str


INTEGER_REDUCTION = Gap(
    "TTL1450", "`reduce_max` of integers over rows or columns, and `reduce_sum` of `uint16`"
)
UINT8 = Gap("TTL1450", "arithmetic on `uint8`")
UINT32 = Gap("TTL1450", "`//` and `%` of `uint32`")
GAPS = (INTEGER_REDUCTION, UINT8, UINT32)

DIFFERENCES = (
    Difference(
        "values in an expression",
        "rounded once, where they are stored",
        "rounded once where the registers hold 32 bits, which the compiler chooses where more than one operation rounds; "
        "after each operation where they hold 16",
        "test_rows.py, test_random_programs.py",
    ),
    Difference(
        "`float32` in products of matrices, and what is computed before a product, a reduction or a broadcast",
        "24 bits",
        "TF32, 11 bits, for each read of a buffer that the matrix unit reads: see [how exact](#how-exact)",
        "test_exactness.py, test_rows.py",
    ),
    Difference(
        "a `float32` value that is stored as `bfloat16`",
        "rounded to nearest, ties to even",
        "the same on the emulated chip. Of a full-system simulator of the chip 1 to 4 of 9,216 elements of a plain copy were seen one "
        "last place off, as if ties went away from zero; that is more often than ties occur, and the cause is not known. "
        "Nothing was measured on a card: compare its results with a tolerance of one last place of bfloat16, 2^-7 of the value",
        "test_rows.py",
    ),
    Difference(
        "a value that is read back from a block before the block is pushed",
        "rounded to the type of the block",
        "not rounded yet",
        "test_random_programs.py",
    ),
    Difference(
        "functions with a polynomial or a table behind them",
        "rounded correctly",
        "within the tolerance of the operation",
        "test_rows.py",
    ),
    Difference(
        "integers that their type does not hold, within an expression",
        "kept in 64 bits, and wrapped where they are stored",
        "wrapped to 32 or 16 bits at once: a comparison, a maximum or a division of one may differ",
        "test_random_programs.py",
    ),
    Difference(
        "a value converted to, or stored as, an integer type that does not hold it",
        "wraps",
        "the nearest value the type has",
        "test_rows.py",
    ),
    Difference(
        "`typecast` to `float16` or a block float, within an expression",
        "rounded",
        "rounded where it is stored as such",
        "test_random_programs.py",
    ),
    Difference(
        "infinities and no numbers",
        "IEEE 754",
        "the same but for the table below; a maximum over values of which one is no number is something else",
        "test_special_values.py",
    ),
    Difference(
        "block floats with an infinity or no number in a group of 16",
        "that element is kept",
        "the type has none",
        "test_rows.py uses finite values",
    ),
)


@dataclass(frozen=True, order=True)
class Special:
    """What a function makes of special values, where that is another thing than what the language says."""

    row: str
    form: str
    """Its parameters, and operands that are numbers."""
    operands: str
    execution: str
    language: str
    given: str


def _on_chip(row: str, form: str, operands: str, language: str, given: str) -> Special:
    return Special(row, form, operands, "chip", language, given)


_LIMITS = (("clamp", "min=-1, max=1", "1"), ("clamp", "min=-0.5, max=0", "0"), ("hardtanh", "min=-1, max=1", "1"), ("hardtanh", "min=0, max=2.5", "2.5"),
           ("relu_max", "upper_limit=2.5", "2.5"), ("relu_max", "upper_limit=6", "6"))  # fmt: skip
SPECIAL = (
    *(_on_chip(row, f"x, {form}", "nan", "nan", limit) for row, form, limit in _LIMITS),
    _on_chip("floordiv", "", "-1, -largest", "0", "-0"),
    _on_chip("floordiv", "", "-tiny, -1", "0", "-0"),
    _on_chip("floordiv", "", "-tiny, -largest", "0", "-0"),
    *(
        _on_chip(row, "", f"{value} as the second", "a number", "nan")
        for row in ("floordiv", "mod")
        for value in ("inf", "-inf")
    ),
    _on_chip("floordiv", "2, x", "inf", "0", "nan"),
    _on_chip("floordiv", "2, x", "-inf", "-1", "nan"),
    _on_chip("mod", "2, x", "inf", "2", "nan"),
    _on_chip("mod", "2, x", "-inf", "-inf", "nan"),
    _on_chip("gelu", "x, approximate=True", "-largest", "-0", "0"),
    _on_chip("min", "", "nan as the first", "nan", "a number"),
    _on_chip("min", "", "nan as the second", "nan", "a number"),
    _on_chip("min", "2, x", "nan", "nan", "2"),
    _on_chip("min", "x, 2", "nan", "nan", "2"),
    _on_chip("sign", "", "nan", "nan", "1"),
)


def gap_of(case: Case) -> Gap | None:
    """Why a case is refused."""
    name, dtype = case.subject
    params = dict(next(each.params for each in case.program.body if each.kind == "op"))
    if name in _REDUCTIONS and dtype not in _FLOATS and _within_tiles(params["dims"], _rank(case)):
        is_sum = name == "reduce_sum" and dtype in ("int32", "uint32")
        return None if is_sum else INTEGER_REDUCTION
    if dtype == "uint8" and name not in _MOVES:
        return UINT8
    if dtype == "uint32" and name in ("floordiv", "mod"):
        return UINT32
    return None


def _rank(case: Case) -> int:
    return len(case.program.inputs[0].block)


def _within_tiles(dims: list[int], rank: int) -> bool:
    return bool({dim % rank for dim in dims} & {rank - 1, rank - 2})
