"""Whether an operation that was read fits on a node: what tunable sizes are chosen by."""

from __future__ import annotations

from ttl.check import resources
from ttl.check.context import CheckContext
from ttl.diag.families import Family
from ttl.dialects.ttl import OperationOp
from ttl.frontend.lowered import Lowered
from ttl.settings import current_chip


def fits(lowered: Lowered) -> bool:
    """Whether reading and looking at resources finds nothing that is too large for the chip of the settings.

    What could not be read to its end counts as fitting: the checks, and the run, say more.
    """
    if any(finding.family is Family.RESOURCES for finding in lowered.diagnostics):
        return False
    chip = current_chip()
    return not any(
        resources.check(op, CheckContext(chip=chip, strict=False, grid=op.grid.extents))
        for op in lowered.module.ops
        if isinstance(op, OperationOp)
    )
