"""URIs and paths, of POSIX and of Windows."""

from __future__ import annotations

import pytest

from ttl.lsp.convert import path_of, uri_of


@pytest.mark.parametrize(
    ("uri", "path", "back"),
    [
        ("file:///c%3A/Users/me/a%20b.py", r"C:\Users\me\a b.py", "file:///C:/Users/me/a%20b.py"),
        ("file:///C:/Users/me/../you/a.py", r"C:\Users\you\a.py", "file:///C:/Users/you/a.py"),
        (
            "file://server/share/kernels/a.py",
            r"\\server\share\kernels\a.py",
            "file://server/share/kernels/a.py",
        ),
        ("file:///d%3A/%C3%A9.py", "D:\\é.py", "file:///D:/%C3%A9.py"),
        ("untitled:Untitled-1", "<untitled:Untitled-1>", "untitled:Untitled-1"),
        (
            "vscode-notebook-cell:/c%3A/a.ipynb#W0",
            "<vscode-notebook-cell:/c%3A/a.ipynb#W0>",
            "vscode-notebook-cell:/c%3A/a.ipynb#W0",
        ),
    ],
)
def test_drives_shares_and_texts_without_a_file_on_windows(uri: str, path: str, back: str) -> None:
    assert path_of(uri, windows=True) == path
    assert uri_of(path, windows=True) == back
    assert path_of(back, windows=True) == path


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/me/a%20b.py", "/home/me/a b.py"),
        ("file:///home/me/%F0%9F%98%80%23.py", "/home/me/😀#.py"),
        ("file:///home/me/%FF.py", "/home/me/\udcff.py"),
        ("file://localhost/home/a.py", "/home/a.py"),
        ("untitled:/home/me/new.py", "<untitled:/home/me/new.py>"),
        ("file:///a%00b.py", "<file:///a%00b.py>"),
        ("file://[bad/a.py", "<file://[bad/a.py>"),
        ("", "<>"),
    ],
)
def test_names_of_every_kind_on_posix(uri: str, path: str) -> None:
    assert path_of(uri, windows=False) == path
    assert path_of(uri_of(path, windows=False), windows=False) == path
