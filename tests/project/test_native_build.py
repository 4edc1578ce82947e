"""The native core of this source tree is built, and from these sources; how ``native/build.py`` builds."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from ttl import native

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "native" / "build.py"
MODULES = {"machine": native.machine, "core": native.core}


@cache
def build_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ttl_native_build", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def has_compiler() -> bool:
    script = build_script()
    try:
        script.find_compiler()
    except script.NoCompilerError:
        return False
    return True


needs_compiler = pytest.mark.skipif(not has_compiler(), reason="there is no C++ compiler on this machine")


@needs_compiler
def test_the_native_core_is_there_where_a_compiler_is() -> None:
    assert native.why_not() is None, "run `make native`"


@needs_compiler
@pytest.mark.parametrize("module", MODULES)
def test_the_native_core_was_built_from_the_sources_as_they_are(module: str) -> None:
    found: str = MODULES[module]().SOURCES_HASH
    assert build_script().is_current(module, found), (
        f"ttl._{module} is older than its sources: run `make native`"
    )


@needs_compiler
@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_code_for_a_wider_instruction_set_stays_in_its_file() -> None:
    """What the linker may take from any object (inline functions, templates) is not compiled for AVX.

    It would be used everywhere, and end the process on a processor that has not got the instructions.
    """
    folder = ROOT / "build" / "native"
    shared = []
    for path in folder.glob("*/*_a[vm]x*.o"):
        said = subprocess.run(["nm", "-C", str(path)], capture_output=True, text=True, check=True).stdout
        shared += [
            f"{path.name}: {line}" for line in said.splitlines() if re.match(r"\S+ [WVu] (?!DW\.ref\.)", line)
        ]
    assert shared == []


def test_the_generated_tables_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "update_native_tables.py"), "--check"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- the script, on a small tree of its own -----------------------------------------------------------------

HEADER = "#pragma once\nint one();\nint two();\n"
ONE = '#include "machine.h"\nint one() { return 1; }\n'
TWO = '#include "machine.h"\n#ifndef __AVX512BF16__\n#error not for AVX-512-BF16\n#endif\nint two() { return 2; }\n'
MODULE = """
#include <Python.h>
#include "machine/machine.h"
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "NAME", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
PyMODINIT_FUNC PyInit_NAME() {
  PyObject *module = PyModule_Create(&definition);
  PyModule_AddStringConstant(module, "SOURCES_HASH", TTL_SOURCES_HASH);
  return module;
}
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src" / "ttl").mkdir(parents=True)
    for name in ("machine", "core"):
        (root / "native" / name).mkdir(parents=True)
        (root / "native" / name / "module.cpp").write_text(
            MODULE.replace("NAME", f"_{name}"), encoding="utf-8"
        )
    shutil.copy(SCRIPT, root / "native")
    machine = root / "native" / "machine"
    (machine / "machine.h").write_text(HEADER, encoding="utf-8")
    (machine / "one.cpp").write_text(ONE, encoding="utf-8")
    (machine / "never.inc.cpp").write_text("#error not to be compiled by itself\n", encoding="utf-8")
    if platform.machine() in ("x86_64", "AMD64"):
        (machine / "two_avx512bf16.cpp").write_text(TWO, encoding="utf-8")
    return root


def run_build(root: Path, *flags: str, **environment: str) -> tuple[int, list[str], str]:
    """Exit code, what was made (files compiled and linked), and everything that was said."""
    done = subprocess.run(
        [sys.executable, str(root / "native" / "build.py"), *flags],
        capture_output=True,
        text=True,
        env={**os.environ, "CXXFLAGS": "-O0", **environment},
    )
    made = [
        made[1]
        for line in done.stderr.splitlines()
        if (made := re.match(r"native: (?:\[\d+/\d+(?:, \d+ s left)?\] )?(native/\S+|linking \S+)", line))
    ]
    return done.returncode, sorted(made), done.stderr


def loaded_hash(root: Path, module: str) -> str:
    program = f"import _{module}; print(_{module}.SOURCES_HASH)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root / "src" / "ttl"
    )
    return done.stdout.strip()


@needs_compiler
def test_only_what_changed_is_built(tree: Path) -> None:
    code, made, said = run_build(tree)
    assert code == 0, said
    assert {"native/machine/one.cpp", "native/core/module.cpp", "linking _machine", "linking _core"} <= set(
        made
    )
    first = loaded_hash(tree, "machine"), loaded_hash(tree, "core")

    assert run_build(tree)[:2] == (0, [])

    with open(tree / "native" / "machine" / "one.cpp", "a", encoding="utf-8") as file:
        file.write("int more = 3;\n")
    _, made, _ = run_build(tree)
    assert made == ["linking _machine", "native/machine/module.cpp", "native/machine/one.cpp"]
    assert (loaded_hash(tree, "machine") != first[0], loaded_hash(tree, "core") == first[1]) == (True, True)

    # The header belongs to both modules.
    with open(tree / "native" / "machine" / "machine.h", "a", encoding="utf-8") as file:
        file.write("int three();\n")
    _, made, _ = run_build(tree)
    assert {"native/machine/one.cpp", "native/core/module.cpp", "linking _core"} <= set(made)
    assert loaded_hash(tree, "core") != first[1]
    assert len(list((tree / "build" / "native").glob("*/machine-one.*.o"))) == 1  # older ones are removed


@needs_compiler
def test_one_module_alone(tree: Path) -> None:
    code, made, said = run_build(tree, "--only", "core")
    assert (code, made) == (0, ["linking _core", "native/core/module.cpp"]), said


@needs_compiler
def test_a_folder_without_sources_is_left_out(tree: Path) -> None:
    (tree / "native" / "core" / "module.cpp").unlink()
    code, made, said = run_build(tree)
    assert code == 0, said
    assert "linking _machine" in made and "linking _core" not in made


@needs_compiler
def test_what_the_compiler_says_is_shown(tree: Path) -> None:
    run_build(tree)
    before = loaded_hash(tree, "machine")
    (tree / "native" / "machine" / "one.cpp").write_text("int x = nonsense;\n", encoding="utf-8")
    for flags in ((), ("--optional",)):
        code, _, said = run_build(tree, *flags)
        assert code == 1
        assert "native core not built: native/machine/one.cpp failed" in said and "nonsense" in said
    assert loaded_hash(tree, "machine") == before  # what was there stays


def test_without_a_compiler(tree: Path, tmp_path: Path) -> None:
    code, _, said = run_build(tree, PATH=str(tmp_path), CXX="")
    assert code == 1
    assert said.startswith(
        "native core not built: no C++ compiler found (looked for c++, g++, clang++ and $CXX)"
    )
    assert run_build(tree, "--optional", PATH=str(tmp_path), CXX="")[0] == 0
    assert "CXX is 'no-such-compiler', which is not" in run_build(tree, CXX="no-such-compiler")[2]
