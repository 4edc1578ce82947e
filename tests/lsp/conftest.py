"""A real client over standard input and output; one server for the tests of a module: starting one takes half a second."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from support.editing import takes_registrations


@pytest_lsp.fixture(  # type: ignore[arg-type]
    scope="module", config=ClientServerConfig(server_command=[sys.executable, "-m", "ttl", "lsp"])
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    capabilities = client_capabilities("visual-studio-code")
    takes_registrations(lsp_client)
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()
