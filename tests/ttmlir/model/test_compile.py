"""Functions of torch as models: compiled, run, saved and loaded."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ttmlir

torch = pytest.importorskip("torch")


def drawn(*shape: int, dtype: Any = None) -> Any:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))
    return values if dtype is None else values.to(dtype)


def test_a_function_of_torch_is_a_model(tmp_path: Path) -> None:
    @ttmlir.compile(((64, 128), "bf16"), ((128, 32), "bf16"), ((32,), "bf16"))
    def layer(x: Any, w: Any, b: Any) -> Any:
        y = torch.relu(x @ w + b.reshape(1, 32))
        y = torch.nn.functional.softmax(y * 2.0 - 1, dim=-1)
        return y[:, 0:16], (1 - y).mean(1, keepdim=True)

    given = [drawn(*shape, dtype=torch.bfloat16) for shape in ((64, 128), (128, 32), (32,))]
    part, mean = layer.run(*given)
    x, w, b = given
    wanted = torch.softmax((torch.relu(x @ w + b) * 2 - 1).float(), -1)
    assert torch.allclose(part.float(), wanted[:, :16], atol=0.02)
    assert torch.allclose(mean.float(), (1 - wanted).mean(1, keepdim=True), atol=0.02)
    assert layer.report is not None and layer.report.leaks == []
    assert '"ttnn.matmul"' in str(layer.module)
    path = tmp_path / "layer.ttnn"
    layer.save(path)
    assert torch.equal(ttmlir.load(path).run(*given)[0], part)


def test_a_model_says_what_it_is(tmp_path: Path) -> None:
    import ttmlir.torch

    model = ttmlir.torch.compile(torch.nn.Linear(64, 32), drawn(8, 64))
    operations = len(model.binary.programs[0]["operations"])
    size = f"{operations} operations on wormhole_b0"
    assert repr(model) == f"<TorchModel Linear: (8x64 f32) and 2 weights -> 8x32 f32, {size}>"
    model.save(tmp_path / "model.ttnn")
    loaded = ttmlir.load(tmp_path / "model.ttnn")
    assert repr(loaded) == f"<LoadedModel Linear: (8x64 f32, 32x64 f32, 32 f32) -> 8x32 f32, {size}>"
    broken = ttmlir.load(tmp_path / "model.ttnn")
    del broken.binary.programs[0]["inputs"][0]["desc"]
    assert repr(broken).startswith("<LoadedModel Linear, which cannot be run: ")


def test_places_in_the_model_are_in_the_binary() -> None:
    @ttmlir.compile((32, 32))
    def model(x: Any) -> Any:
        return torch.exp(x)

    texts = [operation.get("debug_info", "") for operation in model.binary.programs[0]["operations"]]
    line = inspect.getsourcelines(test_places_in_the_model_are_in_the_binary)[1] + 3
    assert any(f'"exp"("{__file__}":{line}:1)' in text for text in texts if "ttnn.exp" in text), texts


FUNCTIONS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "linear": (lambda x, w, b: torch.nn.functional.linear(x, w, b), [(8, 16), (4, 16), (4,)]),
    "layer_norm": (lambda x, w: torch.nn.functional.layer_norm(x, [16], w), [(8, 16), (16,)]),
    "conv2d": (lambda x, w: torch.nn.functional.conv2d(x, w, padding=1), [(1, 3, 8, 8), (4, 3, 3, 3)]),
    "permute": (lambda x: x.permute(2, 0, 1).contiguous().view(6, 4), [(2, 3, 4)]),
    "slices": (lambda x: x[1, ..., ::2], [(2, 3, 4)]),
    "operators": (lambda x, y: -(2 - x) / (y * y + 1), [(8, 16), (8, 16)]),
    "cat": (lambda x, y: torch.cat([x, y], dim=1).sum(0, keepdim=True), [(2, 3), (2, 4)]),
    "where": (lambda x, y: torch.where(x > y, x, 0.0), [(4, 4), (4, 4)]),
    "gelu": (lambda x: torch.nn.functional.gelu(x).square().unsqueeze(0), [(4, 8)]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_torch(name: str) -> None:
    function, shapes = FUNCTIONS[name]
    given = [drawn(*shape) for shape in shapes]
    got = ttmlir.compile(*shapes)(function).run(*given)
    wanted = function(*given)
    assert got.shape == wanted.shape
    assert torch.allclose(got, wanted, rtol=1e-3, atol=1e-4)


def test_max_pool2d() -> None:
    @ttmlir.compile(((1, 4, 8, 8), "bf16"))
    def model(x: Any) -> Any:
        return torch.nn.functional.max_pool2d(x, 2)

    given = drawn(1, 4, 8, 8, dtype=torch.bfloat16)
    assert torch.equal(model.run(given), torch.nn.functional.max_pool2d(given, 2))


def test_embedding() -> None:
    @ttmlir.compile(((2, 4), "i32"), ((16, 32), "bf16"))
    def model(numbers: Any, table: Any) -> Any:
        return torch.nn.functional.embedding(numbers, table)

    numbers, table = torch.arange(8, dtype=torch.int64).reshape(2, 4), drawn(16, 32, dtype=torch.bfloat16)
    got = model.run(numbers.to(torch.uint32), table)
    assert torch.equal(got, torch.nn.functional.embedding(numbers, table))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x, w: torch.fft.fft(x), r"aten\._fft_r2c\.default: complex numbers are not supported"),
        (lambda x, w: x @ x, r"must have same reduction dim, but got \[64, 128\] X \[64, 128\]"),
        (lambda x, w: x + torch.ones(3), r"expected shape should be broadcastable to \[64, 128\]"),
        (lambda x, w: torch.relu(x, 3), r"relu\(\) takes 1 positional argument"),
        (lambda x: x, r"is called with \(x\), and the examples do not fit: too many positional arguments"),
        (lambda x, w: x.foo(), r"has no attribute 'foo'"),
        (lambda x, w: x.reshape(3, 5), r"shape '\[3, 5\]' is invalid for input of size 8192"),
        (lambda x, w: x if x.sum() else w, r"what works: torch\.where"),
        (lambda x, w: x[64], r"index 64 is out of bounds for dimension 0 with size 64"),
        (lambda x, w, builder: builder.cbrt(w, 3), r"cbrt\(\) takes 2 positional arguments but 3 were given"),
        (lambda x, w, builder: builder.foo(x), r"TTIRBuilder has no operation 'foo'"),
        (lambda x, w, builder: builder.concat([x, w], 1), r"Concat of 64x128, 128x32: Sizes of tensors must match"),
    ],
)  # fmt: skip
def test_what_is_no_model_is_said_with_its_line(function: Callable[..., Any], said: str) -> None:
    line = function.__code__.co_firstlineno
    with pytest.raises(ttmlir.CompileError, match=said) as problem:
        ttmlir.compile((64, 128), (128, 32))(function)
    assert f"{__file__}:{line}: " in str(problem.value)


@pytest.mark.parametrize(
    ("given", "said"),
    [("64x128", r"a shape such as \(64, 128\)"), ((), "returns no tensor"), (((4, 4), "f64"), "of type 'f64'"), ((0, 4), "greater than zero")],
)  # fmt: skip
def test_inputs_that_no_model_has(given: Any, said: str) -> None:
    with pytest.raises(ttmlir.CompileError, match=said):
        ttmlir.compile(given)(lambda x: x)


def test_a_model_gives_tensors() -> None:
    with pytest.raises(ttmlir.CompileError, match="returns no tensor"):
        ttmlir.compile((4, 4))(lambda x: 3)


def test_tensors_that_a_function_closes_over_are_part_of_the_model() -> None:
    scale = drawn(4)
    model = ttmlir.compile((3, 4))(lambda x: torch.relu(x) * scale)
    assert torch.equal(model.run(drawn(3, 4)), torch.relu(drawn(3, 4)) * scale)


def test_whole_numbers_of_sixteen_bits() -> None:
    model = ttmlir.compile(((2, 3), "i16"))(lambda n: (n * n + 1).reshape(3, 2))
    given = torch.arange(-3, 3, dtype=torch.int16).reshape(2, 3) * 100
    got = model.run(given)
    assert got.dtype is torch.int16
    assert torch.equal(got, (given * given + 1).reshape(3, 2))


def test_operations_of_the_builder_take_and_give_tensors() -> None:
    @ttmlir.compile((2, 4), ((2, 4), "bf16"))
    def model(x: Any, y: Any, builder: Any) -> Any:
        wide = builder.typecast(y, torch.float32)
        roots = builder.cbrt(torch.abs(x))
        return builder.concat([roots, wide], dim=1) * 2, builder.get_dimension_size(x, 1)

    x, y = drawn(2, 4), drawn(2, 4, dtype=torch.bfloat16)
    joined, extent = model.run(x, y)
    assert torch.allclose(joined, torch.cat([x.abs() ** (1 / 3), y.float()], 1) * 2, atol=1e-4)
    assert extent.tolist() == [4]
    places = [one.get("debug_info", "") for one in model.binary.programs[0]["operations"]]
    assert any('"cbrt"(' in one for one in places) and any('"concat"(' in one for one in places)


def test_the_package_is_light() -> None:
    code = (
        "import sys, ttmlir; dir(ttmlir); print([n for n in ('torch', 'numpy', 'xdsl') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_file_of_an_exported_program_is_its_program(tmp_path: Path) -> None:
    module = torch.nn.Linear(8, 16).eval()
    torch.export.save(torch.export.export(module, (drawn(2, 8),)), tmp_path / "linear.pt2")
    model = ttmlir.compile(tmp_path / "linear.pt2")
    assert torch.allclose(model.run(drawn(2, 8)), module(drawn(2, 8)), atol=1e-5)


def test_what_is_no_model_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.pt2").write_text("text")
    for given, said in {
        "model": "'model' is not a model, and no shape\n.*a module, a function, the path",
        str(tmp_path / "absent.pt2"): "there is no file",
        str(tmp_path / "broken.pt2"): "is not a file that torch.export.save wrote: ",
    }.items():
        with pytest.raises(ttmlir.CompileError, match=said):
            ttmlir.compile(given)
    with pytest.raises(ttmlir.CompileError, match="a state_dict has the weights"):
        ttmlir.compile(torch.nn.Linear(8, 16).state_dict(), (2, 8))
    with pytest.raises(ttmlir.CompileError, match="a state_dict has the weights"):
        ttmlir.compile({"layer.weight": torch.ones(8, 8)}, (2, 8))
    with pytest.raises(ttmlir.CompileError, match=r"Linear is a class, not a model\n.*Linear\(\.\.\.\)"):
        ttmlir.compile(torch.nn.Linear, (2, 8))
    assert capfd.readouterr().err == ""


def test_inputs_given_by_their_shapes_have_the_type_of_the_module() -> None:
    module = torch.nn.Linear(8, 16).bfloat16().eval()
    given = drawn(2, 8, dtype=torch.bfloat16)
    result = ttmlir.compile(module, (2, 8)).run(given)
    assert result.dtype is torch.bfloat16
    assert torch.allclose(result, module(given), atol=0.05)
