"""Chips: every number has a source, and the settings know the same chips."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextvars import Context
from dataclasses import fields
from pathlib import Path

import pytest

import ttl.arch
from support.syntax_trees import nodes, python_files
from ttl import settings
from ttl.arch import Chip, all_chips, chip_named, names
from ttl.diag import ProgramError
from ttl.rows.table import OPS
from ttl.session.switches import setting
from ttl.settings import current_chip

NOT_NUMBERS = {"name", "title", "arch", "sources"}
SOURCE = Path(ttl.arch.__file__).parents[1]


@pytest.mark.parametrize("record", all_chips(), ids=lambda record: record.name)
def test_every_number_has_a_source(record: Chip) -> None:
    assert set(record.sources) == {field.name for field in fields(Chip)} - NOT_NUMBERS
    assert all(record.sources.values())


@pytest.mark.parametrize("record", all_chips(), ids=lambda record: record.name)
def test_what_operations_take_has_a_source_and_a_row(record: Chip) -> None:
    assert set(record.operations) <= {row.name for row in OPS}
    assert all(number.source and number.value > 0 for number in record.operations.values())


def test_the_settings_know_the_same_chips() -> None:
    assert setting("arch").choices == tuple(record.name for record in all_chips()) == names()


def words_of(path: Path) -> Iterator[tuple[int, str]]:
    """The names and texts of a module that do something: no comments, no docstrings."""
    mirrors = SOURCE / "host" in path.parents  # the library that is mirrored has names with chips in them
    prose = {id(each.value) for each in nodes(path) if isinstance(each, ast.Expr)}
    for node in nodes(path):
        if mirrors and isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            prose |= {id(each) for each in ast.walk(node.value)}
    for node in nodes(path):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in prose:
                yield node.lineno, text
            case (
                ast.Name(id=text) | ast.Attribute(attr=text) | ast.keyword(arg=str(text)) | ast.arg(arg=text)
            ):
                if not mirrors:
                    yield node.lineno, text  # type: ignore[attr-defined]


def test_no_code_outside_of_arch_knows_a_chip_by_name() -> None:
    """What a chip is stands in its module: another one in ``arch/chips`` is all that a new chip takes."""
    called = {word for chip in all_chips() for word in (chip.name, chip.arch)}
    wrong = [
        f"{path.relative_to(SOURCE)}:{line}: {text[:60]}"
        for path in python_files(SOURCE)
        if SOURCE / "arch" not in path.parents
        for line, text in words_of(path)
        if any(word in text.lower() for word in called)
    ]
    assert wrong == []


def test_no_code_of_ttmlir_knows_a_chip_by_name() -> None:
    called = {word for chip in all_chips() for word in (chip.name, chip.arch)}
    folders = (SOURCE.parent / "tt_model", SOURCE.parent / "ttmlir")
    dialect = folders[0] / "layouts" / "enums.py"  # the words of the attribute
    wrong = [
        f"{path.relative_to(SOURCE.parent)}:{line}: {text[:60]}"
        for folder in folders
        for path in sorted(folder.rglob("*.py"))
        if path != dialect
        for line, text in words_of(path)
        if any(word in text.lower() for word in called)
    ]
    assert wrong == []


def test_no_kernel_header_and_no_native_code_knows_a_chip_by_name() -> None:
    folders = (SOURCE / "emu" / "include", SOURCE.parents[1] / "native")
    called = "|".join(chip.name for chip in all_chips())
    wrong = [
        f"{path}:{number}"
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".h", ".cpp")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(called, line.split("//")[0], re.IGNORECASE)
    ]
    assert wrong == []


def test_a_new_chip_is_one_file(tmp_path: Path) -> None:
    """In a copy of the package: a module in ``arch/chips``, and every tool takes the chip."""
    package = tmp_path / "ttl"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (SOURCE / "arch" / "chips" / "blackhole.py").read_text(encoding="utf-8")
    new = text.replace('name="blackhole"', 'name="newhole"').replace('arch="blackhole"', 'arch="newhole_a0"')
    (package / "arch" / "chips" / "newhole.py").write_text(new, encoding="utf-8")
    program = """
import ttl, ttnn
from ttl import settings
from ttl.arch import Chip, all_chips, chip_named, names
assert names() == ("wormhole", "blackhole", "newhole"), names()
assert settings.setting("arch").choices == names()
assert settings.current_chip().name == "newhole"
assert ttnn.get_arch_name() == "newhole_a0" and ttnn.device.is_newhole_a0()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "TTL_ARCH": "newhole"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_appendix_e_memory_of_a_wormhole_node() -> None:
    assert chip_named("wormhole").l1_bytes == 1464 * 1024
    assert chip_named("wormhole").l1_available_bytes == 1_395_424


@pytest.mark.parametrize(("name", "grid", "buffers"), [("wormhole", (8, 8), 32), ("blackhole", (13, 10), 64)])
def test_grid_and_buffers(name: str, grid: tuple[int, int], buffers: int) -> None:
    record = chip_named(name)
    assert (record.grid, record.dataflow_buffers, record.nodes) == (grid, buffers, grid[0] * grid[1])


def test_an_unknown_chip() -> None:
    with pytest.raises(KeyError):
        chip_named("grayskull")


def test_the_current_chip_has_the_grid_of_the_settings() -> None:
    def inside() -> None:
        assert current_chip().name == "wormhole"
        with settings.override(arch="blackhole", grid=(2, 3)):
            assert (current_chip().name, current_chip().grid) == ("blackhole", (2, 3))
        assert current_chip() is chip_named("wormhole")

    Context().run(inside)


def test_a_grid_no_card_has_is_an_error() -> None:
    with settings.override(arch="wormhole", grid=(9, 8)), pytest.raises(ProgramError) as caught:
        current_chip()
    assert caught.value.code == "TTL0109"
    assert "9x8" in caught.value.diagnostic.message and "8x10" in caught.value.diagnostic.message


def test_the_size_of_a_tile_stands_in_one_place() -> None:
    """Nobody divides by 32, and nobody has a tile's edge or elements under a name of its own."""
    wrong = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)[:60]}"
        for path in python_files(SOURCE)
        if path != SOURCE / "rows" / "dtypes.py" and SOURCE / "arch" not in path.parents
        for node in nodes(path)
        if _is_an_edge(node)
    ]
    assert wrong == []


def _is_an_edge(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=ast.Constant(value=32)):
            return True
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=32 | 1024)):
            return "TILE" in name or "SIDE" in name
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Tuple(elts=[*parts])):
            return "TILE" in name and any(
                isinstance(part, ast.Constant) and part.value == 32 for part in parts
            )
    return False
