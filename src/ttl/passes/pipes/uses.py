"""What an operation does with its nets."""

from __future__ import annotations

from dataclasses import dataclass, field

from ttl.dialects import ttl as dialect
from ttl.dialects.pipes import IfPipeOp
from ttl.passes.pipes.net import Net


@dataclass(slots=True)
class Uses:
    """What an operation does with a net."""

    made: dialect.CreatePipeNetOp
    net: Net
    ifs: dict[str, list[IfPipeOp]] = field(default_factory=lambda: {"src": [], "dst": []})
    sends: list[dialect.CopyOp] = field(default_factory=list)
    receives: list[dialect.CopyOp] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name of the net."""
        return self.made.net_name.data


def uses_of(operation: dialect.OperationOp) -> list[Uses]:
    """What an operation does with each of its nets."""
    found = []
    for op in operation.body.block.ops:
        if not isinstance(op, dialect.CreatePipeNetOp):
            continue
        uses = Uses(op, Net(op.pipes, operation.grid.extents))
        for use in op.result.uses:
            if isinstance(use.operation, IfPipeOp):
                uses.ifs[use.operation.END].append(use.operation)
                for each in use.operation.pipe.uses:
                    if isinstance(each.operation, dialect.CopyOp):
                        (uses.sends if use.operation.END == "src" else uses.receives).append(each.operation)
        found.append(uses)
    return found
