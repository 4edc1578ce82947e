"""What models of JAX of today are written with, beside JAX: as StableHLO text, as TTIR, as a strict binary; or refused at the line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
import pytest

import ttmlir
import ttmlir.jax
from support.shares import share
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from ttl.ir.failure import NotLegalized
from ttmlir.ir import Context, Module
from ttmlir.jax.compiling import stablehlo_of
from ttmlir.passes import stablehlo_to_ttir_pipeline
from ttmlir.standalone.cpp_api import LIBRARIES
from ttmlir.standalone.project import project_of
from ttmlir.standalone.script import ttnn_to_python

from .forms import FORMS, REFUSED

# So many forms are one function; those of a key are a thousand operations each.
_TOGETHER = 12
_LARGE = ("categorical with a key", "normal with a key", "uniform with a key", "keys")
# What the library of today has no function for, so that a script or a C++ project of it is refused: whole quotients, remainders, products.
NOT_CALLED = (
    "searchsorted",
    "integer matmul",
    "int8 products in int32",
    "dropout with a key",
    "nonzero of a size",
)
NAMES = [*(name for name in FORMS if name not in _LARGE + NOT_CALLED), *NOT_CALLED]
GROUPS = [NAMES[begin : begin + _TOGETHER] for begin in range(0, len(NAMES), _TOGETHER)]


def differences(name: str, given: Any, wanted: Any) -> Iterator[str]:
    """How results differ in number, shape, type and values."""
    for number, (got, one) in enumerate(zip(jax.tree.leaves(given), jax.tree.leaves(wanted), strict=True)):
        got, one = np.asarray(got), np.asarray(one)
        if (got.shape, got.dtype) != (one.shape, one.dtype):
            yield f"{name} {number}: {got.shape} {got.dtype} for {one.shape} {one.dtype}"
            continue
        digits = 0 if one.dtype.kind in "iub" else 2e-2 if one.dtype.name == "bfloat16" else 1e-4
        if not np.allclose(got.astype(np.float64), one.astype(np.float64), digits, digits):
            yield f"{name} {number}: {got} for {one}"


@pytest.mark.one_of(2)
@pytest.mark.parametrize("names", share(GROUPS, 2), ids=lambda names: names[0])
def test_forms_give_what_jax_gives_on_every_road(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def forms(*given: Any) -> Any:
        return {name: FORMS[name][0](*one) for name, one in zip(names, given, strict=True)}

    given = tuple(FORMS[name][1][0] for name in names)
    model = ttmlir.jax.compile(forms, *given)
    plain = run_program

    def strictly(device: SimulatedDevice, *more: Any, **options: Any) -> Any:
        return plain(device, *more, **{**options, "strict": True})

    monkeypatch.setattr("ttmlir.loaded.run_program", strictly)
    got, wanted = model.run(*given), jax.jit(forms)(*given)
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


EACH = [(name, number) for name in FORMS for number in range(len(FORMS[name][1]))]


@pytest.mark.parametrize("case", share(EACH, 0), ids=str)
def test_each_form_gives_what_jax_gives(case: tuple[str, int]) -> None:
    name, number = case
    function, runs = FORMS[name]
    got = ttmlir.jax.compile(function, *runs[number]).run(*runs[number])
    assert list(differences(name, got, jax.jit(function)(*runs[number]))) == []


@pytest.mark.parametrize("name", share(["vmap of at.set", *NAMES], 1))
def test_the_text_of_stablehlo_takes_the_same_road(name: str) -> None:
    function, runs = FORMS[name]
    text = str(stablehlo_of(function, *runs[0]))
    module = Module.parse(text, Context())
    assert "stablehlo." in text or "chlo." in text
    stablehlo_to_ttir_pipeline(module)
    assert "stablehlo." not in str(module)
    assert "ttir." in str(module)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_form_is_refused_at_its_line(name: str) -> None:
    function, given, text = REFUSED[name]
    with pytest.raises(ttmlir.CompileError, match=text) as caught:
        ttmlir.jax.compile(function, *given)
    assert str(inspect.getsourcefile(function)) in str(caught.value)
