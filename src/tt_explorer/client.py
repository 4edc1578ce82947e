"""A client of the server, which may be of this process."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from tt_explorer.guard import TOKEN_HEADER, ExplorerError

_SECONDS = 600


class TTExplorer:
    """Uploads models to a server of tt-explorer and has them compiled and estimated there.

    Args:
        port: the server's port; 0 with ``server`` for any free port.
        url: the server's address without the port.
        server: start one in this process.
        config: ``{"models": [paths]}`` for a new server: the files that its page offers.
    """

    def __init__(
        self,
        port: int = 8080,
        url: str = "http://localhost",
        server: bool = False,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        self._server = None
        if server:
            from tt_explorer.server import ExplorerServer

            self._server = ExplorerServer(port, tuple((config or {}).get("models", ())))
            port = self._server.port
        if urlsplit(url).scheme not in ("http", "https"):
            raise ExplorerError(f"{url} is not the address of a server: use http://localhost")
        self.address = f"{url}:{port}"
        self._token = ""

    def get_model_path(self, file: IO[str] | IO[bytes]) -> str:
        """Upload a file, and return its path on the server. Raises ``ExplorerError``."""
        content = file.read()
        data = content.encode() if isinstance(content, str) else content
        name = Path(str(getattr(file, "name", "model.mlir"))).name.replace('"', "_")
        boundary = uuid.uuid4().hex
        body = b"".join(
            (
                f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'.encode(),
                b"Content-Type: application/octet-stream\r\n\r\n",
                data,
                f"\r\n--{boundary}--\r\n".encode(),
            )
        )
        reply = self._post("/apipost/v1/upload", body, f"multipart/form-data; boundary={boundary}")
        return str(reply["path"])

    def initialize(self, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Have the server describe its simulated system; return ``system_desc_path``. Raises ``ExplorerError``."""
        return self.send_command("initialize", "", settings)

    def execute_model(self, model_path: str, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Compile a module of TTIR on the server, and estimate it; return ``stdout``, ``log_file``, ``perf_trace``.

        ``settings``: ``optimizationPolicy``, ``overrides`` (layouts by names), ``ttir_to_ttnn_options``, ``artifact_dir``. Raises
        ``ExplorerError``.
        """
        given = dict(settings or {})
        given.setdefault("optimizationPolicy", "Optimizer Disabled")
        return self.send_command("execute", model_path, given)

    def send_command(
        self, command: str, model_path: str, settings: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Send any command of the adapter. Raises ``ExplorerError`` with the server's message."""
        sent = {
            "extensionId": "tt_adapter",
            "cmdId": command,
            "modelPath": model_path,
            "deleteAfterConversion": False,
            "settings": dict(settings or {}),
        }
        reply = self._post("/apipost/v1/send_command", json.dumps(sent).encode(), "application/json")
        (graph,) = reply["graphs"]
        return dict(graph)

    def close(self) -> None:
        """End the server if this client started it."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _post(self, path: str, body: bytes, kind: str) -> dict[str, Any]:
        if not self._token:
            self._token = str(self._reply("/tt/api/token", None, {})["token"])
        return self._reply(path, body, {"Content-Type": kind, TOKEN_HEADER: self._token})

    def _reply(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> dict[str, Any]:
        request = Request(f"{self.address}{path}", data=body, headers=dict(headers))
        try:
            with urlopen(request, timeout=_SECONDS) as response:
                reply = json.load(response)
        except HTTPError as problem:
            text = problem.read().decode(errors="replace").strip()
            raise ExplorerError(f"{self.address}{path} says {problem.code}: {text}") from None
        except (URLError, OSError, ValueError) as problem:
            reason = getattr(problem, "reason", problem)
            raise ExplorerError(
                f"no server of tt-explorer answers at {self.address}: {reason}; start one with tt-explorer, or TTExplorer(server=True)"
            ) from None
        if "error" in reply:
            raise ExplorerError(str(reply["error"]))
        return dict(reply)
