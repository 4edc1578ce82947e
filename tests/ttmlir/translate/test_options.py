"""Every option of ``ttmlir-translate`` is of some translations, and refused with the others."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from support.ttmlir_programs import ALIASES, T, function, operation
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.translate.main import _ONLY_OF, _OPTIONS, TRANSLATIONS, TTMLIR_TRANSLATE

VALUES = {"file-id": "=x", "kernel-api": "=0.69", "library-api": "=2024-11", "no-debug-info": ""}
# What all translations have.
OF_ALL = {"output", "allow-unregistered-dialect"}
FLAGS = [one.flag for one in TRANSLATIONS]


def test_every_option_is_decided() -> None:
    assert set(_OPTIONS) - OF_ALL == _ONLY_OF.keys() == VALUES.keys()
    assert {flag for flags in _ONLY_OF.values() for flag in flags} <= set(FLAGS)


@pytest.mark.parametrize("option", VALUES)
def test_an_option_of_another_translation_is_refused(option: str, tmp_path: Path) -> None:
    for flag in set(FLAGS) - set(_ONLY_OF[option]):
        errors = io.StringIO()
        arguments = [f"--{flag}", f"--{option}{VALUES[option]}", "-o", str(tmp_path / "out")]
        status = TTMLIR_TRANSLATE.run(arguments, io.StringIO("module {}"), io.StringIO(), errors)
        assert status == 2
        assert errors.getvalue().startswith(
            f"ttmlir-translate: error: --{option} is of --{_ONLY_OF[option][0]}"
        )
        assert f"--{flag} does not use it" in errors.getvalue()


@pytest.mark.parametrize(
    ("option", "pipeline", "flag"),
    [
        ("no-debug-info", "ttir-to-ttnn-backend-pipeline", "ttnn-to-flatbuffer"),
        ("library-api", "ttir-to-ttnn-backend-pipeline", "ttnn-to-standalone"),
        ("kernel-api", "ttir-to-ttmetal-backend-pipeline", "ttmetal-to-cpp"),
    ],
)
def test_an_option_can_be_seen(option: str, pipeline: str, flag: str, tmp_path: Path) -> None:
    body = operation("%0", "exp", "%a", ["64x64xf32"], "64x64xf32", T)
    text = ALIASES + function("%a: tensor<64x64xf32>", "64x64xf32", body, "%0")
    module = io.StringIO()
    assert TTMLIR_OPT.run([f"--{pipeline}"], io.StringIO(text), module, io.StringIO()) == 0

    def written(name: str, *options: str) -> dict[str, bytes]:
        to, errors = tmp_path / name, io.StringIO()
        arguments = [f"--{flag}", *options, "-o", str(to)]
        status = TTMLIR_TRANSLATE.run(arguments, io.StringIO(module.getvalue()), io.StringIO(), errors)
        assert status == 0, errors.getvalue()
        if to.is_file():
            return {"": to.read_bytes()}
        return {str(path.relative_to(to)): path.read_bytes() for path in to.rglob("*") if path.is_file()}

    assert written("with", f"--{option}{VALUES[option]}") != written("without")
