"""The server and its client: what is answered, what is refused, and the page in a real browser."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask")
from tt_explorer import ExplorerError, TTExplorer
from tt_explorer.server import application, model_explorer_page

ROOT = Path(__file__).parents[2]
MLP = str(ROOT / "examples" / "models" / "mlp.mlir")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WEB = ROOT / "web"


@pytest.fixture(scope="module")
def explorer() -> Iterator[TTExplorer]:
    client = TTExplorer(port=0, server=True, config={"models": [MLP]})
    yield client
    client.close()


@pytest.fixture(scope="module")
def pages() -> Any:
    return application((MLP,)).test_client()


def test_the_client_of_the_documentation(explorer: TTExplorer, tmp_path: Path) -> None:
    with open(MLP) as file:
        path = explorer.get_model_path(file)
    assert path.endswith("mlp.mlir") and path != MLP
    assert explorer.initialize()["system_desc_path"].endswith(".ttsys")
    reply = explorer.execute_model(
        path, {"ttir_to_ttnn_options": ["enable-optimizer=true"], "artifact_dir": str(tmp_path)}
    )
    assert reply["perf_trace"].startswith("OP CODE,") and "mlp.ttnn" in reply["log_file"]
    assert (tmp_path / "mlp.ttnn").exists()


def test_the_client_says_what_is_wrong(explorer: TTExplorer) -> None:
    path = explorer.get_model_path(io.StringIO("func.func @f( {"))
    with pytest.raises(ExplorerError, match="error: "):
        explorer.execute_model(path)
    with pytest.raises(
        ExplorerError, match="command 'frobnicate' is not known; there are convert, initialize"
    ):
        explorer.send_command("frobnicate", path)
    with pytest.raises(ExplorerError, match="no server of tt-explorer answers at http://localhost:1: "):
        TTExplorer(port=1).initialize()


def test_what_model_explorer_asks_for(pages: Any) -> None:
    (ours, _) = pages.get("/api/v1/get_extensions").json
    assert ours["id"] == "tt_adapter" and ours["settings"]["optimizationPolicies"][0] == "DF Sharding"
    assert b"<me-app" in pages.get("/").data or b"<html" in pages.get("/").data
    assert pages.get("/check_health").text == "model_explorer_ok"
    address = pages.post("/tt/api/view", json={"model": MLP}).json["address"]
    assert address.startswith("/?data=")
    (graph,) = pages.get("/api/v1/load_graphs_json?graph_index=0").json["graphs"]
    assert graph["id"] == "ttir-graph"
    assert pages.get("/api/v1/load_graphs_json?graph_index=99").json == {}
    command = {"extensionId": "tt_adapter", "cmdId": "convert", "modelPath": MLP, "settings": {}}
    assert pages.post("/apipost/v1/send_command", json=command).json["graphs"] == [graph]
    assert pages.get("/api/v1/send_command", query_string={"json": json.dumps(command)}).json["graphs"] == [
        graph
    ]


def test_others_are_refused(pages: Any) -> None:
    """A page of another host must not reach a server of this machine, by its name or by another."""
    for headers in (
        {"Origin": "http://evil.example"},
        {"Host": "evil.example"},
        {"Origin": "http://localhost:1"},
    ):
        for answer in (
            pages.get("/tt/api/models", headers=headers),
            pages.post("/tt/api/view", json={"model": MLP}, headers=headers),
        ):
            assert answer.status_code == 403
    assert pages.get("/tt/api/models", headers={"Host": "127.0.0.1:8080"}).status_code == 200
    assert "default-src 'self'" in pages.get("/tt").headers["Content-Security-Policy"]
    for path in ("/../pyproject.toml", "/tt/../server.py", "/tt/..%2fserver.py", "/%2e%2e/config.py"):
        assert pages.get(path).status_code == 404
    # Any file of the machine as text: Model Explorer has that, and here nobody needs it.
    assert pages.get("/api/v1/read_text_file?path=/etc/passwd").status_code == 404


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/tt/api/view", [], 'the body is an object of JSON with "model" and "settings"'),
        ("/tt/api/view", {"model": MLP, "settings": 3}, "settings is an object"),
        (
            "/tt/api/view",
            {"model": "/no/such/file.mlir"},
            "file.mlir cannot be read: No such file or directory",
        ),
        (
            "/apipost/v1/send_command",
            {"extensionId": "other"},
            "extension 'other' is not known; there is tt_adapter",
        ),
        ("/apipost/v1/send_command", [], "a command is an object of JSON"),
        ("/apipost/v1/upload", {}, "no file is given"),
    ],
)
def test_requests_that_are_wrong(pages: Any, path: str, body: Any, said: str) -> None:
    assert said in pages.post(path, json=body).json["error"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.mlir"], "there is no file nothing.mlir"),
        (["--port", "x"], "a port is a number from 0 to 65535, not x"),
    ],
)
def test_command_lines_that_are_wrong(arguments: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tt_explorer.main", *arguments], capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode != 0 and said in done.stderr and "Traceback" not in done.stderr


def test_the_extension_of_model_explorer() -> None:
    """``model-explorer --extensions=tt_adapter``: replies in the form that it asks for."""
    script = (
        "from model_explorer.extension_manager import ExtensionManager\n"
        "ExtensionManager.BUILTIN_ADAPTER_MODULES = []\n"
        "manager = ExtensionManager(['tt_adapter']); manager.load_extensions()\n"
        f"command = {{'extensionId': 'tt_adapter', 'cmdId': 'convert', 'modelPath': {MLP!r}, 'settings': {{}}}}\n"
        "print(len(manager.run_cmd(command)['graphs'][0]['nodes']))\n"
        "command |= {'cmdId': 'initialize'}\n"
        "print(manager.run_cmd(command)['graphs'][0]['system_desc_path'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    nodes, path = done.stdout.splitlines()[-2:]
    assert int(nodes) == 26 and path.endswith(".ttsys")


@pytest.mark.skipif(
    shutil.which("node") is None or not (WEB / "report" / "node_modules" / "playwright-core").exists(),
    reason="no Node.js, or not the packages of the report page: make report-page",
)
@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium: apt-get install chromium")
def test_the_page_in_a_browser(explorer: TTExplorer) -> None:
    """An override by click, what it changes, one that is not legal, a node that is selected in the graph."""
    assert model_explorer_page().exists()
    done = subprocess.run(
        ["node", str(WEB / "explorer" / "click.mjs"), explorer.address],
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["wrong"] == [] and seen["asked"] == []
    assert seen["results"] == 16 and seen["layouts"] == seen["legal"] > 10
    assert seen["overridden"] == "2x4:l1:block_sharded:tile:bf16" != seen["chosen"]
    assert seen["overrides"] == {"product0": seen["overridden"]}
    assert "slower than" in seen["verdict"] and seen["changes"] > 0
    assert "do not divide into 3x7 shards of whole tiles" in seen["error"]
    assert seen["selected"].startswith("positive0: ")
