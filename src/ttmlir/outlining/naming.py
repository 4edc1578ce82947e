"""The names of a model's values in Python."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Sequence

from ttmlir.outlining.region import RegionNames

# Names that the generated module or the body of an operation uses itself.
_TAKEN = frozenset(
    {
        "ttl", "ttnn", "np", "math", "erf", "tt_lang_operation", "block", "buffering", "rows", "columns", "inner", "own",
        "read", "compute", "write", "softmax", "batch", "row", "column", "item", "y",
        *(f"{name}_{axis}" for name in ("batch", "batches") for axis in range(6)),
    }
)  # fmt: skip


def unique(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Names that differ from each other, from those of Python and of the module: ``scale``, ``scale_2``."""
    known = {*taken, *_TAKEN, *keyword.kwlist, *dir(builtins)}
    result = []
    for name in names:
        number, chosen = 1, name
        while chosen in known or any(f"{chosen}{end}" in known for end in ("_blk", "_dfb")):
            number += 1
            chosen = f"{name}_{number}"
        known.add(chosen)
        result.append(chosen)
    return result


def common(all_names: Sequence[RegionNames], kind: Sequence[str]) -> RegionNames:
    """Names for a region that stands for several of the model: the words that all their names share.

    Without such words an input is called ``x``, and a step by its mnemonic in ``kind``.
    """
    inputs = [_common(group, "x") for group in zip(*(names.inputs for names in all_names), strict=True)]
    steps = [
        _common(group, mnemonic)
        for group, mnemonic in zip(zip(*(names.steps for names in all_names), strict=True), kind, strict=True)
    ]
    return RegionNames(inputs=tuple(inputs), steps=tuple(steps))


def _common(names: Sequence[str], otherwise: str) -> str:
    first, *others = dict.fromkeys(names)
    shared = [word for word in first.split("_") if all(word in other.split("_") for other in others)]
    text = "_".join(shared)
    return text if text and not text.isdigit() else otherwise
