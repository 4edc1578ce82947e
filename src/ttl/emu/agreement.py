"""The counts of ``--compare`` over all launches of a run, and the largest difference that it accepted."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ttl.diag.words import counted, listed
from ttl.rows.dtypes import Array
from ttl.session import Part

# The version of the JSON object.
_SCHEMA = 1


@dataclass(kw_only=True, slots=True)
class Agreement:
    """Counts of comparisons. ``difference`` is the largest absolute difference, and ``expected`` the value that it belongs to."""

    operations: list[str] = field(default_factory=list)
    launches: int = 0
    blocks: int = 0
    tensors: int = 0
    elements: int = 0
    difference: float = 0.0
    expected: float = 0.0
    where: str = ""

    def launched(self, operation: str) -> None:
        """Count a launch."""
        self.launches += 1
        if operation not in self.operations:
            self.operations.append(operation)

    def add(self, found: Array, expected: Array, ignored: Array | None, where: str) -> None:
        """Count a block or a tensor, in arithmetic type; ``ignored`` elements have no defined value."""
        self.elements += found.size if ignored is None else int(found.size - ignored.sum())
        with np.errstate(all="ignore"):
            distance = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        distance = np.where(
            np.isfinite(distance) if ignored is None else np.isfinite(distance) & ~ignored, distance, 0
        )
        if distance.size and distance.max() > self.difference:
            at = np.unravel_index(int(distance.argmax()), distance.shape)
            self.difference, self.expected = float(distance[at]), float(expected[at])
            self.where = where


AGREED: Part[Agreement] = Part(Agreement)


def to_object(agreed: Agreement) -> dict[str, Any]:
    """Return the counts as an object that ``json.dumps`` accepts."""
    return {"schema": _SCHEMA, "kind": "compared", **asdict(agreed)}


def render(agreed: Agreement) -> str:
    """Return one sentence on the comparisons and the largest difference."""
    what = f"{counted(agreed.blocks, 'block')} and {counted(agreed.tensors, 'tensor')}, {agreed.elements:,} elements"
    times = "1 launch" if agreed.launches == 1 else f"{agreed.launches} launches"
    end = "equal to the last bit"
    if agreed.difference:
        end = f"the largest difference is {agreed.difference:.3g}, beside {agreed.expected:.3g}, in {agreed.where}"
    return f"compared with the simulator: {times} of {listed(agreed.operations)}: {what}: {end}"
