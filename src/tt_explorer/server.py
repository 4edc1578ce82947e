"""The server: Model Explorer's page and its interface, the adapter's commands, and a page for overrides.

It listens on this machine only, and answers only its own pages and clients that know its token (``tt_explorer.guard``). It makes
no requests to the network.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tt_adapter.commands import COMMANDS, Reply
from tt_adapter.models import POLICIES
from tt_adapter.replies import replied
from tt_explorer.guard import ExplorerError, RefusedRequest, RequestGuard, sent_json, small_number
from ttl.check.file import require_package
from ttl.diag.errors import WrongRequest

if TYPE_CHECKING:
    import flask

HOST = "127.0.0.1"
ADAPTER = "tt_adapter"
_PAGE = Path(__file__).parent / "page"
_LARGEST_UPLOAD = 1 << 30
# Graphs of up to so many nodes are shown with all groups open, larger ones with their functions.
_ALL_OPEN = 150
# Fonts that Model Explorer's page would request from Google; it has local ones, too.
_REMOTE_FONTS = re.compile(r"@font-face\{[^}]*https:[^}]*\}|<link rel=\"preconnect\"[^>]*>")
_LONGEST_NAME = 120
# Settings that are paths.
_PATHS = ("artifact_dir", "system_desc_path")


def model_explorer_page() -> Path:
    """The folder of Model Explorer's page, without importing the package."""
    spec = importlib.util.find_spec("model_explorer")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "web_app"


def require_packages() -> None:
    """Check that the packages of the extra ``explorer`` are installed. Raises ``ProgramError`` TTL0116."""
    for name in ("flask", "werkzeug", "model_explorer"):
        require_package("tt-explorer", name, "explorer")


@dataclass(slots=True)
class ShownGraphs:
    """The compiled graphs and overlays, by number, that pages show in addition to files."""

    graphs: list[Any] = field(default_factory=list)
    overlays: list[Any] = field(default_factory=list)

    def add(self, name: str, graph: Any, overlays: Mapping[str, Any], result: str = "") -> str:
        """Add a graph and its overlays.

        Returns the address of the Model Explorer page that shows them, at the node of a result.
        """
        groups = sorted({node["namespace"] for node in graph["nodes"]})
        if len(graph["nodes"]) > _ALL_OPEN:
            groups = sorted({group.partition("/")[0] for group in groups})
        number = len(self.graphs)
        self.graphs.append({"graphs": [graph]})
        sources = []
        for title, data in overlays.items():
            sources.append(f"node_data://{title}/{len(self.overlays)}")
            self.overlays.append(data)
        return _address(
            {
                "models": [{"url": f"graphs://{name}/{number}"}],
                "nodeData": sources,
                "nodeDataTargets": [""] * len(sources),
                "uiState": {
                    "paneStates": [
                        {
                            "deepestExpandedGroupNodeIds": [f"{group}___group___" for group in groups],
                            "selectedNodeId": _opened_at(graph, result),
                            "selectedGraphId": graph["id"],
                            "selectedCollectionLabel": name,
                            "widthFraction": 1,
                            "selected": True,
                        }
                    ]
                },
            }
        )


def _opened_at(graph: Any, result: str) -> str:
    """Return the node at which a graph opens, large enough to read.

    It is that of a result (name and operation), else the first with inputs.
    """
    nodes = [node for node in graph["nodes"] if node["incomingEdges"]]
    named = [node for node in nodes if f"{node['id'].rpartition('__')[0]} {node['label']}" == result]
    return next((node["id"] for node in [*named, *nodes]), "")


def _address(data: Mapping[str, Any]) -> str:
    return f"/?data={quote(json.dumps(data))}"


def application(models: tuple[str, ...] = ()) -> flask.Flask:
    """The server's application. ``models`` are files that its page offers."""
    import flask

    page = model_explorer_page()
    app = flask.Flask("tt_explorer", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = _LARGEST_UPLOAD
    shown = ShownGraphs()
    uploads = Path(tempfile.mkdtemp(prefix="tt-explorer-"))
    app.extensions["uploads"] = uploads

    guard = RequestGuard()
    guard.install(app)

    # The requests of Model Explorer's page.

    @app.get("/api/v1/get_extensions")
    def extensions() -> Any:
        return [
            {
                "type": "adapter",
                "id": ADAPTER,
                "name": "Tenstorrent MLIR Adapter",
                "description": "Modules of TT-MLIR and TT-Lang",
                "fileExts": ["mlir", "ttir", "ttnn"],
                "settings": {"optimizationPolicies": list(POLICIES)},
            },
            {
                "type": "adapter",
                "id": "builtin_json",
                "name": "JSON adapter",
                "description": "Graphs in Model Explorer's JSON",
                "fileExts": ["json"],
            },
        ]

    @app.get("/api/v1/check_new_version")
    def new_version() -> Any:
        return {"version": "", "runningVersion": "", "releaseUrl": "", "desktopAppUrl": ""}

    @app.get("/api/v1/notify_user_provided_model_path")
    def notified() -> Any:
        return {"status": "ok"}

    @app.get("/api/v1/load_graphs_json")
    def graphs() -> Any:
        return _numbered(shown.graphs, "graph_index")

    @app.get("/api/v1/load_node_data")
    def node_data() -> Any:
        found = _numbered(shown.overlays, "node_data_index")
        return {"content": json.dumps(found)} if found else {}

    @app.get("/apistream/server_director")
    def directed() -> Any:
        """Send nothing to open pages; the status keeps browsers from asking again."""
        return "", 204

    @app.post("/apipost/v1/upload")
    def upload() -> Any:
        return _uploaded(uploads)

    @app.get("/api/v1/send_command")
    def command_in_address() -> Any:
        """Refuse a command in an address: any web page can make a browser request an address, as for a picture."""
        raise RefusedRequest(405, "a command is executed by POST /apipost/v1/send_command")

    @app.post("/apipost/v1/send_command")
    def command() -> Any:
        return _command(sent_json(flask.request))

    @app.get("/check_health")
    def health() -> str:
        return "model_explorer_ok"

    @app.get("/tt/api/token")
    def token() -> Any:
        """Return the token to clients that are not pages: a page of another host cannot read the answer."""
        return {"token": guard.token}

    # The page for overrides.

    @app.get("/tt")
    def overrides_page() -> Any:
        return flask.send_from_directory(_PAGE, "index.html")

    @app.get("/tt/<path:name>")
    def overrides_file(name: str) -> Any:
        return flask.send_from_directory(_PAGE, name)

    @app.get("/tt/api/models")
    def offered() -> Any:
        return {"models": list(models), "policies": list(POLICIES)}

    @app.post("/tt/api/view")
    def view() -> Any:
        """The graph of a file as it is."""
        return _answer(lambda path, settings: _viewed(path, settings, shown))

    @app.post("/tt/api/choices")
    def choices() -> Any:
        return _answer(COMMANDS["choices"])

    @app.post("/tt/api/compare")
    def compare() -> Any:
        """Compile, measure, and compare with the model before the change."""

        def compared(path: str, settings: Mapping[str, Any]) -> Reply:
            reply = COMMANDS["compare"](path, settings)
            graph, overlays = reply.pop("graph"), reply.pop("overlays")
            name, result = f"{Path(path).stem} compiled", str(settings.get("result") or "")
            return reply | {"address": shown.add(name, graph, overlays, result)}

        return _answer(compared)

    @app.get("/")
    def explorer_page() -> Any:
        """Return Model Explorer's page for a graph; without a graph, redirect to our page, which has the models."""
        if not flask.request.args:
            return flask.redirect("/tt")
        text = (page / "index.html").read_text(encoding="utf-8")
        return flask.Response(_REMOTE_FONTS.sub("", text), mimetype="text/html")

    @app.get("/<path:name>")
    def explorer_file(name: str) -> Any:
        return flask.send_from_directory(page, name)

    return app


def _viewed(path: str, settings: Mapping[str, Any], shown: ShownGraphs) -> Reply:
    (graph,) = COMMANDS["convert"](path, settings)["graphs"]
    return {"address": shown.add(Path(path).name, graph, {})}


def _numbered(things: list[Any], name: str) -> Any:
    import flask

    number = small_number(flask.request.args.get(name, ""))
    return things[number] if number is not None and number < len(things) else {}


def _uploaded(folder: Path) -> Any:
    """Store an uploaded file in a folder of its own, under the last part of its name."""
    import flask
    from werkzeug.utils import secure_filename

    given = flask.request.files.get("file")
    if given is None:
        return {"error": "no file was sent: send one as the field 'file' of a form"}, 400
    name = secure_filename(given.filename or "")[-_LONGEST_NAME:] or "model"
    path = Path(tempfile.mkdtemp(dir=folder)) / name
    given.save(path)
    return {"path": str(path)}


def _command(sent: Any) -> Any:
    """Run a command as Model Explorer sends it. An error in a model is an object with ``error``, not an HTTP status."""
    if not isinstance(sent, dict):
        raise RefusedRequest(
            400, "a command is an object of JSON with extensionId, cmdId, modelPath and settings"
        )
    if sent.get("extensionId") != ADAPTER:
        raise RefusedRequest(
            400, f"extension {sent.get('extensionId')!r:.80} is not known; there is {ADAPTER}"
        )
    run = COMMANDS.get(str(sent.get("cmdId")))
    if run is None:
        raise RefusedRequest(
            400, f"command {sent.get('cmdId')!r:.80} is not known; there are {', '.join(COMMANDS)}"
        )
    path, settings = sent.get("modelPath") or "", sent.get("settings") or {}
    if not isinstance(path, str) or not isinstance(settings, dict):
        raise RefusedRequest(400, "modelPath is a text, and settings is an object")
    try:
        reply = _replied(run, path, settings)
    except WrongRequest as problem:
        return {"error": str(problem)}
    return reply if "graphs" in reply else {"graphs": [reply]}


def _answer(run: Callable[[str, Mapping[str, Any]], Reply]) -> Any:
    """Run a command of the page for overrides: ``{"model": path, "settings": {...}}``."""
    import flask

    sent = sent_json(flask.request)
    if not isinstance(sent, dict) or not isinstance(sent.get("model"), str):
        raise RefusedRequest(400, 'the body is an object of JSON with "model" and "settings"')
    settings = sent.get("settings") or {}
    if not isinstance(settings, dict):
        raise RefusedRequest(400, "settings is an object")
    try:
        return _replied(run, sent["model"], settings)
    except WrongRequest as problem:
        return {"error": str(problem)}, 422


def _replied(run: Callable[[str, Mapping[str, Any]], Reply], path: str, settings: Mapping[str, Any]) -> Reply:
    """Run a command on a path and return its reply.

    Raises ``RefusedRequest`` if a path is not allowed, ``WrongRequest`` if the model or a setting is wrong.
    """
    for name in _PATHS:
        if isinstance(settings.get(name), str):
            _path(settings[name])
    try:
        return replied(run, _path(path), settings)
    except RecursionError:
        raise RefusedRequest(400, "the settings are nested too deeply") from None


def _path(text: str) -> str:
    """Return the path in a request. Raises ``RefusedRequest`` for anything else."""
    try:
        path = Path(text).expanduser()
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # opening it reports that
        pass
    except (OSError, ValueError, RuntimeError):
        raise RefusedRequest(
            400, "the path of the model is not a path: it is too long, or has characters that no path has"
        ) from None
    return str(path)


class ExplorerServer:
    """A server in a thread of this process. ``close`` ends it and deletes uploaded files.

    Raises ``ProgramError`` TTL0116 without the packages of the extra, ``ExplorerError`` if another program uses the
    port.
    """

    def __init__(self, port: int = 8080, models: tuple[str, ...] = ()) -> None:
        require_packages()
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Silent(WSGIRequestHandler):
            """A request handler without a log."""

            def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
                """Log nothing."""

        self._app = application(models)
        try:
            self._server = make_server(HOST, port, self._app, threaded=True, request_handler=Silent)
        except (OSError, SystemExit):
            raise ExplorerError(
                f"port {port} of {HOST} cannot be listened on: another program has it; name one with --port, 0 for any",
                "or end the other program",
            ) from None
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """The address of its pages."""
        return f"http://localhost:{self.port}"

    def wait(self) -> None:
        """Wait until the server is closed, or for Ctrl-C."""
        self._thread.join()

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        shutil.rmtree(self._app.extensions["uploads"], ignore_errors=True)
