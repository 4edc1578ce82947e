"""The verification of a module: the operations' own verifiers, and dominance.

xDSL does not check that values are defined before they are used; this does. All findings are returned, each with its place."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from ttl.ir.reports import InvalidIR, Report, about, note_at
from ttl.ir.wording import of_operation, repeated_symbols


def verify(root: Operation) -> list[Report]:
    """Return the errors in an operation and all operations in it, in the order of the text."""
    verifier = _Verifier()
    verifier.operation(root)
    return verifier.reports


class Violation(VerifyException):
    """A violation found by a verifier that uses MLIR's words: its text is reported unchanged."""


def require_valid(root: Operation) -> None:
    """Raise ``InvalidIR`` if there is an error."""
    if reports := verify(root):
        raise InvalidIR(*reports)


class RepeatedVerification:
    """Verifies one module again and again, between passes.

    Dominance is checked every time. An operation's own verifier, which takes most of the time, is called again only if
    the operation's operands, attributes, blocks or place have changed; for the last operation of a block, also when the
    operation around it has. ``verify`` calls all of them.
    """

    def __init__(self) -> None:
        self._right: dict[Operation, tuple[object, ...]] = {}

    def verify(self, root: Operation) -> list[Report]:
        """Return the errors, in the order of the text."""
        verifier = _Verifier(self._right)
        verifier.operation(root)
        return verifier.reports

    def require_valid(self, root: Operation) -> None:
        """Raise ``InvalidIR`` if there is an error."""
        if reports := self.verify(root):
            raise InvalidIR(*reports)


def _look_of(op: Operation) -> tuple[object, ...]:
    """Return the parts of an operation that its own verifier can see without looking at other operations."""
    operands, results = tuple(op.operands), op.results
    return (
        op.parent,
        results,
        *operands,
        # Passes change the types of values in place.
        *(operand.type for operand in operands),
        *(result.type for result in results),
        *op.attributes,
        *op.attributes.values(),
        *op.properties.values(),
        *(len(region.blocks) for region in op.regions),
    )


def _look_of_last(op: Operation) -> tuple[object, ...]:
    """Return the parts of the last operation of a block that its verifier sees: those of ``_look_of``, the operation around it
    and its successors."""
    around = op.parent_op()
    return (
        *_look_of(op),
        *(part for block in op.successors for part in (block, *block.arg_types)),
        *(() if around is None else (around, *_look_of(around))),
        "last",
    )


class _Verifier:
    def __init__(self, right: dict[Operation, tuple[object, ...]] | None = None) -> None:
        self.reports: list[Report] = []
        # The error in each type that was verified.
        self.types: dict[Attribute, str | None] = {}
        self.visible: set[SSAValue] = set()
        # Operations that were valid, with the parts that were verified.
        self.right = right

    def operation(self, op: Operation) -> None:
        before = len(self.reports)
        for index, operand in enumerate(op.operands):
            if operand not in self.visible:
                self.reports.append(_undominated(op, index, operand))
        if len(self.reports) == before and not self._is_known(op):
            misplaced = _misplaced(op)
            if misplaced is not None:
                self.reports.append(about(op, misplaced))
            else:
                self._own(op)
            self._types_of(op, "result", op.results)
        isolated = op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        outside, self.visible = self.visible, set() if isolated else self.visible
        for region in op.regions:
            self._region(region)
        self.visible = outside

    def _types_of(self, op: Operation, what: str, values: Sequence[SSAValue]) -> None:
        """Report a tensor type whose encoding does not fit its tensor: MLIR's ``VerifiableTensorEncoding``."""
        for number, value in enumerate(values):
            type = value.type
            if not isinstance(type, TensorType):
                continue
            problem_of = getattr(type.encoding, "problem_with_tensor", None)
            if problem_of is None:
                continue
            if type not in self.types:
                self.types[type] = problem_of(type.get_shape())
            if (problem := self.types[type]) is not None:
                self.reports.append(about(op, f"'{op.name}' op {what} #{number}: {problem}"))
                return

    def _is_known(self, op: Operation) -> bool:
        if self.right is None:
            return False
        is_last = op.next_op is None
        if is_last and op.regions:  # symbols, kernels, functions: their contents decide
            return False
        look = _look_of_last(op) if is_last else _look_of(op)
        known = self.right.get(op)
        self.right[op] = look
        return known == look

    def _own(self, op: Operation) -> None:
        words = of_operation(op)
        if words is not None:
            self.reports.append(about(op, words))
            return
        if repeated := repeated_symbols(op):
            self.reports += [
                about(
                    again,
                    f"redefinition of symbol named '{name}'",
                    note_at(first.location, "see existing symbol definition here"),
                )
                for again, first, name in repeated
            ]
            return
        try:
            op.verify(verify_nested_ops=False)
        except Violation as problem:
            self.reports.append(about(op, f"'{op.name}' op {problem}"))
        except VerifyException as problem:
            self.reports.append(about(op, f"'{op.name}' op {_plain(str(problem))}"))
        except Exception as problem:  # verifiers of other dialects may raise anything
            self.reports.append(about(op, f"'{op.name}' op {_plain(str(problem)) or type(problem).__name__}"))

    def _region(self, region: Region) -> None:
        around = region.parent
        for block in region.blocks:
            if block.args and around is not None:
                self._types_of(around, "argument", block.args)
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


def _misplaced(op: Operation) -> str | None:
    """Return the error in the place of an operation in its block, in MLIR's words: terminators end blocks, other operations do
    not."""
    block = op.parent
    if block is None:
        return None
    is_last = block.last_op is op
    if op.has_trait(IsTerminator, value_if_unregistered=is_last):
        return None if is_last else f"'{op.name}' op must be the last operation in the parent block"
    region = block.parent
    if not is_last or region is None or region.parent is None:
        return None
    if len(region.blocks) == 1 and region.parent.has_trait(NoTerminator):
        return None
    return f"block with no terminator, has {str(op).splitlines()[0]}"


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
    """Return a message of xDSL in MLIR's style: one line, lower case, no full stop, and not the IR after it."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = lines[-1] if lines and lines[0].startswith("Operation does not verify") else (lines or [""])[0]
    line = line.rstrip(".")
    return line[:1].lower() + line[1:] if line[1:2].islower() else line
