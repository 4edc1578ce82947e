"""``import ttnn`` without the real one, names that do not exist, and what importing costs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest

from ttl.diag import ProgramError
from ttl.host import api, importer
from ttl.host.names import ABSENT


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "meta_path", [f for f in sys.meta_path if not isinstance(f, importer.TtnnFinder)]
    )
    for name in [name for name in sys.modules if name == "ttnn" or name.startswith("ttnn.")]:
        monkeypatch.delitem(sys.modules, name)
    importer.install()


def test_ttnn_is_this_library(installed: None) -> None:
    import ttnn

    assert ttnn is api
    assert api.__spec__ is not None and api.__spec__.name == "ttl.host.api"


def test_install_twice_appends_once(installed: None) -> None:
    importer.install()
    assert [type(finder) for finder in sys.meta_path].count(importer.TtnnFinder) == 1
    assert isinstance(sys.meta_path[-1], importer.TtnnFinder)


def test_a_real_ttnn_wins(installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ttnn").mkdir()
    (tmp_path / "ttnn" / "__init__.py").write_text("real = True\n")
    (tmp_path / "ttnn" / "experimental.py").write_text("real = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    import ttnn
    import ttnn.experimental

    assert ttnn.real and ttnn.experimental.real
    for name in ("ttnn", "ttnn.experimental"):
        del sys.modules[name]


def test_submodule_is_an_error_at_the_import(installed: None) -> None:
    with pytest.raises(ProgramError) as caught:
        import ttnn.tools  # noqa: F401
    assert isinstance(caught.value, ModuleNotFoundError)
    assert caught.value.code == "TTL1017"
    assert caught.value.diagnostic.primary.span.file == __file__


def test_from_import_of_a_missing_name(installed: None) -> None:
    with pytest.raises(ProgramError) as caught:
        from ttnn import mattmul  # noqa: F401
    assert isinstance(caught.value, ImportError)
    assert caught.value.code == "TTL1002"
    assert "matmul" in caught.value.diagnostic.help[0]
    assert caught.value.diagnostic.primary.span.file == __file__


def test_from_import_of_names(installed: None) -> None:
    from ttnn import TILE_LAYOUT, exp, from_torch

    assert (TILE_LAYOUT, exp, from_torch) == (api.TILE_LAYOUT, api.exp, api.from_torch)


def code_of(name: str) -> tuple[str, tuple[str, ...]]:
    with pytest.raises(ProgramError) as caught:
        getattr(api, name)
    assert isinstance(caught.value, AttributeError)
    return caught.value.code, caught.value.diagnostic.help


def test_a_name_of_tt_nn_that_is_not_here() -> None:
    assert code_of("conv3d")[0] == "TTL1001"
    assert code_of("moreh_sum") == ("TTL1001", ("use ttnn.sum instead",))


def test_a_name_that_does_not_exist_names_its_neighbours() -> None:
    code, advice = code_of("form_torch")
    assert code == "TTL1002" and "from_torch" in advice[0]
    assert not hasattr(api, "zzz") and getattr(api, "zzz", 3) == 3


def test_no_name_is_both_present_and_absent() -> None:
    assert sorted(set(ABSENT) & set(api.public_names())) == []


def test_everything_advised_exists() -> None:
    for text in ABSENT.values():
        for word in text.replace("(", " ").split():
            if word.startswith("ttnn."):
                assert hasattr(api, word.removeprefix("ttnn."))


def test_every_public_function_has_a_docstring_and_a_signature() -> None:
    functions = {name: getattr(api, name) for name in api.public_names()}
    functions = {name: value for name, value in functions.items() if inspect.isroutine(value)}
    assert len(functions) > 300
    assert [name for name, function in functions.items() if not inspect.getdoc(function)] == []
    for function in functions.values():
        inspect.signature(function)


@pytest.mark.parametrize(
    "name", [n for n in api.public_names() if hasattr(getattr(api, n), "__ttnn_options__")]
)
def test_no_argument_reaches_a_traceback_from_inside(name: str) -> None:
    for wrong in ((), ("nonsense",), (None,), (object(), object()), (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)):
        try:
            getattr(api, name)(*wrong)
        except ProgramError as problem:
            assert problem.code.startswith("TTL10")


@pytest.mark.parametrize("name", [n for n in api.public_names() if inspect.isclass(getattr(api, n))])
def test_no_constructor_reaches_a_traceback_from_inside(name: str) -> None:
    kind = getattr(api, name)
    if issubclass(kind, Enum) or name in ("Device", "MeshDevice", "DataType"):
        return
    for wrong in ((object(),), (object(), object()), (3, "4", None, 6, 7, 8)):
        with pytest.raises(ProgramError):
            kind(*wrong)
    with pytest.raises(ProgramError) as caught:
        kind(nonsense=1)
    assert caught.value.diagnostic.message.startswith(f"ttnn.{name}")


def test_importing_needs_no_torch() -> None:
    program = "import sys, ttl.host.api; assert 'torch' not in sys.modules, 'torch was imported'"
    subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"},
    )


def test_public_names_are_names_of_the_library() -> None:
    names = api.public_names()
    assert {
        "from_torch",
        "to_torch",
        "exp",
        "add",
        "add_",
        "matmul",
        "TILE_LAYOUT",
        "bfloat16",
        "Shape",
        "device",
    } <= set(names)
    modules = [name for name in names if isinstance(getattr(api, name), ModuleType)]
    assert modules == ["device", "experimental", "kv_cache", "transformer"]
    assert dir(api) == names


def test_classes_of_the_bindings_are_those_of_the_library(installed: None) -> None:
    import ttnn
    from ttnn._ttnn.multi_device import MeshDevice

    assert MeshDevice is ttnn.MeshDevice is ttnn._ttnn.multi_device.MeshDevice


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("from ttl.dialects import ttcore", "remove the import"),
        ("import ttl.dialects.ttcore", "remove the import"),
        ("from ttl.diagnostics import TTLangCompileError", "ttl.ProgramError"),
        ("from ttl import diagnostics", "ttl.ProgramError"),
    ],
)
def test_modules_of_other_implementations_are_refused_with_the_way_out(
    statement: str, advice: str, installed: None
) -> None:
    with pytest.raises(ProgramError) as caught:
        exec(statement, {})
    assert isinstance(caught.value, ModuleNotFoundError)
    assert caught.value.diagnostic.code == "TTL1017"
    assert advice in caught.value.diagnostic.help[0]
