"""Texts as editors have them: without a file, of any version, length, line end and encoding; closed, renamed and changed outside."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from docs.blocks import ROOT
from support.editing import edited, edits_of, opened, plain, replaced, shown, until
from support.queries import PROGRAM
from support.serving import codes, served

pytestmark = pytest.mark.asyncio(loop_scope="module")
PATH = ROOT / "examples" / "errors" / "operands_need_broadcast.py"
TEXT = PATH.read_text(encoding="utf-8")
(LINE,) = [number for number, row in enumerate(TEXT.split("\n")) if "x_blk + bias_blk" in row]
KERNELS = """import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def copied(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()
"""
CALL = """import ttnn
from kernels import copied

x, y = (ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(2))
copied(x, y)
print("called")
"""


def document(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri=uri)


def close(client: LanguageClient, uri: str) -> None:
    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document(uri)))


def whole(text: str) -> types.TextDocumentContentChangeWholeDocument:
    return types.TextDocumentContentChangeWholeDocument(text=text)


def watched(client: LanguageClient, path: Path, kind: types.FileChangeType) -> None:
    change = types.FileEvent(uri=path.as_uri(), type=kind)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[change]))


async def command(client: LanguageClient, name: str, uri: str, **more: str) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=[{"uri": uri, **more}])
    return plain(await client.workspace_execute_command_async(params))


async def fix(client: LanguageClient, uri: str, findings: list[types.Diagnostic]) -> list[types.TextEdit]:
    """The edits of the one fix that is offered for the first finding."""
    offered = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(uri),
            range=findings[0].range,
            context=types.CodeActionContext(diagnostics=findings, only=[types.CodeActionKind.QuickFix]),
        )
    )
    (action,) = offered or ()
    assert isinstance(action, types.CodeAction)
    return edits_of(action.edit, uri)


# --- texts that are no files


async def test_a_text_without_a_file_is_checked_run_and_compiled(client: LanguageClient) -> None:
    uri = "untitled:Untitled-1"
    findings = await opened(client, uri, TEXT)
    assert [(finding.code, finding.range.start.line) for finding in findings] == [("TTL0405", LINE)]
    (edit,) = await fix(client, uri, findings)
    result = await command(client, "ttl.run", uri)
    assert (result["status"], result["exitCode"]) == ("failed", 1)
    assert [item["primary"]["file"] for item in result["diagnostics"]] == ["<untitled:Untitled-1>"]
    # What the run says of the same place is not said twice, and of no other file.
    assert codes(client.diagnostics[uri]) == ["TTL0405"]
    assert not [other for other, items in client.diagnostics.items() if items and "stdin" in other]
    assert await edited(client, uri, 2, replaced(LINE, edit.range.start.character, edit.range.end.character, edit.new_text)) == []  # fmt: skip
    result = await command(client, "ttl.profile", uri)
    assert result["status"] == "ok"
    assert "<untitled:Untitled-1>" in {line["file"] for line in result["profiles"][0]["lines"]}
    result = await command(client, "ttl.showKernels", uri)
    assert result["status"] == "ok" and result["kernels"][0]["lines"][0][1] == "<untitled:Untitled-1>"
    close(client, uri)
    assert await shown(client, uri, None) == []


async def test_a_version_may_repeat_or_go_back_the_last_text_counts(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "versions.py").as_uri()
    assert codes(await opened(client, uri, "import ttl\n(")) == ["TTL0111"]
    assert await edited(client, uri, 7, whole("import ttl\n")) == []
    assert codes(await edited(client, uri, 7, whole("import ttl\n)"))) == ["TTL0111"]
    assert await edited(client, uri, 3, whole("import ttl\n")) == []
    assert codes(await edited(client, uri, -1, replaced(0, 0, 0, "("))) == ["TTL0111"]


async def test_edits_beyond_the_end_and_of_a_text_that_is_not_open(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "beyond.py").as_uri()
    assert codes(await edited(client, uri, 1, replaced(90, 5, 80, "import ttl\n("))) == ["TTL0111"]
    assert await edited(client, uri, 2, replaced(1, 0, 2_000_000_000, "")) == []
    close(client, uri)
    close(client, uri)
    assert codes(await opened(client, uri, "import ttl\n)")) == ["TTL0111"]


async def test_a_very_long_text_is_not_checked_which_is_said(client: LanguageClient, tmp_path: Path) -> None:
    """Five megabytes: nobody waits, and other files are checked meanwhile."""
    uri, other = ((tmp_path / name).as_uri() for name in ("long.py", "other.py"))
    text = "import ttl\n" + "def function():\n    return 1 + 1\n" * 156_000
    assert len(text) > 5_000_000
    (note,) = await opened(client, uri, text)
    assert note.severity == types.DiagnosticSeverity.Information
    assert note.message.startswith(f"not checked while you type: the text has {len(text):,} characters")
    assert codes(await opened(client, other, "import ttl\n(")) == ["TTL0111"]
    (note,) = await edited(client, uri, 2, replaced(5, 0, 0, "(\n"))
    hover = types.HoverParams(text_document=document(uri), position=types.Position(100_000, 4))
    assert await client.text_document_hover_async(hover) is None
    result = await command(client, "ttl.fixAll", uri)
    assert (result["status"], result["reason"]) == ("failed", f"{tmp_path / 'long.py'} is not checked")
    assert codes(await edited(client, uri, 3, whole("import ttl\n("))) == ["TTL0111"]
    (note,) = await edited(client, uri, 4, whole("x = '" + "y" * 1_000_001 + "'  # ttl\n"))
    assert await edited(client, uri, 5, whole("x = '" + "y" * 1_000_001 + "'\n")) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import ttl\n\0\1\2", "null bytes"),
        ('import ttl\nx = "\ud800"\n', "surrogates not allowed"),
        ("import ttl\n" + "(" * 5000, "too many nested parentheses"),
        ("import ttl\n\x89PNG\r\n\x1a\n", "invalid"),
    ],
)
async def test_a_text_that_is_no_text_is_a_finding(
    client: LanguageClient, tmp_path: Path, text: str, said: str
) -> None:
    uri = (tmp_path / "binary.py").as_uri()
    (finding,) = await opened(client, uri, text)
    assert finding.code == "TTL0111" and said in finding.message
    assert await edited(client, uri, 2, whole("import ttl\n")) == []


async def test_files_beside_that_are_no_text_are_passed_over(client: LanguageClient, tmp_path: Path) -> None:
    """A module of bytes, and settings of bytes: what can be looked at is, and nothing of ours fails."""
    (tmp_path / "kernels.py").write_bytes(b"import ttl\n\xff\xfe\0\0")
    (tmp_path / "pyproject.toml").write_bytes(b'[tool.ttl]\narch = "\xff\xfe"\n')
    uri = (tmp_path / "main.py").as_uri()
    assert not [code for code in codes(await opened(client, uri, CALL)) if code.startswith("TTL9")]
    result = await command(client, "ttl.run", (tmp_path / "kernels.py").as_uri())
    assert result["status"] == "failed" and "kernels.py cannot be read: 'utf-8' codec" in result["reason"]


# --- several files


async def test_a_finding_in_a_file_beside_goes_with_the_text_that_it_came_from(
    client: LanguageClient, tmp_path: Path
) -> None:
    """Two programs call an operation of a third file: what is found there is shown until nobody finds it any more."""
    (tmp_path / "kernels.py").write_text(KERNELS.replace("y[0, 0]", "y[0, 9]"))
    beside = (tmp_path / "kernels.py").as_uri()
    first, second = ((tmp_path / name).as_uri() for name in ("first.py", "second.py"))
    for uri in (first, second):
        await opened(client, uri, CALL)
    await until(client, beside, lambda findings: len(findings) == 1)
    assert client.diagnostics[beside][0].range.start.line == 16
    close(client, first)
    await shown(client, first, None)
    assert len(client.diagnostics[beside]) == 1
    # The one that is left does not call it any more.
    await edited(client, second, 2, replaced(4, 0, 12, ""))
    await until(client, beside, lambda findings: not findings)
    await edited(client, second, 3, replaced(4, 0, 0, "copied(x, y)"))
    await until(client, beside, lambda findings: len(findings) == 1)
    close(client, second)
    await until(client, beside, lambda findings: not findings)


async def test_files_that_change_on_disk_are_looked_at_again(client: LanguageClient, tmp_path: Path) -> None:
    kernels, project = tmp_path / "kernels.py", tmp_path / "pyproject.toml"
    kernels.write_text(KERNELS)
    uri, beside = (tmp_path / "main.py").as_uri(), kernels.as_uri()
    assert await opened(client, uri, CALL) == []
    kernels.write_text(KERNELS.replace("y[0, 0]", "y[0, 9]"))
    watched(client, kernels, types.FileChangeType.Changed)
    await until(client, beside, lambda findings: len(findings) == 1)
    # A checkout of another branch: it is gone, comes back under another name, and as it was.
    kernels.rename(tmp_path / "other.py")
    watched(client, kernels, types.FileChangeType.Deleted)
    await until(client, beside, lambda findings: not findings)
    (tmp_path / "other.py").rename(kernels)
    watched(client, kernels, types.FileChangeType.Created)
    await until(client, beside, lambda findings: len(findings) == 1)
    project.write_text('[tool.ttl]\narch = "greyhole"\n')
    watched(client, project, types.FileChangeType.Created)
    await until(client, project.as_uri(), lambda findings: codes(findings) == ["TTL0125"])  # type: ignore[arg-type]
    project.unlink()
    watched(client, project, types.FileChangeType.Deleted)
    await until(client, project.as_uri(), lambda findings: not findings)


async def test_an_open_file_that_is_renamed_or_deleted_takes_its_findings_along(
    client: LanguageClient, tmp_path: Path
) -> None:
    """An editor closes the old name and opens the new one; a file that is deleted stays open as it is."""
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(TEXT)
    assert codes(await opened(client, old.as_uri(), TEXT)) == ["TTL0405"]
    old.rename(new)
    close(client, old.as_uri())
    assert await shown(client, old.as_uri(), None) == []
    assert codes(await opened(client, new.as_uri(), TEXT)) == ["TTL0405"]
    watched(client, old, types.FileChangeType.Deleted)
    new.unlink()
    watched(client, new, types.FileChangeType.Deleted)
    assert codes(await edited(client, new.as_uri(), 2, replaced(0, 0, 0, "# more\n"))) == ["TTL0405"]
    assert (await command(client, "ttl.run", new.as_uri()))["status"] == "failed"


async def test_a_run_sees_files_beside_as_they_are_in_the_editor(
    client: LanguageClient, tmp_path: Path
) -> None:
    """Edited, without a file, in a package; what is not open as on disk; and nothing is written beside the program."""
    (tmp_path / "kernels.py").write_text("raise SystemExit('of the disk')\n")
    (tmp_path / "saved.py").write_text("WORD = 'saved'\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("WORD = 'disk'\n")
    before = sorted(tmp_path.rglob("*"))
    texts = {
        "kernels.py": KERNELS,
        "never_saved.py": "WORD = 'unsaved'\ndef fail():\n    raise LookupError(WORD)\n",
        "parts/__init__.py": "WORD = 'part'\n",
        "parts/inner.py": "from . import WORD\n",
        "main.py": f"{CALL}import saved, never_saved, parts.inner\n"
        "print(saved.WORD, never_saved.WORD, parts.inner.WORD, never_saved.__file__)\nnever_saved.fail()\n",
    }
    for name, text in texts.items():
        await opened(client, (tmp_path / name).as_uri(), text)
    result = await command(client, "ttl.run", (tmp_path / "main.py").as_uri())
    assert result["output"] == f"called\nsaved unsaved part {tmp_path / 'never_saved.py'}\n", result
    (told,) = result["diagnostics"]
    assert (told["file"], told["line"], told["message"]) == (str(tmp_path / "never_saved.py"), 3, "unsaved")
    written = [path for path in sorted(tmp_path.rglob("*")) if path not in before]
    assert not [path for path in written if "__pycache__" not in path.parts or "kernels" in path.name]
    result = await command(client, "ttl.profile", (tmp_path / "main.py").as_uri())
    assert str(tmp_path / "kernels.py") in {line["file"] for line in result["profiles"][0]["lines"]}
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document((tmp_path / "kernels.py").as_uri()))
    )
    titles = [lens.command.title for lens in lenses or () if lens.command is not None]
    (profile,) = result["profiles"]
    assert titles[0] == f"{profile['headline']}. {profile['verdict']}"


# --- line ends and encodings


async def test_a_text_keeps_its_line_ends(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "windows.py").as_uri()
    findings = await opened(client, uri, TEXT.replace("\n", "\r\n"))
    assert [(item.code, item.range.start.line) for item in findings] == [("TTL0405", LINE)]
    (item,) = await edited(client, uri, 2, replaced(0, 0, 0, "# a\r\n# b\r\n"))
    assert item.range.start == types.Position(
        findings[0].range.start.line + 2, findings[0].range.start.character
    )
    program = PROGRAM.replace("\n", "\r\n")
    await edited(client, uri, 3, whole(program))
    here = types.Position(13, 0)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(
            text_document=document(uri),
            range=types.Range(here, here),
            context=types.CodeActionContext(diagnostics=[]),
        )
    )
    written = [
        edit.new_text
        for action in actions or ()
        if isinstance(action, types.CodeAction)
        for edit in edits_of(action.edit, uri)
        if "\n" in edit.new_text
    ]
    assert written and all(text.count("\n") == text.count("\r\n") for text in written)


# What a client offers, what is chosen, and how long the two letters in front of the finding are.
ENCODINGS: tuple[tuple[list[str] | None, str, int], ...] = (
    (None, "utf-16", 3),
    (["utf-8", "utf-16"], "utf-8", 6),
    (["utf-32", "utf-8", "utf-16"], "utf-32", 2),
    (["utf-7"], "utf-16", 3),
)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("offered", "chosen", "length"), ENCODINGS)
async def test_columns_are_in_units_of_the_encoding(
    tmp_path: Path, offered: list[str] | None, chosen: str, length: int
) -> None:
    """An emoji and a letter outside of ASCII, before the place of a finding, of an edit and of a question."""
    general = types.GeneralClientCapabilities(position_encodings=offered)
    text = TEXT.replace("y_blk.store(x_blk + bias_blk)", "'😀é'; y_blk.store(x_blk + bias_blk)")
    row = text.split("\n")[LINE]
    uri = (tmp_path / "letters.py").as_uri()
    literals = types.ClientCodeActionLiteralOptions(types.ClientCodeActionKindOptions([]))
    actions = types.CodeActionClientCapabilities(code_action_literal_support=literals)
    capabilities = types.ClientCapabilities(
        general=general, text_document=types.TextDocumentClientCapabilities(code_action=actions)
    )
    answers: list[types.InitializeResult] = []
    async with served(capabilities=capabilities, answers=answers) as client:
        assert answers[0].capabilities.position_encoding == chosen
        (finding,) = await opened(client, uri, text)
        column = row.index("x_blk +") - 2 + length
        begin, end = finding.range.start, finding.range.end
        assert (begin.line, begin.character, end.character) == (
            LINE,
            column,
            column + len("x_blk + bias_blk"),
        )
        (edit,) = await fix(client, uri, [finding])
        assert edit.range.start.character == column + len("x_blk + ")
        hover = await client.text_document_hover_async(
            types.HoverParams(text_document=document(uri), position=begin)
        )
        assert hover is not None and hover.range is not None
        assert (hover.range.start.character, hover.range.end.character) == (column, column + len("x_blk"))
        fixed = replaced(LINE, edit.range.start.character, edit.range.end.character, edit.new_text)
        assert await edited(client, uri, 2, fixed) == []


# --- completion


async def test_what_is_written_of_a_name_is_replaced_by_the_completion(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = (tmp_path / "typing.py").as_uri()
    await opened(client, uri, KERNELS)
    for line, written, wanted in (
        (6, "    ttl.make_data", "make_dataflow_buffer_like"),
        (10, "        with df", "dfb"),
    ):
        rows = KERNELS.split("\n")
        rows[line] = written
        await edited(client, uri, 2, whole("\n".join(rows)))
        found = await client.text_document_completion_async(
            types.CompletionParams(text_document=document(uri), position=types.Position(line, len(written)))
        )
        items = found.items if isinstance(found, types.CompletionList) else found or []
        item = next(item for item in items if item.label == wanted)
        assert isinstance(item.text_edit, types.TextEdit)
        begin = len(written) - len(re.findall(r"\w+$", written)[0])
        assert item.text_edit.range == types.Range(
            types.Position(line, begin), types.Position(line, len(written))
        )
        assert item.text_edit.new_text.startswith(wanted)
