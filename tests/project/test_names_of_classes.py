"""A name of a class says one thing, and a kind of failure has one class: read from the source."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from pathlib import Path

from support.syntax_trees import nodes, python_files

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"
# Counted with private ones, warnings, and those that are no ``Exception``: what ends threads and cancels work.
MOST_EXCEPTIONS = 48


def classes() -> list[ast.ClassDef]:
    """All classes of all packages."""
    return [node for path in python_files(SOURCE) for node in nodes(path) if isinstance(node, ast.ClassDef)]


def test_no_two_classes_share_a_name() -> None:
    counts = Counter(one.name for one in classes())
    assert not [name for name, count in counts.items() if count > 1]


def test_a_kind_of_failure_has_one_class() -> None:
    known = {
        name
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    }
    known |= {"VerifyException"}  # of xDSL
    bases = {one.name: {ast.unparse(base).rpartition(".")[2] for base in one.bases} for one in classes()}
    exceptions: set[str] = set()
    while more := {name for name, of in bases.items() if of & (known | exceptions)} - exceptions:
        exceptions |= more
    assert len(exceptions) <= MOST_EXCEPTIONS
