"""What models of PyTorch of today are written with, beside torch: as TTIR, as a strict binary, as projects; or refused at the line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.utils import _pytree

import ttmlir.torch
from support.scripts import Script
from support.shares import share
from support.tt_lang_models import binary_of
from tt_model.binaries.submission import system_of
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from ttl.ir.failure import NotLegalized
from ttmlir.loaded import LoadedModel
from ttmlir.standalone.cpp_api import LIBRARIES
from ttmlir.standalone.project import project_of
from ttmlir.standalone.script import ttnn_to_python

from .forms import FORMS, REFUSED

# So many forms are one module, since exporting costs more than running.
_TOGETHER = 12
# What the library of today has no function for, so that a script or a C++ project of it is refused: whole quotients, remainders, products.
NOT_CALLED = (
    "integer matmul",
    "integer linear",
    "_int_mm",
    "integer bmm",
    "logic of integers",
    "take_along_dim",
)
NAMES = [*(name for name in FORMS if name not in NOT_CALLED), *NOT_CALLED]
GROUPS = [NAMES[begin : begin + _TOGETHER] for begin in range(0, len(NAMES), _TOGETHER)]


class Forms(torch.nn.Module):
    """Several forms, each with arguments of its own."""

    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = names

    def forward(self, *given: Any) -> Any:
        return {name: FORMS[name][0](*one) for name, one in zip(self.names, given, strict=True)}


def strictly(model: Any, given: tuple[Any, ...]) -> Any:
    """What a model gives on a simulated system that takes no layout which a card may refuse."""
    system = system_of(model.binary)
    device = SimulatedDevice(system, list(range(len(system.chips))))
    results, _ = run_program(device, model.prepared, model.program_inputs(*given), strict=True)
    return model.nested(results)


def differences(name: str, given: Any, wanted: Any) -> Iterator[str]:
    """How results differ in number, shape, type and values."""
    pairs = zip(_pytree.tree_leaves(given), _pytree.tree_leaves(wanted), strict=True)
    for number, (got, one) in enumerate(pairs):
        if (got.shape, got.dtype) != (one.shape, one.dtype):
            yield f"{name} {number}: {got.shape} {got.dtype} for {one.shape} {one.dtype}"
            continue
        digits = 2e-2 if one.dtype is torch.bfloat16 else 1e-5
        is_whole = not one.dtype.is_floating_point
        if not (
            torch.equal(got, one) if is_whole else torch.allclose(got.double(), one.double(), digits, digits)
        ):
            yield f"{name} {number}: {got} for {one}"


@pytest.mark.one_of(2)
@pytest.mark.parametrize("names", share(GROUPS, 4), ids=lambda names: names[0])
def test_forms_give_what_torch_gives_on_every_road(names: list[str]) -> None:
    given = tuple(FORMS[name][1][0] for name in names)
    module = Forms(names)
    model = ttmlir.torch.compile(module, *given)
    with torch.no_grad():
        wanted = module(*given)
    got = strictly(model, given)
    assert [text for name in names for text in differences(name, got[name], wanted[name])] == []
    ttnn = model.module.operation.xdsl
    if set(names) & set(NOT_CALLED):
        for write in (ttnn_to_python, lambda module: project_of(module, "forms", "0.81")):
            with pytest.raises(NotLegalized) as refused:
                write(ttnn)
            assert "does not take unsigned integers" in repr(refused.value.reports)
        return
    assert "import ttnn" in ttnn_to_python(ttnn)
    for api in LIBRARIES:
        assert "ttnn::" in project_of(ttnn, "forms", api)["ttnn-standalone.cpp"]


@pytest.mark.parametrize(
    "names", share([names for names in GROUPS if names[0] not in NOT_CALLED], 1), ids=lambda names: names[0]
)
def test_forms_as_scripts_give_what_torch_gives(names: list[str]) -> None:
    names = [name for name in names if name not in NOT_CALLED]
    given = tuple(FORMS[name][1][0] for name in names)
    module = Forms(names)
    model = ttmlir.torch.compile(module, *given)
    got = model.nested(Script(model.module.operation.xdsl).run(model.program_inputs(*given)))
    with torch.no_grad():
        wanted = module(*given)
    assert [text for name in names for text in differences(name, got[name], wanted[name])] == []


@pytest.mark.parametrize("names", share(GROUPS, 0), ids=lambda names: names[0])
def test_forms_as_text_of_ttir_give_what_torch_gives(names: list[str]) -> None:
    given = tuple(FORMS[name][1][0] for name in names)
    module = Forms(names)
    model = ttmlir.torch.compile(module, *given)
    of_text = LoadedModel(binary_of(str(ttmlir.torch.to_ttir(module, *given))))
    inputs = [
        one
        for one, argument in zip(model.program_inputs(*given), model.arguments, strict=True)
        if argument.kind != "constant"
    ]
    results = of_text.run(*inputs)
    got = model.nested(results if isinstance(results, tuple) else (results,))
    with torch.no_grad():
        wanted = module(*given)
    assert [text for name in names for text in differences(name, got[name], wanted[name])] == []


EACH = [(name, number) for name in NAMES for number in range(len(FORMS[name][1]))]


@pytest.mark.parametrize("case", share(EACH, 0), ids=str)
def test_each_form_gives_what_torch_gives(case: tuple[str, int]) -> None:
    name, number = case
    function, runs = FORMS[name]
    with torch.no_grad():
        wanted = function(*runs[number])
    model = ttmlir.torch.compile(function, *runs[number])
    assert list(differences(name, strictly(model, runs[number]), wanted)) == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_form_is_refused_at_its_line(name: str) -> None:
    function, given, text = REFUSED[name]
    with pytest.raises(ttmlir.CompileError, match=text) as caught:
        ttmlir.torch.compile(function, *given)
    assert inspect.getsourcefile(function) in str(caught.value)
