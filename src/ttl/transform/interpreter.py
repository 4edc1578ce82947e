"""The interpreter of sequences, which runs steps one after the other, and passes according to their contracts.

The ``Effect`` of each kind of step is in ``control.py``, ``loops.py``, ``structured.py`` or ``scheduling.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.transform import NamedSequenceOp
from xdsl.ir import Block, Operation, Region
from xdsl.passes import ModulePass

from ttl.dialects.structure import OperationOp
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLegalized, NotLowered, NotReady, Remarks
from ttl.ir.pipeline import PassPipeline
from ttl.ir.reports import Report
from ttl.ir.verifier import verify
from ttl.passes.building import detach
from ttl.passes.contracts import PassFact, contract_of
from ttl.transform.dialect import TransformStep, YieldStep
from ttl.transform.payload import Payload, StepFailure

MAIN = "__transform_main"
REST = "ttl-lower-to-ttkernel"
"""The pipeline of the compiler's passes that have not run yet."""


def run_pass(one: ModulePass, module: ModuleOp) -> None:
    """Run a pass: the default of ``SequenceInterpreter.apply``."""
    one.apply(Context(), module)


def nobody(step: Operation, module: ModuleOp) -> None:
    """Do nothing after a step: the default of ``SequenceInterpreter.after``."""


@dataclass(kw_only=True)
class SequenceInterpreter:
    """Runs sequences on a module.

    ``default`` are the compiler's own passes, for ``ttl-lower-to-ttkernel``; ``apply`` runs a pass, ``after`` is called
    after each step that changes the program itself (``CHANGES``). ``reports`` are warnings and remarks of steps.
    """

    effects: Mapping[type[TransformStep], Effect]
    passes: Sequence[type[ModulePass]]
    pipelines: Mapping[str, type[PassPipeline]] = field(default_factory=dict)
    default: Sequence[ModulePass] = ()
    apply: Callable[[ModulePass, ModuleOp], None] = run_pass
    after: Callable[[Operation, ModuleOp], None] = nobody
    most_steps: int | None = None
    """The number of steps of the first sequence to run; None: all. It is set to search for a wrong step."""
    reports: list[Report] = field(default_factory=list)
    named: Mapping[str, NamedSequenceOp] = field(default_factory=dict)

    def run(self, sequence: Operation, root: ModuleOp, state: Payload | None = None) -> Payload:
        """Run a sequence on a module. Raises ``StepFailure``."""
        state = state or Payload(root)
        state.root = root
        body = sequence.regions[0].block
        if body.args:
            state.name(body.args[0], [root])
        try:
            self.block(state, body, self.most_steps)
        except StepFailure as failure:
            if not (failure.silenceable and isinstance(sequence, TransformStep) and sequence.suppresses):
                raise
        return state

    def finish(self, state: Payload, step: Operation) -> None:
        """Run the compiler's passes that have not run yet on every operation of the module."""
        for one in self.default:
            for op in list(state.root.body.block.ops):
                if is_left(state, one, [op]):
                    self.passed(state, step, one, op)

    def block(self, state: Payload, block: Block, most: int | None = None) -> Sequence[Operation]:
        """Run the steps of a block, at most ``most``; return the operation at which they end, or an empty list."""
        for number, step in enumerate(block.ops):
            if isinstance(step, YieldStep) or (most is not None and number >= most):
                return [step]
            self.step(state, step)
        return []

    def step(self, state: Payload, step: Operation) -> None:
        """Run one step; if it changes the program itself, verify the IR. Raises ``StepFailure``."""
        effect = self.effects.get(type(step)) if isinstance(step, TransformStep) else None
        if effect is None or not isinstance(step, TransformStep):
            raise StepFailure(step, f"{step.name} is not a step of a schedule", silenceable=False)
        effect(self, state, step)
        if step.CHANGES:
            self.checked(state, step)
            self.after(step, state.root)

    def checked(self, state: Payload, step: Operation) -> None:
        """Verify the IR after a step; raises ``StepFailure``, which cannot be silenced, if it is invalid."""
        wrong = [report for report in verify(state.root) if report.severity == "error"]
        if wrong:
            raise StepFailure(step, f"{step.name} makes wrong IR: {wrong[0].message}", silenceable=False)

    def passed(self, state: Payload, step: Operation, one: ModulePass, target: Operation) -> list[Operation]:
        """Run a pass on an operation; return the operations that replace it.

        Raises ``StepFailure`` if the contract of the pass does not allow that, or the pass fails.
        """
        before = subjects(target)
        contract = contract_of(one)
        if before and contract is None:
            raise StepFailure(
                step, f"the pass {one.name} declares no contract, so it cannot run on operations of ttl", at=target, illegal=True
            )  # fmt: skip
        makers = {fact: other.name for other in self.default for fact in _gives(other)}
        for op in before if contract is not None else ():
            why = contract.violation(state.facts.of(op), makers) if contract is not None else None
            if why is not None:
                raise StepFailure(step, f"the pass {one.name} cannot run here: {why}", at=op, illegal=True)
        if isinstance(target, ModuleOp):
            self._apply(step, one, target, target)
            after: list[Operation] = [target]
        else:
            after = self._apply_alone(state, step, one, target)
        if contract is not None:
            state.facts.ran(contract, before, [item for op in after for item in subjects(op)])
        return after

    def _apply(self, step: Operation, one: ModulePass, module: ModuleOp, at: Operation) -> None:
        try:
            self.apply(one, module)
        except NotLowered as said:
            errors = [finding for finding in said.diagnostics if finding.severity.value == "error"]
            if errors:
                raise StepFailure(step, f"the pass {one.name} failed", at=at, diagnostics=errors) from said
        except Remarks as said:
            self.reports += said.reports
        except NotLegalized as said:
            raise StepFailure(step, f"the pass {one.name} failed: {said}", at=at) from said
        except NotReady as said:
            raise StepFailure(step, f"not ready for the pass {one.name}: {said}", at=at) from said

    def _apply_alone(
        self, state: Payload, step: Operation, one: ModulePass, target: Operation
    ) -> list[Operation]:
        """Run a pass on a module that contains only the operation."""
        block = target.parent
        if block is None or block.parent_op() is not state.root:
            raise StepFailure(
                step, f"{target.name} is inside of an operation: passes run on whole ones; match that instead", at=target, silenceable=False
            )  # fmt: skip
        following = target.next_op
        detach(target)
        alone = ModuleOp(Region(Block([target])))
        try:
            self._apply(step, one, alone, target)
        finally:
            new_ops = list(alone.body.block.ops)
            for op in new_ops:
                detach(op)
            if following is None:
                block.add_ops(new_ops)
            else:
                block.insert_ops_before(new_ops, following)
        return new_ops


def _gives(one: ModulePass) -> tuple[PassFact, ...]:
    contract = contract_of(one)
    return () if contract is None else contract.gives


def subjects(op: Operation) -> list[Operation]:
    """The ``OperationOp`` or ``ProgramOp`` that an operation is, or is in; for a module, all that it contains."""
    if isinstance(op, ModuleOp):
        return [item for item in op.body.block.ops if isinstance(item, OperationOp | ProgramOp)]
    while op.parent_op() is not None and not isinstance(op, OperationOp | ProgramOp):
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return [op] if isinstance(op, OperationOp | ProgramOp) else []


def is_left(state: Payload, one: ModulePass, targets: Sequence[Operation]) -> bool:
    """Whether a pass can run on operations: it has a contract, which they meet, and it did not run on them before."""
    contract = contract_of(one)
    facts = [state.facts.of(op) for target in targets for op in subjects(target)]
    return contract is not None and all(contract.violation(held) is None for held in facts)


Effect = Callable[[SequenceInterpreter, Payload, TransformStep], None]
