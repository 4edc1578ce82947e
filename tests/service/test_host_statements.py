"""What is kept of the statements of a program: after any edit everything known is what a new workspace finds out.

The program has what makes that hard: containers and objects that other statements change, names bound twice to the same
value, closures, default arguments, iterators, modules beside it, branches that may not be taken.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from support.random_programs.typing import contents, edits
from ttl.service.analysis import Analysis
from ttl.service.workspace import Workspace
from ttl.session.switches import Settings

PROGRAMS = Path(__file__).parent / "host_programs"
WHOLE, MODULE, IMPORTING = (
    (PROGRAMS / f"{name}.py").read_text(encoding="utf-8") for name in ("whole", "beside", "importing")
)


def new_workspace(texts: dict[str, str], path: str) -> Analysis:
    workspace = Workspace(None, Settings())
    for name, text in texts.items():
        workspace.open(name, text, 0)
    return workspace.analyse(path)


def evaluated(workspace: Workspace, path: str) -> int:
    assert workspace._made is not None
    return workspace._made.results.statements(path).evaluated


@pytest.mark.one_of(2)
@pytest.mark.parametrize("seed", range(2))
def test_random_edits(seed: int) -> None:
    workspace, path = Workspace(None, Settings()), "/nowhere/program.py"
    workspace.open(path, WHOLE, 0)
    for version, text in zip(range(1, 20), edits(WHOLE, Random(seed)), strict=False):
        workspace.change(path, text, version)
        assert contents(workspace.analyse(path)) == contents(new_workspace({path: text}, path)), text


def test_random_edits_of_a_program_and_the_module_that_it_imports(tmp_path: Path) -> None:
    program, module = str(tmp_path / "program.py"), str(tmp_path / "beside.py")
    texts = {program: IMPORTING, module: MODULE}
    workspace, random = Workspace(None, Settings()), Random(2)
    typed = {path: edits(text, random) for path, text in texts.items()}
    for path, text in texts.items():
        workspace.open(path, text, 0)
    for version in range(1, 20):
        path = random.choice((program, module))
        texts[path] = next(typed[path])
        workspace.change(path, texts[path], version)
        for asked in (path, *workspace.dependents([path])):
            known = workspace.analyse(asked)
            assert contents(known) == contents(new_workspace(texts, asked)), (asked, version)
        if random.random() < 0.1:
            workspace.close(module)
            workspace.open(module, texts[module], version)


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("n = 1\nm = n\nn = 1\ndoubled(x, y, n)\n", "m = 2\nn = 1\ndoubled(x, y, n)\n"),
        ("grow(shapes)\ndoubled(x, y, len(shapes))\n", "doubled(x, y, len(shapes))\n"),
        ("doubled(x, y, len(shapes))\n", "shapes.append(1)\ndoubled(x, y, len(shapes))\n"),
        ("also = shapes\nalso.append(2)\ndoubled(x, y, len(shapes))\n", "also = shapes\ndoubled(x, y, len(shapes))\n"),
        ("holder = [shapes]\nholder[0].append(2)\nn = len(shapes)\ndoubled(x, y, n)\n", "holder = [shapes]\nn = len(shapes)\ndoubled(x, y, n)\n"),
        ("base = Base(1)\nbase.rows = 2\ndoubled(x, y, base.rows)\n", "base = Base(1)\ndoubled(x, y, base.rows)\n"),
        ("Base.rows = 2\ndoubled(x, y, Twice.rows)\n", "doubled(x, y, Twice.rows)\n"),
        ("n = 2\ndel n\ndoubled(x, y, n)\n", "n = 2\ndoubled(x, y, n)\n"),
        ("it = iter([1, 2])\nn = next(it)\nn = next(it)\ndoubled(x, y, n)\n", "it = iter([1, 2])\nn = next(it)\ndoubled(x, y, n)\n"),
        ("max = min\nn = max(1, 2)\ndoubled(x, y, n)\n", "n = max(1, 2)\ndoubled(x, y, n)\n"),
        ("doubled(x, y, collected(1)[0])\nn = len(collected(2))\ndoubled(x, y, n)\n", "n = len(collected(2))\ndoubled(x, y, n)\n"),
        ("print(unknown_library.a)\nn = unknown_library.b\ndoubled(x, y, n)\n", "n = unknown_library.b\ndoubled(x, y, n)\n"),
    ],
)  # fmt: skip
def test_one_edit_and_back(first: str, second: str) -> None:
    """``second`` is what ``first`` is without one statement, or with another."""
    begin = WHOLE.split("\ndoubled(x, y)\n")[0] + "\n\n\ndef grow(values):\n    values.append(0)\n\n\n"
    workspace, path = Workspace(None, Settings()), "/nowhere/program.py"
    workspace.open(path, begin, 0)
    for version, rest in enumerate((first, second, f"\n{first}", f"{second}\n{first}", second, first), 1):
        text = begin + rest
        workspace.change(path, text, version)
        assert contents(workspace.analyse(path)) == contents(new_workspace({path: text}, path)), rest


def test_an_edit_evaluates_what_sees_it() -> None:
    body = WHOLE.split("\nshapes.append")[0] + "\n"
    workspace, path = Workspace(None, Settings()), "/nowhere/program.py"
    workspace.open(path, body, 0)
    workspace.analyse(path)
    whole = evaluated(workspace, path)
    workspace.change(path, body.replace("y_blk.store(x_blk + x_blk)", "y_blk.store(x_blk * x_blk)"), 1)
    workspace.analyse(path)
    # ``import sys`` and what the unknown library touches, the operation, its call, and the class that calls it.
    assert 2 <= evaluated(workspace, path) <= 6 < whole
