"""The server and its client: what is answered, what is refused, and the page in a real browser."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("flask")
from tt_adapter.models import compiled, read
from tt_explorer import ExplorerError, TTExplorer
from tt_explorer.server import ExplorerServer, application

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
    client = application((MLP,)).test_client()
    client.get("/tt")  # which has the token, as a cookie
    return client


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
    assert pages.get("/").headers["Location"] == "/tt"
    shown = pages.get("/?data={}").text
    assert "<app-root>" in shown and "fonts.gstatic.com" not in shown
    assert pages.get("/check_health").text == "model_explorer_ok"
    address = pages.post("/tt/api/view", json={"model": MLP}).json["address"]
    assert address.startswith("/?data=")
    (graph,) = pages.get("/api/v1/load_graphs_json?graph_index=0").json["graphs"]
    assert graph["id"] == "ttir-graph"
    assert pages.get("/api/v1/load_graphs_json?graph_index=99").json == {}
    command = {"extensionId": "tt_adapter", "cmdId": "convert", "modelPath": MLP, "settings": {}}
    assert pages.post("/apipost/v1/send_command", json=command).json["graphs"] == [graph]


def test_others_are_refused(pages: Any) -> None:
    """A page of another host must not reach a server of this machine, by its name or by another."""
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    ):
        for answer in (
            pages.get("/tt/api/models", headers=headers),
            pages.post("/tt/api/view", json={"model": MLP}, headers=headers),
        ):
            assert answer.status_code == 403
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert pages.get("/tt", headers=followed).status_code == 200
    assert pages.post("/tt/api/view", json={"model": MLP}, headers=followed).status_code == 403
    assert pages.get("/tt/api/models", headers={"Host": "127.0.0.1:8080"}).status_code == 200
    assert "default-src 'self'" in pages.get("/tt").headers["Content-Security-Policy"]
    for path in ("/../pyproject.toml", "/tt/../server.py", "/tt/..%2fserver.py", "/%2e%2e/config.py"):
        assert pages.get(path).status_code == 404
    # Any file of the machine as text: Model Explorer has that, and here nobody needs it.
    assert pages.get("/api/v1/read_text_file?path=/etc/passwd").status_code == 404


def test_nothing_is_executed_for_a_picture(pages: Any, tmp_path: Path) -> None:
    """What a page of another host can have a browser ask for: an address, without a header that says where it comes from."""
    command = {
        "extensionId": "tt_adapter",
        "cmdId": "execute",
        "modelPath": MLP,
        "settings": {"optimizationPolicy": "Optimizer Disabled", "artifact_dir": str(tmp_path / "made")},
    }
    answer = pages.get("/api/v1/send_command", query_string={"json": json.dumps(command)})
    assert answer.status_code == 405
    routes = [rule for rule in pages.application.url_map.iter_rules() if "POST" in (rule.methods or ())]
    assert len(routes) == 5
    stranger = pages.application.test_client()
    for rule in routes:
        for headers in ({}, {"X-TT-Explorer-Token": "guessed"}, {"Cookie": "tt-explorer-80=guessed"}):
            answer = stranger.post(rule.rule, json=command | {"model": MLP}, headers=headers)
            assert answer.status_code == 403 and "GET /tt/api/token returns it" in answer.json["error"]
    assert not (tmp_path / "made").exists()
    assert "graphs" in pages.post("/apipost/v1/send_command", json=command).json
    assert (tmp_path / "made").exists()  # as a page of the server may have it
    token = stranger.get("/tt/api/token").json["token"]
    answer = stranger.post("/tt/api/view", json={"model": MLP}, headers={"X-TT-Explorer-Token": token})
    assert answer.status_code == 200
    (cookie,) = pages.get("/tt").headers.getlist("Set-Cookie")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie


DEEP = b"[" * 100_000
LONG = "x" * 5_000
COMMAND = {"extensionId": "tt_adapter", "cmdId": "convert"}


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/tt", {"headers": {"Origin": "http://["}}),
        ("/tt", {"headers": {"Host": "["}}),
        ("/tt", {"headers": {"Host": "localhost:port"}}),
        ("/tt", {"headers": {"Origin": "http://localhost:99999999"}}),
        (f"/{LONG}", {}),
        (f"/tt/{LONG}", {}),
        ("/tt/%00", {}),
        ("/tt/api/view", {"data": DEEP}),
        ("/apipost/v1/send_command", {"data": DEEP}),
        ("/apipost/v1/send_command", {"data": b"{\xff}"}),
        ("/apipost/v1/send_command", {"data": b"NaN"}),
        ("/apipost/v1/send_command", {"data": b"9" * 5_000}),
        ("/apipost/v1/send_command", {"json": {"extensionId": LONG}}),
        ("/apipost/v1/send_command", {"json": COMMAND | {"cmdId": [LONG]}}),
        ("/apipost/v1/send_command", {"json": COMMAND | {"modelPath": LONG}}),
        ("/apipost/v1/send_command", {"json": COMMAND | {"modelPath": "a\0b"}}),
        ("/apipost/v1/send_command", {"json": COMMAND | {"modelPath": "\ud800"}}),
        ("/apipost/v1/send_command", {"json": COMMAND | {"modelPath": "~nobody-of-this-name/x"}}),
        ("/tt/api/compare", {"json": {"model": MLP, "settings": {"artifact_dir": "a\0b"}}}),
        ("/tt/api/compare", {"json": {"model": MLP, "settings": {"system_desc_path": LONG}}}),
        ("/apipost/v1/upload", {"data": b"--x", "headers": {"Content-Type": "multipart/form-data"}}),
    ],
)
def test_what_is_no_request_is_a_400(pages: Any, path: str, more: dict[str, Any]) -> None:
    asked = pages.post if {"data", "json"} & set(more) else pages.get
    answer = asked(path, **more)
    assert answer.status_code == 400
    assert answer.json["error"] and len(answer.data) < 300


def test_long_names_and_numbers_are_no_mistake(pages: Any) -> None:
    assert pages.get(f"/api/v1/load_graphs_json?graph_index={'9' * 5_000}").json == {}
    assert pages.get("/api/v1/load_graphs_json?graph_index=\u00b2").json == {}
    sent = pages.post("/apipost/v1/upload", data={"file": (io.BytesIO(b""), f"{LONG}.mlir")})
    assert sent.status_code == 200 and sent.json["path"].endswith(".mlir")


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
        ("/apipost/v1/upload", {}, "no file was sent"),
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


def test_without_the_extra() -> None:
    script = (
        "import sys, importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *more: None if name == 'flask' else find(name, *more)\n"
        "sys.modules['flask'] = None\n"
        "from tt_explorer.main import main; main(['--no-open-in-browser', '--port', '0'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == ""
    assert "error[TTL0116]: tt-explorer needs the Python package flask" in done.stderr
    assert "pip install 'ttlang[explorer]'" in done.stderr and "Traceback" not in done.stderr


def test_the_command_prints_one_address() -> None:
    command = [sys.executable, "-m", "tt_explorer.main", "--no-open-in-browser", "--port", "0", MLP]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        printed = [running.stdout.readline() for _ in range(4)]
        running.terminate()
    assert printed[0] == "Starting Model Explorer server at:\n" and re.fullmatch(
        r"http://localhost:\d+\n", printed[1]
    )
    assert printed[2:] == ["\n", "Press Ctrl+C to stop.\n"]


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


def _needs_browser(test: Any) -> Any:
    packages = (
        shutil.which("node") is None or not (WEB / "report" / "node_modules" / "playwright-core").exists()
    )
    for absent, reason in (
        (packages, "no Node.js, or not the packages of the report page: make report-page"),
        (not Path(CHROMIUM).exists(), "no Chromium: apt-get install chromium"),
    ):
        test = pytest.mark.skipif(absent, reason=reason)(test)
    return test


@_needs_browser
def test_a_page_of_a_stranger_in_a_browser(tmp_path: Path) -> None:
    """A picture, a form and requests of a page from elsewhere, while a page of the server is open and its cookie is there."""
    made = tmp_path / "made"
    command = {
        "extensionId": "tt_adapter",
        "cmdId": "execute",
        "modelPath": MLP,
        "settings": {"optimizationPolicy": "Optimizer Disabled", "artifact_dir": str(made)},
    }
    server = ExplorerServer(0, (MLP,))
    answered = _answers(server)
    try:
        done = subprocess.run(
            ["node", str(WEB / "explorer" / "stranger.mjs"), server.address, json.dumps(command)],
            capture_output=True,
            text=True,
            timeout=300,
        )
    finally:
        server.close()
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert ("POST", 200) in answered["same-origin"] and seen["own"] == 200 and made.exists()
    assert seen["cookies"] == [{"sameSite": "Strict", "httpOnly": True}] and seen["visible"] == ""
    assert len(seen["read"]) == 2 and all(text is None for read in seen["read"] for text in read.values())
    for site in ("cross-site", "same-site"):
        methods = [method for method, _ in answered[site]]
        assert methods.count("POST") >= 3 and methods.count("GET") >= 3 and "OPTIONS" in methods
        assert {status for _, status in answered[site]} == {403}


def _answers(server: ExplorerServer) -> dict[str, list[tuple[str, int]]]:
    """Methods of requests and the status of their answers, by where a browser says that they come from; it grows."""
    answers: dict[str, list[tuple[str, int]]] = {}
    application = server._server.app

    def noted(environ: Any, start_response: Any) -> Any:
        def start(status: str, headers: Any, *more: Any) -> Any:
            site = environ.get("HTTP_SEC_FETCH_SITE", "")
            answers.setdefault(site, []).append((environ["REQUEST_METHOD"], int(status.split()[0])))
            return start_response(status, headers, *more)

        return application(environ, start)

    server._server.app = noted
    return answers


@_needs_browser
def test_the_page_in_a_browser(explorer: TTExplorer, tmp_path: Path) -> None:
    """Each action: the list by keyboard, overrides, another policy, a node of the graph, dark colours, a binary."""
    binary = tmp_path / "mlp.ttnn"
    binary.write_bytes(compiled(read(MLP), policy="DF Sharding").binary.content)
    done = subprocess.run(
        ["node", str(WEB / "explorer" / "click.mjs"), explorer.address, str(binary)],
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["wrong"] == [] and seen["asked"] == []
    assert (seen["path"], seen["models"], seen["node"]) == ("/tt", ["mlp.mlir"], "product0__0")
    assert (seen["stops"], seen["second"], seen["found"], seen["below"], seen["opened"]) == (
        1,
        True,
        1,
        True,
        True,
    )
    assert seen["results"] == 16 and seen["layouts"] == seen["legal"] > 10
    assert seen["overridden"] == "2x4:l1:block_sharded:tile:bf16" != seen["chosen"]
    assert seen["overrides"] == {"product0": seen["overridden"]}
    assert "slower than" in seen["verdict"] and seen["changes"] > 0
    assert "do not divide into 3x7 shards of whole tiles" in seen["error"]
    assert (
        seen["cleared"].startswith("DF Sharding: ")
        and "faster than with DF Sharding and an override" in seen["cleared"]
    )
    verdict, changes = seen["policy"]
    assert re.match(
        r"L1 Interleaved: [\d.]+ µs on the chip by estimate, [\d.]+ % slower than with DF Sharding \(",
        verdict,
    )
    assert changes > 0 and seen["again"] == verdict
    assert seen["selected"].startswith("positive0: ")
    assert seen["colours"] == ["rgb(255, 255, 255)", "rgb(21, 24, 29)"]
    assert "of the dialect ttnn and is shown as it is" in seen["read_only"][0]
    assert seen["broken"] == 0
    assert seen["read_only"][1] == seen["offered"] == 0
