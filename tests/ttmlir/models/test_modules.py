"""Modules of PyTorch as models: what they take and give, names, places, weights, and what is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import ttmlir
import ttmlir.torch
from tt_model.runtime.problems import RuntimeProblem


def drawn(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


class Tied(torch.nn.Module):
    """A table that is used twice, a mask that is no weight, inputs and outputs in structures, a named input."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Embedding(10, 16)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(16, 16) for _ in range(2))
        self.head = torch.nn.Linear(16, 10, bias=False)
        self.head.weight = self.table.weight
        self.register_buffer("mask", torch.arange(3) > 0)
        self.register_buffer("scale", torch.full((16,), 2.0))

    def forward(self, tokens: Any, more: dict[str, Any], *, gain: Any) -> Any:
        x = self.table(tokens) * gain
        for layer in self.layers:
            x = torch.relu(layer(x)) + more["bias"][0]
        x = x.masked_fill(self.mask[:, None], 0.0) * self.scale
        return {"scores": self.head(x), "rest": (x.mean(), tokens, None, 3, x > 0)}


def given() -> tuple[tuple[Any, Any], dict[str, Any]]:
    return (torch.tensor([[1, 9, 4], [0, 2, 2]]), {"bias": [drawn(3, 1)]}), {"gain": drawn(1)}


@pytest.fixture(scope="module")
def tied() -> tuple[Any, Any]:
    torch.manual_seed(0)
    module = Tied().eval()
    args, kwargs = given()
    return module, ttmlir.compile(module, *args, kwargs=kwargs, goldens=True)


def test_a_call_is_that_of_the_module(tied: tuple[Any, Any]) -> None:
    module, model = tied
    args, kwargs = given()
    got = model.run(*args, **kwargs)
    with torch.no_grad():
        wanted = module(*args, **kwargs)
    assert torch.allclose(got["scores"], wanted["scores"], rtol=1e-5, atol=1e-5)
    mean, tokens, nothing, three, positive = got["rest"]
    assert (mean.shape, nothing, three) == ((), None, 3)
    assert torch.allclose(mean, wanted["rest"][0], atol=1e-6)
    assert torch.equal(tokens, args[0]) and tokens.dtype is torch.int64
    assert torch.equal(positive, wanted["rest"][-1])
    assert model.report.leaks == []


def test_arguments_have_the_names_of_the_module_and_weights_are_the_modules(tied: tuple[Any, Any]) -> None:
    module, model = tied
    assert [(one.name, one.kind) for one in model.arguments] == [
        ("tokens", "input"), ("more_bias_0", "input"), ("gain", "input"),
        *((f"layers.{layer}.{name}", "weight") for layer in range(2) for name in ("weight", "bias")),
        ("head.weight", "weight"), ("scale", "weight"), ("constant.masked_fill", "constant"),
    ]  # fmt: skip
    assert model.weights["layers.1.bias"].data_ptr() == module.layers[1].bias.data_ptr()
    args, kwargs = given()
    with torch.no_grad():
        module.scale.mul_(3)
        assert torch.allclose(
            model.run(*args, **kwargs)["scores"], module(*args, **kwargs)["scores"], rtol=1e-5, atol=1e-4
        )
        module.scale.div_(3)


def test_operations_have_the_path_of_their_module_and_the_user_s_line(tied: tuple[Any, Any]) -> None:
    _, model = tied
    lines, first = inspect.getsourcelines(Tied)
    line = first + next(index for index, text in enumerate(lines) if "torch.relu(layer(x))" in text)
    places = [one.get("debug_info", "") for one in model.binary.programs[0]["operations"]]
    for name in ("layers.1.linear", "relu"):
        assert any(f'loc("{name}"("{__file__}":{line}:1))' in one for one in places), (name, places)


def test_golden_tensors_are_those_of_the_examples(tied: tuple[Any, Any], tmp_path: Path) -> None:
    _, model = tied
    args, kwargs = given()
    path = tmp_path / "tied.ttnn"
    model.save(path)
    loaded = ttmlir.load(path)
    scores = loaded.run(*model.program_inputs(*args, **kwargs))[0]
    golden = model.binary.programs[0]["debug_info"]["golden_info"]["golden_map"]
    kept = {one["key"]: one["value"] for one in golden}
    assert {"input_0", "input_5", "layers.0.linear", "head.linear_2"} <= set(kept), sorted(kept)
    values = torch.tensor(bytearray(bytes(kept["head.linear_2"]["data"])), dtype=torch.uint8).view(
        torch.float32
    )
    assert torch.allclose(values.reshape(scores.shape), scores, rtol=1e-5, atol=1e-5)


def test_shapes_are_enough_and_a_module_without_elements_compiles() -> None:
    with torch.device("meta"):
        module = torch.nn.Sequential(
            torch.nn.Linear(8, 4096), torch.nn.SiLU(), torch.nn.Linear(4096, 8)
        ).eval()
    model = ttmlir.compile(module.bfloat16(), ((2, 8), "bf16"))
    x = drawn(2, 8).bfloat16()
    with pytest.raises(RuntimeProblem, match=r"weight 0\.weight has no elements.*model\.weights\.update"):
        model.run(x)
    real = torch.nn.Sequential(torch.nn.Linear(8, 4096), torch.nn.SiLU(), torch.nn.Linear(4096, 8)).bfloat16()
    model.weights.update(real.state_dict())
    with torch.no_grad():
        assert torch.allclose(model.run(x), real(x), rtol=0.05, atol=0.02)


def test_an_exported_program_is_a_model() -> None:
    module = torch.nn.Linear(8, 4)
    program = torch.export.export(module, (drawn(2, 8),))
    assert torch.allclose(ttmlir.compile(program).run(drawn(2, 8)), module(drawn(2, 8)), atol=1e-5)


class Cached(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 2, 8, 4))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64), persistent=False)

    def forward(self, key: Any, place: Any, total: Any) -> Any:
        self.keys.index_copy_(2, place, key)
        self.calls += 1
        total.add_(key.sum())
        return self.keys.sum(2)


def test_what_a_module_writes_into_has_it_after_each_call() -> None:
    eager, module = Cached(), Cached()
    given = drawn(1, 2, 1, 4), torch.tensor([0]), torch.zeros(1)
    model = ttmlir.compile(module, *given)
    totals = torch.zeros(1), torch.zeros(1)
    for place in (0, 3, -1 % 8):
        key = drawn(1, 2, 1, 4) + place
        wanted = eager(key, torch.tensor([place]), totals[0])
        assert torch.allclose(model.run(key, torch.tensor([place]), totals[1]), wanted, atol=1e-5)
        assert torch.equal(module.keys, eager.keys) and torch.equal(module.calls, eager.calls)
        assert torch.allclose(*totals, atol=1e-5)


# What is refused.


class Function(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function
        self.register_buffer("state", torch.zeros(4))
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, *args: Any) -> Any:
        return self.function(self, *args)


class Cumulating(torch.nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.digamma(x) + torch.polygamma(1, x)


class Unlucky(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = torch.nn.Sequential(torch.nn.Linear(6, 6), Cumulating())

    def forward(self, x: Any) -> Any:
        y = self.blocks(x)
        z = torch.lgamma(y)
        return z @ torch.linalg.qr(z).R.t()


def test_everything_that_is_in_the_way_is_said_at_once_at_the_user_s_lines() -> None:
    with pytest.raises(ttmlir.CompileError) as caught:
        ttmlir.compile(Unlucky(), (4, 6))
    text = str(caught.value)

    def line(of: type, part: str) -> str:
        lines, first = inspect.getsourcelines(of)
        return f"{__file__}:{first + next(index for index, one in enumerate(lines) if part in one)}"

    assert text.startswith("Unlucky uses 4 functions that cannot be converted:\n")
    assert f"{line(Cumulating, 'digamma')}: aten.digamma.default in module blocks.1: TTIR has no" in text
    assert f"{line(Cumulating, 'polygamma')}: aten.polygamma.default in module blocks.1" in text
    assert f"{line(Unlucky, 'lgamma')}: aten.lgamma.default: TTIR has no operation for it" in text
    assert f"{line(Unlucky, 'qr')}: aten.linalg_qr.default" in text
    assert text.count("what works: ") == 4


REFUSED: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "training": (lambda self, x: self.dropout.train()(x), ((4,),), r"draws random numbers.*\n.*module\.eval\(\)"),
    "random": (lambda self, x: x + torch.rand(4), ((4,),), r"aten\.rand\S*: it draws random numbers"),
    "control flow": (lambda self, x: x if x.sum() > 0 else -x, ((4,),), rf"^{__file__}:\d+: Function decides by what is in a tensor"),
    "float64": (lambda self, x: x.double(), ((4,),), r"there are no tensors of float64.*\n.*float32 or bfloat16"),
    "half": (lambda self, x: x + 1, (torch.zeros(4).half(),), "input args_0: there are no tensors of float16"),
    "64 bits": (lambda self, n: n * n * n * n * n, (((4,), "i64"),), rf"{__file__}:\d+: aten\.mul\.Tensor: its int64 may need more than 32 bits"),
    "positions": (lambda self, x: torch.nn.functional.max_pool2d(x, 2, return_indices=True), ((1, 1, 4, 4),), r"positions of maxima are not available.*\n.*return_indices=False"),
    "pairs": (lambda self, x: x.sort().values, ((4, 5000),), r"sorting 4 x 5,000 elements.*\n.*torch\.topk"),
    "masks": (lambda self, x: x[x > 0], ((4,),), rf"^{__file__}:\d+: aten\.index\.Tensor: the number of elements depends on values of elements"),
    "no batch": (lambda self, x: torch.nn.functional.conv_transpose3d(x, x), ((2, 2, 3, 3, 3),), "a transposed convolution of 5 dim"),
    "no tensor": (lambda self, x: 3, ((4,),), "returns no tensor"),
    "a word": (lambda self, x: x, (((4,), "f8"),), "input 0 is of type 'f8'; there are f32, bf16"),
    "an input that is none": (lambda self, x: x, ("words",), "input 0 is 'words'; give a tensor, a shape"),
    "no extent": (lambda self, x: x, ((0, 4),), r"input 0 has the shape \(0, 4\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    function, inputs, text = REFUSED[name]
    with pytest.raises(ttmlir.CompileError, match=text):
        ttmlir.compile(Function(function).eval(), *inputs)


def test_sizes_that_are_no_numbers_are_refused() -> None:
    program = torch.export.export(
        torch.nn.Linear(8, 4), (drawn(2, 8),), dynamic_shapes=({0: torch.export.Dim("batch", max=64)},)
    )
    with pytest.raises(ttmlir.CompileError, match="shapes are not all numbers"):
        ttmlir.compile(program)


def test_calls_that_do_not_fit_are_said(tied: tuple[Any, Any]) -> None:
    _, model = tied
    args, kwargs = given()
    with pytest.raises(
        RuntimeProblem, match=r"compiled for \(tensor, .*gain=tensor\), and is called with \(tensor\)"
    ):
        model.run(args[0])
    with pytest.raises(
        RuntimeProblem, match=r"input tokens is of torch\.int32, and torch\.int64 is expected"
    ):
        model.run(args[0].int(), args[1], **kwargs)
    with pytest.raises(RuntimeProblem, match="row"):
        model.run(args[0] - (args[0] == 0) * 1, args[1], **kwargs)
    with pytest.raises(RuntimeProblem, match="shape"):
        model.run(args[0][:1], args[1], **kwargs)


def test_a_number_is_part_of_the_model() -> None:
    class Scaled(torch.nn.Module):
        def forward(self, x: Any, factor: float = 1.0) -> Any:
            return x * factor

    model = ttmlir.compile(Scaled(), (4,), 2.0)
    x = drawn(4)
    assert torch.equal(model.run(x, 2.0), 2 * x)
    with pytest.raises(
        RuntimeProblem, match=r"compiled for the input 2\.0 \(part of the model\), but is called with 3\.0"
    ):
        model.run(x, 3.0)
    with pytest.raises(RuntimeProblem, match="compiled for"):
        model.run(x)


def test_shapes_only_are_still_a_decorator() -> None:
    @ttmlir.compile((4, 4))
    def twice(x: Any) -> Any:
        return x + x

    assert torch.equal(twice.run(drawn(4, 4)), 2 * drawn(4, 4))
