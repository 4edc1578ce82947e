"""``ttl mcp`` with a real client: the tools answer in types, and nothing outside the folder is read or run."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp")
from mcp.client.stdio import StdioServerParameters, stdio_client

import ttl
from ttl.processes.tasks import Limits
from ttl.score.processes import probe

FENCE = probe()

BROKEN = """
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def scale(a, y):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as a_blk:
            ttl.copy(a[0, 0:2], a_blk).wait()

    @ttl.compute()
    def compute():
        with a_dfb.wait() as a_blk, y_dfb.reserve() as y_blk:
            y_blk.store(2 * a_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0:2]).wait()


a = ttnn.ones((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros_like(a)
scale(a, y)
print("done")
"""


def ask(
    folder: Path,
    *calls: tuple[str, dict[str, Any] | Callable[[list[Any]], dict[str, Any]]],
    options: tuple[str, ...] = (),
    start: tuple[str, ...] = ("-m", "ttl"),
) -> list[Any]:
    """The answers to calls of tools: structured content, or the text of an error. First of all, the names of the tools.

    The arguments of a call may be a function of the answers so far.
    """

    async def talk() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable,
            args=[*start, "mcp", "--root", str(folder), *options],
            cwd=folder,
            env=dict(os.environ),
        )
        async with stdio_client(server) as (reader, writer), mcp.ClientSession(reader, writer) as session:
            await session.initialize()
            answers: list[Any] = [sorted(tool.name for tool in (await session.list_tools()).tools)]
            for name, arguments in calls:
                result = await session.call_tool(
                    name, arguments(answers) if callable(arguments) else arguments
                )
                answers.append(result.content[0].text if result.is_error else result.structured_content)
            return answers

    return asyncio.run(asyncio.wait_for(talk(), 120))


def test_a_broken_program_is_repaired_run_compiled_and_profiled(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)

    def repaired(answers: list[Any]) -> dict[str, Any]:
        return {"source": answers[2]["source"]}

    names, checked, fixed, page, hits, ran, compared, compiled, profiled = ask(
        tmp_path,
        ("check", {"path": "broken.py"}),
        ("fix", {"source": BROKEN}),
        ("explain", {"code": "TTL0515"}),
        ("search", {"query": "multicast pipes", "most": 3}),
        ("run", lambda answers: {**repaired(answers), "sanitize": True, "schedules": 3}),
        ("run", lambda answers: {**repaired(answers), "compare": True}),
        ("compile", repaired),
        ("profile", repaired),
    )
    assert names == ["check", "compile", "explain", "fix", "profile", "run", "score", "search"]
    assert not checked["ok"]
    finding = checked["findings"][0]
    assert finding["code"] == "TTL0515"
    assert (
        finding["place"]["line"]
        == BROKEN.split("\n").index("            ttl.copy(a[0, 0:2], a_blk).wait()") + 1
    )
    assert finding["fixable"]
    assert fixed["errors"] == 0
    assert "shape=(1, 2)" in fixed["diff"]
    assert (tmp_path / "broken.py").read_text() == BROKEN
    assert page["title"] == "copy between different shapes"
    assert 1 <= len(hits["result"]) <= 3
    assert ran["ok"] and ran["output"].strip() == "done"
    assert compared["ok"]
    assert "kernel_main" in compiled["cpp"]
    assert profiled["cycles"] == profiled["launches"][0]["cycles"] > 0
    assert profiled["launches"][0]["verdict"].startswith("scale: ")


def test_a_program_is_scored(tmp_path: Path) -> None:
    _, broken, nonsense = ask(
        tmp_path,
        ("score", {"source": BROKEN, "reference": "def reference(a):\n    return 2 * a\n"}),
        ("score", {"source": BROKEN, "until": "tomorrow"}),
    )
    assert (broken["failed"], broken["total"]) == ("checked", 0.01)
    assert broken["findings"][0]["code"] == "TTL0515"
    assert "shape=(1, 2)" in broken["next"]
    assert "until is parsed or checked" in nonsense


def test_an_exception_and_a_program_without_end_are_answers(tmp_path: Path) -> None:
    _, raised, endless = ask(
        tmp_path,
        ("run", {"source": "import ttl\nraise ValueError('mine')\n"}),
        ("run", {"source": "while True:\n    print('x' * 1000)\n"}),
        options=("--seconds", "3"),
    )
    assert raised["exit_code"] == 1
    assert raised["exception"]["type"] == "ValueError"
    assert endless["exit_code"] is None
    assert endless["reason"] == "it ran longer than 3 s"
    assert len(endless["output"]) <= 6000 < endless["output_cut"]


@pytest.mark.parametrize("at", ["beside the program", "in the working folder"])
def test_files_beside_a_program_are_not_executed(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only running was asked to execute something."""
    below = tmp_path / "kernels"
    below.mkdir()
    folder = below if at == "beside the program" else tmp_path
    mark = tmp_path / "executed"
    for name in ("numpy", "ttl", "difflib", "json", "xdsl", "sitecustomize", "usercustomize", "conftest"):
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\nraise SystemExit(0)\n")
    (below / "program.py").write_text(BROKEN)
    if folder is below:  # elsewhere it would be the user who wants it
        monkeypatch.setenv("PYTHONPATH", ".:")
    source = str(Path(ttl.__file__).parents[1])
    _, checked, fixed, compiled, scored = ask(
        tmp_path,
        ("check", {"path": "kernels/program.py"}),
        ("fix", {"path": "kernels/program.py", "write": True}),
        ("compile", {"path": "kernels/program.py"}),
        ("score", {"path": "kernels/program.py", "until": "checked"}),
        start=(
            "-P",
            "-c",
            f"import sys; sys.path.insert(0, {source!r}); from ttl.cli.main import main; sys.exit(main())",
        ),
    )
    assert not mark.exists(), mark.read_text()
    assert checked["findings"][0]["code"] == "TTL0515"
    assert fixed["applied"] > 0
    assert "kernel_main" in compiled["cpp"]
    expected = ("parsed", 0.0) if folder is below else (None, 0.05)
    assert (scored["failed"], scored["total"]) == expected


TRY = """
import os, pathlib, socket
for attempt in (
    lambda: socket.create_connection(("192.0.2.1", 80), 0.2), lambda: open("beside", "w"), lambda: os.unlink(__file__), lambda: open(KEPT).read(),
):
    try:
        attempt()
        print("done")
    except OSError:
        print("refused")
pathlib.Path.home().joinpath("own").write_text("x")
print(open(__file__).read()[:4])
"""


@pytest.mark.skipif("open" in (FENCE.network, FENCE.files), reason="programs cannot be kept in here")
def test_a_program_is_run_behind_the_fence(on_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = on_disk / "home" / "kept"
    kept.parent.mkdir()
    kept.write_text("secret")
    monkeypatch.setenv("HOME", str(kept.parent))
    below = kept.parent / "kernels"
    below.mkdir()
    (below / "program.py").write_text(TRY.replace("KEPT", repr(str(kept))).lstrip())
    _, ran = ask(below, ("run", {"path": "program.py"}))
    assert ran["output"].split() == ["refused"] * 4 + ["impo"], ran
    assert (below / "program.py").exists() and not (below / "beside").exists()


def test_tools_say_what_they_change() -> None:
    from ttl.mcp.server import make

    tools = {tool.name: tool.annotations for tool in asyncio.run(make(Path.cwd(), Limits()).list_tools())}
    reading = {
        name for name, annotations in tools.items() if annotations is not None and annotations.read_only_hint
    }
    destructive = {
        name
        for name, annotations in tools.items()
        if annotations is not None and annotations.destructive_hint
    }
    assert reading == {"check", "compile", "explain", "search"}
    assert destructive == {"fix"}
    assert not any(annotations is None or annotations.open_world_hint for annotations in tools.values())


def test_what_makes_no_sense_is_said(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "secret.py").write_text("print('secret')")
    answers = ask(
        tmp_path / "below",
        ("run", {"path": "../secret.py"}),
        ("run", {"path": str(tmp_path / "secret.py")}),
        ("check", {"path": "missing.py"}),
        ("check", {"path": "a\0b.py"}),
        ("run", {"path": "x" * 5_000}),
        ("check", {}),
        ("run", {"source": "1", "target": "card"}),
        ("run", {"source": "1", "sanitise": True}),
        ("explain", {"code": "TTL7777"}),
        ("fix", {"source": "1", "write": True}),
    )
    words = (
        "not below",
        "not below",
        "no file 'missing.py'",
        "no file 'a\\x00b.py'",
        "no file 'xxx",
        "either path",
        "sim or emu",
        "sanitise",
        "no code",
        "needs a path",
    )
    for answer, word in zip(answers[1:], words, strict=True):
        assert word in answer
        assert "secret')" not in answer
