"""Pipes between chips that no link joins, where the machine is known (``--system``)."""

from __future__ import annotations

import numpy as np

from ttl.analysis.pipe_ends import net_ends
from ttl.check.context import CheckContext
from ttl.diag import Diagnostic
from ttl.dialects import ttl as dialect
from ttl.ir.locations import span_of
from ttl.protocol.chips import NODE_DIMS, chip_name, nodes_per_chip
from ttl.protocol.grid import coordinate
from ttl.rules.pipes import no_link


def check(operation: dialect.OperationOp, context: CheckContext) -> list[Diagnostic]:
    """Return a warning for each net for neighbours that has a pipe whose messages pass through other chips (TTL0825).

    A net is for neighbours if more than half of its pairs of chips are: for example a ring, on chips that are wired as
    a line.
    """
    system, mesh = context.system, context.grid[:-NODE_DIMS]
    chips = None if system is None or not mesh else system.placed(mesh)
    if system is None or chips is None:
        return []
    findings = []
    for op in operation.body.block.ops:
        ends = net_ends(op.result, context.grid) if isinstance(op, dialect.CreatePipeNetOp) else None
        if ends is None or not isinstance(op, dialect.CreatePipeNetOp):
            continue
        both = np.stack((ends.at_source[0], ends.receiving.nodes), axis=1) // nodes_per_chip(context.grid)
        pairs = [(first, second) for first, second in np.unique(both, axis=0).tolist() if first != second]
        links = [len(system.route(chips[first], chips[second])) - 1 for first, second in pairs]
        far = [number for number, count in enumerate(links) if count > 1]
        if far and 2 * len(far) < len(pairs):
            names = [chip_name(coordinate(chip, mesh, len(mesh))) for chip in pairs[far[0]]]
            finding = no_link(op.net_name.data, names, links[far[0]], len(far), len(pairs), system.title)
            findings.append(finding.at(span_of(op)))
    return findings
