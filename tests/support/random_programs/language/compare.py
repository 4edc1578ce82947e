"""Compares what random programs left in their tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support.random_programs.language.execute import Results
from support.random_programs.language.reference import INTEGERS, Array, Tensor
from support.random_programs.language.spec import Program
from ttl.rows.comparison import same, within

# Relative and absolute (of the largest element) distance for results whose order of evaluation is free.
_TOLERANCE = {"float32": (1e-4, 1e-4), "float16": (1e-2, 5e-3)}
_COARSE = (4e-2, 2e-2)
# A sum of this many terms may have lost this much before something small became of it.
_SMALLEST_ERROR = 1e-2


@dataclass(frozen=True)
class Failure:
    """How a program failed: ``kind`` is stable under minimising, ``text`` is for people."""

    kind: str
    text: str


def compare_runs(
    mode: str, found: Results, plain: Results, reference: list[dict[str, Tensor]] | None = None
) -> Failure | None:
    """Equal to the bit; with a reference, in the lanes it defines.

    With a reference the run is that of the sanitizer, which makes padding no number: where a program with ragged tensors
    lets padding meet data, which warnings say (tests/check/test_padding.py), a result may be none, too.
    """
    for device, (tensors, expected) in enumerate(zip(found, plain, strict=True)):
        for name, array in tensors.items():
            different = ~same(array, expected[name])
            if reference is not None:
                different &= ~reference[device][name].undefined
                if _ragged(found):
                    different &= array == array
            if different.any():
                return Failure(f"{mode} differs", describe(name, different, array, expected[name]))
    return None


def _ragged(*results: Results) -> bool:
    """Whether a tensor has padding."""
    return any(
        array.ndim > 1 and any(extent % 32 for extent in array.shape[-2:])
        for found in results
        for tensors in found
        for array in tensors.values()
    )


def compare_executors(program: Program, mode: str, found: Results, plain: Results) -> Failure | None:
    """Equal to the bit, but for tensors that depend on a function or a sum whose last bits are free: close."""
    dtypes = {spec.name: spec.dtype for spec in program.tensors}
    for tensors, expected in zip(found, plain, strict=True):
        for name, array in tensors.items():
            equal = same(array, expected[name])
            if name in program.inexact and dtypes[name] not in INTEGERS:
                equal |= _close(array, expected[name], dtypes[name], np.isfinite(expected[name]))
            if not equal.all():
                return Failure(f"{mode} differs", describe(name, ~equal, array, expected[name]))
    return None


def compare_with_reference(
    program: Program, mode: str, found: Results, reference: list[dict[str, Tensor]]
) -> Failure | None:
    """Equal in the lanes that are defined, or close where last bits are free."""
    for tensors, expected in zip(found, reference, strict=True):
        for name, array in tensors.items():
            wanted = expected[name]
            values = array.astype(wanted.values.dtype)
            equal = same(values, wanted.values)
            if name in program.inexact and mode == "dst16":
                continue  # a last bit is as large as the whole tolerance there
            if name in program.inexact and wanted.dtype not in INTEGERS:
                counted = np.isfinite(wanted.values) & ~wanted.undefined
                equal |= _close(values, wanted.values, wanted.dtype, counted)
            wrong = ~equal & ~wanted.undefined
            if wrong.any():
                return Failure(f"{mode} wrong", describe(name, wrong, values, wanted.values))
    return None


def _close(values: Array, expected: Array, dtype: str, counted: Array) -> Array:
    """Within the tolerance of the type; ``counted``: elements whose size says how large an error may be."""
    relative, absolute = _TOLERANCE.get(dtype, _COARSE)
    finite = expected[counted]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    return within(values, expected, relative, max(absolute * largest, _SMALLEST_ERROR))


def describe(name: str, wrong: Array, found: Array, expected: Array) -> str:
    """Where a tensor is wrong."""
    places = np.argwhere(wrong)
    lines = [f"tensor {name}: {len(places)} of {wrong.size} elements differ"]
    for place in places[:5]:
        at = tuple(int(index) for index in place)
        lines.append(f"  at {at}: {found[at]!r}, expected {expected[at]!r}")
    return "\n".join(lines)
