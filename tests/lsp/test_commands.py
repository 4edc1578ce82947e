"""Commands: the program of a text is run, sanitized, compared and profiled; its C++ and its IR are shown beside it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from docs.blocks import ROOT
from support.editing import edited, opened, replaced, shown
from ttl.report.assembly import is_built

pytestmark = pytest.mark.asyncio(loop_scope="module")
EXAMPLE = ROOT / "examples" / "tutorial_1_one_tile.py"


async def command(client: LanguageClient, name: str, uri: str, **more: str) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=[{"uri": uri, **more}])
    result = await client.workspace_execute_command_async(params)
    return result if isinstance(result, dict) else {key: getattr(result, key) for key in result._fields}


def get(item: Any, name: str) -> Any:
    """A member of an object, as the client's library has it."""
    return item[name] if isinstance(item, dict) else getattr(item, name)


async def test_a_run_is_of_the_text_in_the_editor(client: LanguageClient, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("print('saved')\n")
    uri = path.as_uri()
    await opened(client, uri, "import ttl\nprint('unsaved', __file__, __name__)\n")
    result = await command(client, "ttl.run", uri)
    assert (result["status"], result["exitCode"]) == ("ok", 0)
    assert result["output"] == f"unsaved {path} __main__\n"
    assert list(result["diagnostics"]) == []


async def test_what_a_run_finds_is_shown_until_the_text_changes(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "fails.py").as_uri()
    await opened(client, uri, "import ttl\n\ndef f():\n    raise LookupError('mine')\n\nf()\n")
    asked = asyncio.create_task(command(client, "ttl.run", uri))
    (finding,) = await shown(client, uri, 1)
    assert (finding.source, finding.range.start.line) == ("ttl run", 3)
    assert finding.message == "LookupError: mine"
    result = await asked
    assert (result["status"], result["exitCode"]) == ("failed", 1)
    assert [get(item, "kind") for item in result["diagnostics"]] == ["exception"]
    assert await edited(client, uri, 2, replaced(0, 0, 0, "# above\n")) == []


async def test_the_sanitizer_and_the_comparison_run_the_program(client: LanguageClient) -> None:
    uri = EXAMPLE.as_uri()
    await opened(client, uri, EXAMPLE.read_text(encoding="utf-8"))
    for name in ("ttl.sanitize", "ttl.compare"):
        result = await command(client, name, uri)
        assert (result["status"], list(result["diagnostics"])) == ("ok", []), result


async def test_the_cpp_and_the_ir_stand_beside_with_their_lines(client: LanguageClient) -> None:
    uri, text = EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8").splitlines()
    await opened(client, uri, "\n".join(text) + "\n")
    result = await command(client, "ttl.showKernels", uri, operation="multiply_add")
    assert result["status"] == "ok"
    assert [get(kernel, "name") for kernel in result["kernels"]] == ["read", "compute", "write"]
    links = [
        (get(kernel, "text").splitlines()[line - 1], text[at - 1])
        for kernel in result["kernels"]
        for line, file, at in get(kernel, "lines")
        if file == str(EXAMPLE)
    ]
    assert any("noc_async_read" in cpp and "ttl.copy(a" in own for cpp, own in links)
    assert any("pack_tile" in cpp and "store" in own for cpp, own in links)

    result = await command(client, "ttl.showIR", uri)
    rows = result["text"].splitlines()
    assert rows[0].startswith("#encoding") and "loc(" not in result["text"]
    linked = {
        (rows[line - 1].split("=")[-1].split()[0], text[at - 1].strip()) for line, _, at in result["lines"]
    }
    assert ("ttl.dfb_wait", "a_dfb.wait() as a_blk,") in linked

    empty = await command(client, "ttl.showKernels", uri, operation="another")
    assert (empty["status"], list(empty["kernels"])) == ("failed", []) and empty["reason"]


TILES = """\
import ttl


@ttl.example(ttl.TensorSpec((64, 64)), ttl.TensorSpec((64, 64)))
@ttl.tile_operation()
def double(x, y):
    for m in x.rows:
        ttl.store(y[m], ttl.load(x[m]) * 2)
"""


async def test_the_explicit_operation_of_a_tile_program_stands_beside(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "double.py").as_uri()
    await opened(client, uri, TILES)
    result = await command(client, "ttl.showDesign", uri, operation="double")
    (explicit,) = result["kernels"]
    assert (result["status"], get(explicit, "language")) == ("ok", "py")
    text = get(explicit, "text").splitlines()
    compile("\n".join(text), "double.py", "exec")
    links = {(text[line - 1].strip(), at) for line, _, at in get(explicit, "lines")}
    assert any(own.startswith("y_blk.store(x_blk * 2") and at == 8 for own, at in links)
    nothing = await command(client, "ttl.showDesign", EXAMPLE.as_uri())
    assert nothing["reason"] == "no tile program of this text is called"


async def test_a_program_with_errors_has_no_cpp_but_its_errors(client: LanguageClient) -> None:
    path = ROOT / "examples" / "errors" / "use_after_pop.py"
    await opened(client, path.as_uri(), path.read_text(encoding="utf-8"))
    result = await command(client, "ttl.showKernels", path.as_uri())
    assert result["status"] == "failed"
    assert [get(item, "code") for item in result["diagnostics"]] == ["TTL0307"]


async def test_the_report_page_is_written_to_a_folder_of_the_server(client: LanguageClient) -> None:
    before = sorted(EXAMPLE.parent.iterdir())
    result = await command(client, "ttl.openReport", EXAMPLE.as_uri())
    if not is_built():
        assert result["status"] == "failed" and "page of reports is not built" in result["reason"]
        return
    assert result["status"] == "ok", result
    page = Path(result["path"])
    assert page.name == f"{EXAMPLE.stem}-1.html" and ROOT not in page.parents
    assert 'id="report"' in page.read_text(encoding="utf-8")
    assert sorted(EXAMPLE.parent.iterdir()) == before


async def test_lenses_stand_above_operations(client: LanguageClient) -> None:
    uri, text = EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8")
    await opened(client, uri, text)
    params = types.CodeLensParams(text_document=types.TextDocumentIdentifier(uri=uri))
    lenses = await client.text_document_code_lens_async(params) or []
    line = next(number for number, row in enumerate(text.splitlines()) if row.startswith("def multiply_add"))
    assert {lens.range.start.line for lens in lenses} == {line}
    assert [lens.command and lens.command.title for lens in lenses[:5]] == [
        "run", "sanitize", "compare", "profile", "C++",
    ]  # fmt: skip
    *_, last = lenses
    assert last.command is not None and last.command.command == ""
    assert last.command.title.startswith("checked with a 256x256 bfloat16") or "256" in last.command.title


# --- the margin


async def test_a_profile_stands_at_the_ends_of_lines_and_gets_stale(client: LanguageClient) -> None:
    """For a client that does not ask for the notification."""
    uri, text = EXAMPLE.as_uri(), EXAMPLE.read_text(encoding="utf-8")
    await opened(client, uri, text)
    result = await command(client, "ttl.profile", uri)
    assert result["status"] == "ok" and len(result["profiles"]) == 1
    profile = result["profiles"][0]
    verdict = f"{get(profile, 'headline')}. {get(profile, 'verdict')}"

    async def hints() -> list[tuple[int, str]]:
        whole = types.Range(start=types.Position(0, 0), end=types.Position(200, 0))
        document = types.TextDocumentIdentifier(uri=uri)
        items = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
        return [
            (item.position.line, str(item.label))
            for item in items or ()
            if " cycles" in str(item.label) or "busy" in str(item.label)
        ]

    first, *rows = await hints()
    assert first == (0, verdict)
    store = next(number for number, row in enumerate(text.splitlines()) if "y_blk.store" in row)
    assert "busy" in dict(rows)[store]
    await edited(client, uri, 2, replaced(0, 0, 0, "# above\n"))
    first, *moved = await hints()
    assert first == (0, f"{verdict} (stale)")
    assert moved == [(line + 1, f"{label} (stale)") for line, label in rows]


async def test_a_program_that_runs_is_cancelled_by_the_next_run(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "long.py").as_uri()
    await opened(client, uri, "import time\nprint('up', flush=True)\ntime.sleep(1000)\n")
    first = asyncio.create_task(command(client, "ttl.run", uri))
    await asyncio.sleep(0)
    await edited(client, uri, 2, replaced(2, 0, 16, "print('over')"))
    second = await command(client, "ttl.run", uri)
    assert (await first)["status"] == "cancelled"
    assert second["status"] == "ok" and second["output"].endswith("over\n")


async def test_a_command_without_a_file_is_refused(client: LanguageClient) -> None:
    result = await command(client, "ttl.run", "file:///nowhere/at/all.py")
    assert result["status"] == "failed" and "there is no file" in result["reason"]
