"""Programs that follow each other on a device."""

from __future__ import annotations

from typing import Any

import pytest

import ttmlir
from tt_model.runtime.problems import RuntimeProblem
from ttrt import runtime

torch = pytest.importorskip("torch")


def models(dtype: str = "bf16") -> tuple[ttmlir.LoadedModel, ttmlir.LoadedModel]:
    @ttmlir.compile(((64, 128), dtype), ((128, 32), dtype))
    def first(x: Any, w: Any) -> Any:
        return torch.relu(x @ w) + 1

    @ttmlir.compile(((64, 32), dtype))
    def second(x: Any) -> Any:
        return torch.softmax(x * x, -1)

    return first, second


@pytest.mark.parametrize("dtype", ["bf16", "f32"])
def test_two_binaries_give_what_they_give_through_the_host(dtype: str) -> None:
    first, second = models(dtype)
    kind = torch.bfloat16 if dtype == "bf16" else torch.float32
    given = [torch.randn(shape).to(kind) for shape in ((64, 128), (128, 32))]
    both = ttmlir.stitch(first, second)
    assert torch.equal(both.run(*given), second.run(first.run(*given)))
    assert both.moved == []
    assert both._device is not None and list(both._device.live()) == []
    for stage in both._stages:
        kinds = [step.at.kind for step in stage.program.steps]
        assert not {"ToDeviceOp", "FromDeviceOp", "ToLayoutOp"} & set(kinds), kinds


def test_tensors_are_brought_to_what_the_next_program_wants() -> None:
    first, second = models()
    device = runtime.open_device()
    given = [torch.randn(shape).to(torch.bfloat16) for shape in ((64, 128), (128, 32))]
    layouts = runtime.get_input_layouts(first.binary, 0)
    assert [(one.tiled, one.config is not None) for one in layouts] == [(True, True)] * 2
    placed = [runtime.to_layout(runtime.Tensor(one), device, layout) for one, layout in zip(given, layouts)]
    (middle,) = runtime.submit_on_device(device, first.binary, 0, placed)
    (wanted,) = runtime.get_input_layouts(second.binary, 0)
    assert runtime.has_layout(middle, wanted)
    assert runtime.to_layout(middle, device, wanted) is middle
    (last,) = runtime.submit_on_device(device, second.binary, 0, [middle])
    assert torch.equal(runtime.to_host(last), second.run(first.run(*given)))
    for one in [*placed, middle, last]:
        assert isinstance(one, runtime.DeviceTensor) and one.is_allocated
        runtime.deallocate_tensor(one)
    assert list(device.simulated.live()) == []
    with pytest.raises(RuntimeProblem, match=r"deallocated twice: 64x32 bf16, tiles, DRAM"):
        runtime.deallocate_tensor(last)
    with pytest.raises(RuntimeProblem, match="used after it was deallocated"):
        runtime.submit_on_device(device, second.binary, 0, [middle])


def test_another_type_is_copied_and_the_copy_given_back() -> None:
    _, second = models("f32")
    device = runtime.open_device()
    given = torch.randn(64, 32).to(torch.bfloat16)
    (result,) = runtime.submit_on_device(device, second.binary, 0, [runtime.Tensor(given)])
    assert torch.equal(runtime.to_host(result), second.run(given.float()))
    assert len(list(device.simulated.live())) == 1


def test_inputs_that_are_used_twice_and_results_that_are_inputs() -> None:
    @ttmlir.compile(((32, 32), "bf16"))
    def square(x: Any) -> Any:
        return x * x, x

    given = torch.randn(32, 32).to(torch.bfloat16)
    both = ttmlir.stitch(square)
    product, same = both.run(given)
    assert torch.equal(product, given * given) and torch.equal(same, given)
    assert both._device is not None and list(both._device.live()) == []


def test_models_that_do_not_fit() -> None:
    first, second = models()
    with pytest.raises(RuntimeProblem, match="first takes 2 tensors, and got 1"):
        ttmlir.stitch(second, first).run(torch.randn(64, 32).to(torch.bfloat16))
    with pytest.raises(RuntimeProblem, match="stitch needs at least one model"):
        ttmlir.stitch()
    with pytest.raises(ValueError, match="several binaries"):
        ttmlir.stitch(first, second).save("x.ttnn")
