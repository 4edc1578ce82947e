"""Steps that contain or call other steps, run passes, and pass handles and parameters on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.transform import OperationType
from xdsl.ir import Block, Operation

from ttl.diag.errors import WrongRequest
from ttl.ir.locations import first_span
from ttl.ir.pipeline import WrittenPass, parse_options, steps_of
from ttl.ir.reports import Report
from ttl.passes.building import detach
from ttl.transform import dialect as steps
from ttl.transform.dialect import TransformStep
from ttl.transform.interpreter import REST, Effect, SequenceInterpreter, is_left
from ttl.transform.payload import Payload, StepFailure


def _sequence(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    body = step.regions[0].block
    for argument, value in zip(body.args, step.operands, strict=False):
        state.bind(argument, value)
    if not step.operands and body.args:
        state.name(body.args[0], [state.root])
    _into(own, state, step, body, step.suppresses)


def _include(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    name = step.text("target") or ""
    called = own.named.get(name)
    if called is None:
        raise StepFailure(step, f"no named sequence @{name}", silenceable=False)
    body = called.body.block
    if len(body.args) != len(step.operands):
        wanted = len(body.args)
        raise StepFailure(
            step, f"@{name} takes {wanted} operands, not {len(step.operands)}", silenceable=False
        )
    parent = step.parent_op()
    while parent is not None:
        if parent is called:
            raise StepFailure(step, f"@{name} includes itself", silenceable=False)
        parent = parent.parent_op()
    for argument, value in zip(body.args, step.operands, strict=True):
        state.bind(argument, value)
    _into(own, state, step, body, step.suppresses)
    for number, argument in enumerate(body.args):
        if argument in state.consumed:
            state.consumed.setdefault(step.operands[number], step)


def _into(
    own: SequenceInterpreter, state: Payload, step: TransformStep, body: Block, suppresses: bool
) -> None:
    """Run the steps of a region, and bind the results of ``step`` to the values that the region yields."""
    end: Sequence[Operation] = ()
    try:
        end = own.block(state, body)
    except StepFailure as failure:
        if not (failure.silenceable and suppresses):
            raise
        state.forget_erased()
    values = end[0].operands if end else ()
    for result, value in zip(step.results, values, strict=False):
        state.bind(result, value)
    for result in step.results[len(values) :]:
        state.name(result, ())


def _foreach(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    body = step.regions[0].block
    handles = [state.operations(step, number) for number in range(len(step.operands))]
    if len({len(named) for named in handles}) > 1:
        raise StepFailure(step, "the handles of a foreach do not name equally many operations")
    gathered: list[list[Operation]] = [[] for _ in step.results]
    for iteration in zip(*handles, strict=True):
        for argument, op in zip(body.args, iteration, strict=True):
            state.name(argument, [op])
        end = own.block(state, body)
        for held, value in zip(gathered, end[0].operands if end else (), strict=False):
            held += state.handles.get(value, ())
    for result, named in zip(step.results, gathered, strict=True):
        state.name(result, named)


def _alternatives(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    scopes = state.operations(step) if step.operands else list(state.root.body.block.ops)
    for scope in scopes:
        if scope.parent_op() is not state.root:
            raise StepFailure(
                step, "alternatives are tried on whole operations: match these", at=scope, silenceable=False
            )
    failures: list[StepFailure] = []
    for region in step.regions:
        copies = {scope: scope.clone() for scope in scopes}
        for scope, copy in copies.items():
            _take_over(scope, copy)
            block = scope.parent
            assert block is not None
            block.insert_op_before(copy, scope)
            detach(scope)
            state.facts.facts[copy] = state.facts.of(scope)
        before = list(state.root.body.block.ops)
        if region.block.args:
            state.name(region.block.args[0], copies.values() if step.operands else [state.root])
        try:
            end = own.block(state, region.block)
        except StepFailure as failure:
            _put_back(state, scopes, copies, before)
            if not failure.silenceable:
                raise
            failures.append(failure)
            continue
        state.consume(scopes, step)
        for result, value in zip(step.results, end[0].operands if end else (), strict=False):
            state.bind(result, value)
        return
    said = failures[-1] if failures else None
    raise StepFailure(
        step,
        "all alternatives failed"
        if said is None
        else f"all alternatives failed; the last one: {said.message}",
        at=None if said is None else said.at,
        diagnostics=() if said is None else said.diagnostics,
    )


def _take_over(old: Operation, new: Operation) -> None:
    """Copy the locations of an operation, and of the operations in it, to its copy."""
    for one, other in zip(old.walk(), new.walk(), strict=True):
        other.location = one.location


def _put_back(
    state: Payload,
    scopes: Sequence[Operation],
    copies: Mapping[Operation, Operation],
    before: Sequence[Operation],
) -> None:
    """Restore the module as it was before an alternative: originals replace copies, even changed or erased ones."""
    block = state.root.body.block
    for op in list(block.ops):
        detach(op)
    original = {copy: scope for scope, copy in copies.items()}
    block.add_ops([original.get(op, op) for op in before])


def _registered(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    name, text = step.text("pass_name") or "", step.text("options") or ""
    targets = state.operations(step)
    try:
        if name == REST:
            chosen = list(own.default)
        else:
            chosen = steps_of(
                [WrittenPass(name=name, options=parse_options(text))], own.passes, own.pipelines
            )
    except WrongRequest as problem:
        raise StepFailure(step, str(problem), silenceable=False) from None
    state.consume(targets, step)
    new_ops: list[Operation] = []
    for target in targets:
        now = [target]
        for one in chosen:
            if name == REST and not is_left(state, one, now):
                continue
            now = [item for op in now for item in own.passed(state, step, one, op)]
        new_ops += now
    for result in step.results:
        state.name(result, new_ops)


def _constant(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    value = step.attributes["value"]
    if not isinstance(value, IntegerAttr):
        raise StepFailure(step, "parameters are whole numbers", silenceable=False)
    state.parameters[step.results[0]] = [value.value.data]


def _count(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    state.parameters[step.results[0]] = [len(state.operations(step))]


def _merge(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    named = [op for number in range(len(step.operands)) for op in state.operations(step, number)]
    state.name(step.results[0], dict.fromkeys(named) if "deduplicate" in step.attributes else named)


def _split_handle(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    named = state.operations(step)
    if len(named) != len(step.results):
        raise StepFailure(
            step,
            f"expected to contain {len(step.results)} operation handles but it only contains {len(named)} handles",
        )
    for result, op in zip(step.results, named, strict=True):
        state.name(result, [op])


def _parent(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    wanted = step.text("op_name")
    gathered: dict[Operation, None] = {}
    for op in state.operations(step):
        parent = op.parent_op()
        while parent is not None and wanted is not None and parent.name != wanted:
            parent = parent.parent_op()
        if parent is None or parent is state.root.parent_op():
            raise StepFailure(step, f"could not find a parent op {wanted or ''}".rstrip(), at=op)
        gathered[parent] = None
    state.name(step.results[0], gathered)


def _cast(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    type_ = step.results[0].type
    named = state.operations(step)
    for op in named:
        if isinstance(type_, OperationType) and op.name != type_.operation.data:
            raise StepFailure(
                step,
                f"incompatible payload operation name expected {type_.operation.data} vs {op.name}",
                at=op,
            )
    state.name(step.results[0], named)


def _print(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    title = step.text("name")
    for op in state.operations(step):
        text = f"[[[ IR printer{f': {title}' if title else ''} ]]]\n{op}"
        own.reports.append(Report(message=text, severity="note"))


def _remark(own: SequenceInterpreter, state: Payload, step: TransformStep) -> None:
    for op in state.operations(step):
        own.reports.append(
            Report(message=step.text("message") or "", severity="note", span=first_span(op.location))
        )


EFFECTS: Mapping[type[TransformStep], Effect] = {
    steps.SEQUENCE: _sequence,
    steps.INCLUDE: _include,
    steps.FOREACH: _foreach,
    steps.ALTERNATIVES: _alternatives,
    steps.APPLY_REGISTERED_PASS: _registered,
    steps.PARAM_CONSTANT: _constant,
    steps.NUM_ASSOCIATIONS: _count,
    steps.MERGE_HANDLES: _merge,
    steps.SPLIT_HANDLE: _split_handle,
    steps.GET_PARENT: _parent,
    steps.CAST: _cast,
    steps.PRINT: _print,
    steps.EMIT_REMARK: _remark,
}
