"""Operations in the order of dimensions that their neighbours want: the same values, never more transposes, few in real models."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from support.random_programs.ttir.modules import Profile, random_module
from support.same_values import check_through
from ttmlir.transforms.decomposition import DecomposeTTIR
from ttmlir.transforms.inline import InlineCalls
from ttmlir.transforms.orders.propagate_transposes import PropagateTransposes, propagate_transposes
from ttmlir.transforms.pipelines import TTIRToTTNNBackendPipeline

OPERATIONS = (
    *("transpose", "convolution", "pooling", "relu", "add", "where", "typecast", "clamp", "constant", "broadcast"),
    *("concat", "slice", "sum", "mean", "softmax", "reshape", "squeeze", "unsqueeze", "matmul"),
)  # fmt: skip
PROFILE = Profile(operations=OPERATIONS, length=(5, 30), functions=1, constraint="any_device_tile")
MODELS = Path(__file__).parents[3] / "examples" / "models"


def transposes(module: ModuleOp) -> int:
    return sum(op.name == "ttir.transpose" for op in module.walk())


def operations(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def test_random_modules_compute_the_same_with_fewer_transposes() -> None:
    total = [0, 0]
    for seed in range(40):
        random = random_module(seed, PROFILE)
        before, _ = check_through(random, [DecomposeTTIR(), InlineCalls()])
        after, _ = check_through(random, [DecomposeTTIR(), InlineCalls(), PropagateTransposes()])
        assert transposes(after) <= transposes(before), seed
        total = [total[0] + transposes(before), total[1] + transposes(after)]
        known = operations(after)
        assert propagate_transposes(after) == {} and operations(after) == known, f"seed {seed}: not settled"
    assert total[1] < total[0] / 2, total


def test_what_it_leaves_is_compiled_to_ttnn_and_frees_every_tensor() -> None:
    pipeline = TTIRToTTNNBackendPipeline(propagate_transposes=True)
    for seed in range(100, 112):
        _, run = check_through(random_module(seed, PROFILE), pipeline.passes())
        assert run.live == [], f"seed {seed}: never freed"


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("name", "before", "after"),
    # What is left: two exchanges for each image in and out, those of attention and of weights of linear layers.
    [("mnist", 10, 4), ("resnet", 12, 4), ("unet", 35, 9), ("vit", 18, 13)],
)
def test_images_are_transposed_at_the_ends_of_a_model(name: str, before: int, after: int) -> None:
    pytest.importorskip("torch")
    import ttmlir.torch
    from support.ttmlir_models import golden_run

    sys.path.insert(0, str(MODELS))
    try:
        import ten_models
    finally:
        sys.path.remove(str(MODELS))
    example = ten_models.example(name)
    written = ttmlir.torch.to_ttir(example.module, *example.inputs).operation.xdsl
    assert isinstance(written, ModuleOp)
    for step in (DecomposeTTIR(), InlineCalls()):
        step.apply(None, written)  # type: ignore[arg-type]
    assert transposes(written) == before
    propagate_transposes(written)
    assert transposes(written) == after
    if name == "resnet":
        # Golden tensors of torch are permuted as the results are.
        model = ttmlir.torch.compile(example.module, *example.inputs, goldens=True)
        run = golden_run(model.binary, inputs=model.program_inputs(*example.inputs))
        assert run.complaint() == "" and len(run.golden.stored) > 15
        assert all(one.pcc > 0.9999 for one in run.golden.comparisons)
