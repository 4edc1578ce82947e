"""The permissions of requests: the server answers its own pages, and clients that know its token.

A browser sends requests on behalf of any page that its user opens. So only POST changes or executes anything; the
request must name this machine as its host, come from a page of this server, as far as the browser says where it comes
from (``Origin``, ``Sec-Fetch-Site``), and bear the token, which pages get as a cookie that browsers send for this
server's own pages alone, and clients ask for.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import flask

TOKEN_HEADER = "X-TT-Explorer-Token"
_OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_FROM_OWN_PAGES = frozenset({"same-origin", "none"})
_READING = frozenset({"GET", "HEAD"})
# Limits of an address, and of a JSON body.
_LONGEST_PATH = 1024
_LARGEST_JSON = 16 << 20
_ELSEWHERE = "this server answers only pages of its own machine"
# Model Explorer's page would load fonts from elsewhere; it looks as well with local ones.
_OWN_SOURCES = "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; frame-ancestors 'self'"


class ExplorerError(Exception):
    """The server is not there, cannot start, or reports an error. ``way_out`` is an alternative."""

    def __init__(self, problem: str, way_out: str = "") -> None:
        super().__init__(problem)
        self.way_out = way_out


class RefusedRequest(Exception):
    """A request that is refused: the HTTP status, and the reason."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class RequestGuard:
    """Checks the requests of one server."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)

    def install(self, app: flask.Flask) -> None:
        """Check every request before it is answered, and add the security headers and the token to every answer."""
        import flask

        def refused(problem: RefusedRequest) -> Any:
            return {"error": problem.why}, problem.status

        @app.before_request
        def looked_at() -> Any:
            try:
                self._check(flask.request)
            except RefusedRequest as problem:
                return refused(problem)
            return None

        @app.after_request
        def finished(response: flask.Response) -> flask.Response:
            response.headers["Cache-Control"] = "no-store"
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["Content-Security-Policy"] = _OWN_SOURCES
            response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
            if response.mimetype == "text/html" and response.status_code == 200:
                response.set_cookie(
                    _cookie(flask.request), self.token, httponly=True, samesite="Strict", path="/"
                )
            return response

        app.register_error_handler(RefusedRequest, refused)

    def _check(self, request: flask.Request) -> None:
        try:
            host = urlsplit(f"//{request.headers.get('Host', '')}")
            named, origin = host.hostname, request.headers.get("Origin")
            came_from = None if origin is None else urlsplit(origin)
            _ = host.port, came_from and came_from.port
        except ValueError:
            raise RefusedRequest(400, "the header Host or Origin is not an address") from None
        if named not in _OWN_NAMES or (came_from is not None and came_from.netloc != host.netloc):
            raise RefusedRequest(403, _ELSEWHERE)
        if request.headers.get("Sec-Fetch-Site", "none") not in _FROM_OWN_PAGES and not _is_opened(request):
            raise RefusedRequest(403, _ELSEWHERE)
        if len(request.path) > _LONGEST_PATH or "\0" in request.path:
            raise RefusedRequest(400, "this server has no such address")
        if request.method in _READING:
            return
        given = request.headers.get(TOKEN_HEADER) or request.cookies.get(_cookie(request)) or ""
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            raise RefusedRequest(
                403,
                f"this needs the token of the server, in the header {TOKEN_HEADER}: GET /tt/api/token returns it; reload the page",
            )


def _is_opened(request: flask.Request) -> bool:
    """Return whether a request follows a link to a page."""
    headers = request.headers
    return (
        request.method == "GET"
        and headers.get("Sec-Fetch-Mode") == "navigate"
        and headers.get("Sec-Fetch-Dest") == "document"
    )


def _cookie(request: flask.Request) -> str:
    # Servers on other ports of this machine share the cookies.
    return f"tt-explorer-{urlsplit('//' + request.headers.get('Host', '')).port or 80}"


def sent_json(request: flask.Request) -> Any:
    """The body of a request, as JSON. Raises ``RefusedRequest``."""
    if (request.content_length or 0) > _LARGEST_JSON:
        raise RefusedRequest(400, f"the body has more than {_LARGEST_JSON >> 20} MB")
    try:
        return json.loads(request.get_data(cache=False), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise RefusedRequest(400, "the body is not JSON, or nested too deeply") from None


def _no_number(text: str) -> Callable[[], None]:
    raise ValueError(text)


def small_number(text: str) -> int | None:
    """A number of up to nine digits; None for anything else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None
