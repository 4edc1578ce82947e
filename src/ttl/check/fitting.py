"""Whether an operation that was read fits on a node: the criterion for the choice of tunable sizes."""

from __future__ import annotations

from ttl.check import resources
from ttl.check.context import CheckContext
from ttl.diag.families import Family
from ttl.dialects.ttl import OperationOp
from ttl.frontend.lowered import Lowered
from ttl.settings import current_chip


def fits(lowered: Lowered) -> bool:
    """Whether neither the reader nor the check of resources finds anything too large for the settings' chip.

    An operation that was not read to its end counts as fitting, as long as nothing too large was found: the checks, and
    the run, report more.
    """
    if any(finding.family is Family.RESOURCES for finding in lowered.diagnostics):
        return False
    chip = current_chip()
    return not any(
        resources.check(op, CheckContext(chip=chip, strict=False, grid=op.grid.extents))
        for op in lowered.module.ops
        if isinstance(op, OperationOp)
    )
