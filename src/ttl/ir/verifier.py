"""Everything that can be wrong with a module: what the operations' own verifiers say, and dominance.

xDSL does not check that values are defined before they are used; this does. All findings are returned, each with
its place.
"""

from __future__ import annotations

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

from ttl.ir.reports import Report, about, note_at


def verify(root: Operation) -> list[Report]:
    """What is wrong, in the order of the text."""
    verifier = _Verifier()
    verifier.operation(root)
    return verifier.reports


class _Verifier:
    def __init__(self) -> None:
        self.reports: list[Report] = []
        self.visible: set[SSAValue] = set()

    def operation(self, op: Operation) -> None:
        before = len(self.reports)
        for index, operand in enumerate(op.operands):
            if operand not in self.visible:
                self.reports.append(_undominated(op, index, operand))
        if len(self.reports) == before:
            self._own(op)
        isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        outside, self.visible = self.visible, set() if isolated else self.visible
        for region in op.regions:
            self._region(region)
        self.visible = outside

    def _own(self, op: Operation) -> None:
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as problem:
            self.reports.append(about(op, f"'{op.name}' op {_plain(str(problem))}"))
        except Exception as problem:  # verifiers of other dialects raise what they like
            self.reports.append(about(op, f"'{op.name}' op {_plain(str(problem)) or type(problem).__name__}"))

    def _region(self, region: Region) -> None:
        if len(region.blocks) == 1:
            self.visible.difference_update(self._block(region.block))
            return
        defined = {block: _values_of(block) for block in region.blocks}
        dominance = DominanceInfo(region)
        for block in region.blocks:
            above = [
                value
                for other, values in defined.items()
                if dominance.strictly_dominates(other, block)
                for value in values
            ]
            self.visible.update(above)
            self.visible.difference_update(self._block(block), above)

    def _block(self, block: Block) -> list[SSAValue]:
        defined: list[SSAValue] = list(block.args)
        self.visible.update(block.args)
        for op in block.ops:
            self.operation(op)
            defined.extend(op.results)
            self.visible.update(op.results)
        return defined


def _values_of(block: Block) -> list[SSAValue]:
    return [*block.args, *(result for op in block.ops for result in op.results)]


def _undominated(op: Operation, index: int, operand: SSAValue) -> Report:
    where = operand.owner
    if isinstance(operand, BlockArgument):
        return about(op, f"operand #{index} is an argument of a block that it cannot be used from")
    assert isinstance(where, Operation)
    place = "in the same block" if where.parent is op.parent else "in another block or region"
    return about(
        op,
        f"operand #{index} does not dominate this use",
        note_at(where.location, f"operand defined here (op {place})"),
    )


def _plain(text: str) -> str:
    """A message of xDSL as MLIR's are: one line, lower case, no full stop, and not the IR after it."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = lines[-1] if lines and lines[0].startswith("Operation does not verify") else (lines or [""])[0]
    line = line.rstrip(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() else line
