"""Every pass of the pipeline keeps what random modules compute, and frees each tensor once, after its last use.

The second half takes a rule out of a pass, or makes it wrong in the way that the real project's was: the comparison must
notice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from support.random_programs.ttir.modules import CONSTRAINTS, Profile, random_module
from support.same_values import Changed, check_through
from support.shares import share
from tt_model.operations import kinds
from tt_model.operations.elementwise import TTIRElementwiseOp, TTIRSubtractOp
from tt_model.operations.operation import RowOperation
from tt_model.operations.shared import TTIRConcatOp, TTIRSliceOp, TTIRTransposeOp
from tt_model.operations.stages import OperationT
from tt_model.operations.ttir import (
    TTIRAllGatherOp,
    TTIRConvolutionOp,
    TTIREmbeddingOp,
    TTIRIndexOp,
    TTIRPoolingOp,
)
from tt_model.reference.interpreter import NotInterpretable
from ttl.ir.reports import InvalidIR
from ttmlir.transforms import deallocate, decomposition, to_ttnn
from ttmlir.transforms.canonicalize import CanonicalizeModule
from ttmlir.transforms.common_subexpressions import MergeCommonSubexpressions
from ttmlir.transforms.pipelines import TTIRToTTNNBackendPipeline
from ttmlir.transforms.remove_dead_values import RemoveDeadValues

SEEDS = 12  # in a part


def pipeline() -> list[ModulePass]:
    return TTIRToTTNNBackendPipeline().passes()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("part", share(range(5), 2))
@pytest.mark.parametrize("constraint", [*CONSTRAINTS, "mixed"])
def test_the_pipeline_keeps_values_and_frees_tensors_once(constraint: str, part: int) -> None:
    profile = Profile(constraint=constraint, share_destinations=part == 4)
    for seed in range(part * SEEDS, (part + 1) * SEEDS):
        _, run = check_through(random_module(seed, profile), pipeline())
        assert run.live == [], f"seed {seed}: never freed"


@pytest.mark.parametrize("part", share(range(3), 1))
def test_cleaning_up_between_any_two_passes_keeps_values(part: int) -> None:
    clean: list[ModulePass] = [CanonicalizeModule(), MergeCommonSubexpressions(), RemoveDeadValues()]
    passes = [*clean, *(step for one in pipeline() for step in (one, *clean))]
    for seed in range(500 + part * SEEDS, 500 + (part + 1) * SEEDS):
        check_through(random_module(seed), passes)


Make = Callable[[pytest.MonkeyPatch], object]


def _rule(kind: type[OperationT], changed: Callable[[OperationT, Any], None]) -> Make:
    return lambda patch: patch.setattr(to_ttnn.RULES, "of", _but(to_ttnn.RULES.of, kind, changed))


def _but(of: Callable[[Any], Any], kind: type[Operation], changed: Any) -> Callable[[Any], Any]:
    return lambda wanted: changed if wanted is kind else of(wanted)


def _decomposition(kind: type[RowOperation], change: Callable[[Operation], None]) -> Make:
    """The decomposition, and afterwards a change to the operation that it ends in or before its transpositions."""
    real = decomposition.DECOMPOSITIONS.of(kind)
    assert real is not None

    def wrong(op: RowOperation, emission: Any) -> Sequence[SSAValue]:
        values = real(op, emission)
        for value in values:
            maker = value.owner
            while isinstance(maker, TTIRTransposeOp):
                maker = maker.input.owner
            assert isinstance(maker, RowOperation)
            change(maker)
        return values

    stage = decomposition.DECOMPOSITIONS
    return lambda patch: patch.setattr(stage, "of", _but(stage.of, kind, wrong))


def _crossed_padding(op: Operation) -> None:
    properties = op.properties
    for one, other in (("left", "top"), ("right", "bottom")):
        properties[f"padding_{one}"], properties[f"padding_{other}"] = (
            properties[f"padding_{other}"],
            properties[f"padding_{one}"],
        )


def _first_padding_twice(op: Operation) -> None:
    op.properties["stride_width"] = op.properties["stride_height"]


def _whole_range(op: Operation) -> None:
    assert isinstance(op, TTIRSliceOp)
    op.properties["begins"] = kinds.I32_ARRAY.make([0] * len(op.begins))


def _sum_without_opposite(op: TTIRElementwiseOp, conversion: Any) -> None:
    init = conversion.use(op.inits[0])
    made = conversion.make("ttnn.add", [list(conversion.broadcast(op)), init], [init.type])
    conversion.become([op.result], [made.result])


def _weight_first(op: TTIREmbeddingOp, conversion: Any) -> None:
    init = conversion.use(op.inits[0])
    operands = [conversion.use(op.weight), init, conversion.use(op.input)]
    conversion.become([op.result], [conversion.make("ttnn.embedding", operands, [init.type]).result])


def _gathers_its_destination(op: TTIRAllGatherOp, conversion: Any) -> None:
    attributes = {"dim": op.dim, "num_links": 1}
    made = conversion.make("ttnn.all_gather", [conversion.use(op.inits[0])], [op.result.type], attributes)
    conversion.become([op.result], [made.result])


def _next_dimension(op: TTIRConcatOp, conversion: Any) -> None:
    init = conversion.use(op.inits[0])
    inputs = [conversion.whole(value) for value in op.inputs]
    dim = (op.dim + 1) % len(init.type.get_shape())
    made = conversion.make("ttnn.concat", [inputs, init], [init.type], {"dim": dim})
    conversion.become([op.result], [made.result])


def _one_too_early(patch: pytest.MonkeyPatch) -> None:
    real = deallocate.last_use

    def earlier(op: Operation, value: SSAValue, position: dict[Operation, int]) -> Operation:
        last = real(op, value, position)
        before = last.prev_op
        return last if last is op or before is None or last.name == "func.return" else before

    patch.setattr(deallocate, "last_use", earlier)


def _never(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(deallocate, "_deallocate", lambda block: None)


def _shared_destinations(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(to_ttnn, "_separate_destinations", lambda block: None)


def _zeros(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(to_ttnn, "splat_of", lambda op: 0.0)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("operations", "defect"),
    [
        (("subtract",), _rule(TTIRSubtractOp, _sum_without_opposite)),
        (("embedding", "gather"), _rule(TTIREmbeddingOp, _weight_first)),
        (("all_gather",), _rule(TTIRAllGatherOp, _gathers_its_destination)),
        (("concat",), _rule(TTIRConcatOp, _next_dimension)),
        (("constant",), _zeros),
        (("index",), _decomposition(TTIRIndexOp, _whole_range)),
        (("pooling",), _decomposition(TTIRPoolingOp, _crossed_padding)),
        (("convolution",), _decomposition(TTIRConvolutionOp, _crossed_padding)),
        (("convolution",), _decomposition(TTIRConvolutionOp, _first_padding_twice)),
        (("relu", "add"), _one_too_early),
        (("relu", "add"), _never),
        (("relu", "neg"), _shared_destinations),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else getattr(value, "__name__", ""),
)
def test_a_wrong_rule_is_noticed(
    operations: tuple[str, ...], defect: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = Profile(operations=operations, length=(2, 5), functions=0, constraint="any_device_tile")
    assert [_right(profile, seed) for seed in range(12)] == [[]] * 12
    defect(monkeypatch)
    assert any(_problems(profile, seed) for seed in range(12))


@cache
def _right(profile: Profile, seed: int) -> list[str]:
    """What is wrong with a module without any defect: called before there is one, and the same for all defects."""
    return _problems(profile, seed)


def _problems(profile: Profile, seed: int) -> list[str]:
    passes = pipeline()
    # Equal destinations become one, behind the layouts that each operation asked for.
    place = next(index for index, step in enumerate(passes) if step.name == "convert-ttir-to-ttnn")
    passes.insert(place, MergeCommonSubexpressions())
    try:
        _, run = check_through(random_module(seed, profile), passes)
    except (Changed, InvalidIR, NotInterpretable) as problem:
        return [str(problem)]
    return [f"seed {seed}: {op.name} is never freed" for op in run.live]
