"""Weights and constants in files: a file that runs alone, one that is given weights by name, and broken ones."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import ttmlir
import ttmlir.torch
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.schema import schema
from ttrt.binary import FlatbufferError, load_binary_from_path
from ttrt.common.run import Run


class Net(torch.nn.Module):
    """A convolution, a table that is known, a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.linear = torch.nn.Linear(8, 5)
        self.register_buffer("scale", torch.linspace(0.5, 2, 8), persistent=False)

    def forward(self, x: Any) -> Any:
        return self.linear(torch.relu(self.convolution(x)).mean((2, 3)) * self.scale)


@pytest.fixture(scope="module")
def net() -> tuple[Any, Any]:
    torch.manual_seed(3)
    return Net().eval(), torch.randn(2, 3, 8, 8)


def run(path: Path, **options: Any) -> tuple[int, list[dict[str, Any]], list[Any]]:
    """``ttrt run`` of a file: its status, its results, and the outputs of the program."""
    folder = path.parent / "artifacts"
    files = {"result-file": str(path.parent / "results.json"), "artifact-dir": str(folder)}
    status, results = Run({"binary": str(path), "save-artifacts": True, **files, **options})()
    outputs = [torch.load(one) for one in sorted(folder.rglob("*output*.pt"))]
    return status, results, outputs


def test_a_file_with_constants_runs_alone_and_is_the_format_s_up_to_their_section(
    net: tuple[Any, Any], tmp_path: Path
) -> None:
    module, x = net
    with torch.no_grad():
        wanted = module(x)
    model = ttmlir.torch.compile(module, x, weights="constants")
    path = tmp_path / "net.ttnn"
    model.save(path)
    loaded = ttmlir.load(path)
    assert len(loaded.inputs) == 1 and torch.allclose(loaded.run(x), wanted, atol=1e-5)
    (tmp_path / "in").mkdir()
    np.save(tmp_path / "in" / "x.npy", x.numpy())
    status, _, (output,) = run(path, inputs=str(tmp_path / "in"))
    assert status == 0 and torch.allclose(output, wanted, atol=1e-5)
    # Linear weights lie transposed in the file, and nothing is transposed but the image.
    assert str(model.module).count("ttnn.transpose") == 2
    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content)
    assert decode(schema("TTNN/binary.fbs"), content[: 4 + length]) == model.binary.values
    path.write_bytes(content[: 4 + length])
    assert len(ttmlir.load(path).inputs) == len(model.arguments)


def test_weights_are_given_by_name(
    net: tuple[Any, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module, x = net
    module, x = Net().eval().to(torch.bfloat16), x.to(torch.bfloat16)
    model = ttmlir.torch.compile(module, x)
    path, folder = tmp_path / "net.ttnn", tmp_path / "in"
    model.save(path)
    model.save_weights(folder)
    assert {one.name for one in folder.iterdir()} == {f"{name}.npy" for name in model.weights}
    status, _, _ = run(path, inputs=str(folder), seed=1)
    assert status == 0 and "has no file for x: filled by --init" in capsys.readouterr().err
    np.save(folder / "x.npy", x.float().numpy())
    status, _, outputs = run(path, inputs=str(folder))
    assert status == 0 and torch.equal(outputs[0], model.run(x))
    for name, array, text in (
        ("y.npy", x.float().numpy(), "has no input that is called y; it has x, convolution.weight"),
        ("linear.bias.npy", np.zeros(4, np.float32), "has the shape (4,), and input"),
        ("linear.bias.npy", np.zeros(5, np.int32), "is of int32, and input"),
        ("input_0.npy", x.float().numpy(), "there is another file for input 0"),
    ):
        before = (folder / name).read_bytes() if (folder / name).exists() else None
        np.save(folder / name, array)
        status, results, _ = run(path, inputs=str(folder))
        assert status == 1 and text in results[0]["exception"], results
        (folder / name).unlink() if before is None else (folder / name).write_bytes(before)
    (folder / "linear.bias.npy").write_bytes(b"not an array")
    assert "is not a file of NumPy" in run(path, inputs=str(folder))[1][0]["exception"]
    assert "is not a folder" in run(path, inputs=str(path))[1][0]["exception"]


def test_what_a_file_says_of_its_inputs_is_checked(net: tuple[Any, Any], tmp_path: Path) -> None:
    module, x = net
    model = ttmlir.torch.compile(module, x, weights="constants")
    path = tmp_path / "net.ttnn"
    model.save(path)
    content = path.read_bytes()
    (length,) = struct.unpack_from("<I", content)
    start = content.index(b"TTNI") - 8
    assert start - 4 - length < 64 and start % 64 == 0

    def problem_of(changed: bytes) -> str:
        path.write_bytes(changed)
        try:
            load_binary_from_path(path)
        except FlatbufferError as problem:
            return str(problem)
        return ""

    assert problem_of(content) == ""
    assert "their checksum differs" in problem_of(content[:-100] + b"\1" + content[-99:])
    assert "the file is cut off: input" in problem_of(content[:-400])
    assert "the section of inputs: the file is cut off" in problem_of(content[: start + 100])
    # Where the buffer ends at a multiple of 64, a file that ends there is one without a section.
    for cut in (4 + length + 1, start + 1, start + 11):
        assert "are not a section of inputs: the file is cut off" in problem_of(content[:cut])
    choice = random.Random(0)
    texts = set()
    for _ in range(200):
        changed = bytearray(content)
        changed[choice.randrange(start, start + 600)] = choice.randrange(256)
        texts.add(problem_of(bytes(changed)))
    assert len(texts) > 20


def test_stitched_models_have_constants(net: tuple[Any, Any]) -> None:
    module, x = net
    last = torch.nn.Linear(5, 3).eval()
    first = ttmlir.torch.compile(module, x, weights="constants")
    second = ttmlir.torch.compile(last, (2, 5), weights="constants")
    with torch.no_grad():
        wanted = last(module(x))
    assert torch.allclose(ttmlir.stitch(first, second).run(x), wanted, atol=1e-5)


def test_a_model_without_weights_is_the_format_and_nothing_else() -> None:
    model = ttmlir.torch.compile(torch.nn.ReLU(), (4, 4))
    assert b"".join(model.binary.pieces) == model.binary.content and model.binary.stored_inputs == ()


def test_arrays_that_a_function_of_jax_closed_over() -> None:
    pytest.importorskip("jax")
    from jax import numpy as jnp

    import ttmlir.jax

    generator = np.random.default_rng(0)
    weight = jnp.asarray(generator.normal(size=(48, 64)), jnp.float32)

    def layer(x: Any, rest: Any) -> Any:
        return jnp.maximum(x @ weight.T, 0) @ rest["w"]

    x, rest = generator.normal(size=(8, 64)).astype("f"), {"w": generator.normal(size=(48, 4)).astype("f")}
    for weights, stored, transposes in (("inputs", False, 1), ("constants", True, 0)):
        model = ttmlir.jax.compile(layer, x, rest, weights=weights)
        assert np.allclose(model.run(x, rest), layer(x, rest), atol=1e-4)
        said = {one.name: one.elements is not None for one in model.binary.stored_inputs}
        assert said == {"x": False, "rest.w": False, "constant.0": stored}
        assert str(model.module).count('"ttnn.transpose"') == transposes
    with pytest.raises(ttmlir.CompileError, match="weights are 'all'; there are inputs, constants"):
        ttmlir.jax.compile(layer, x, rest, weights="all")
