"""Checks operations that were just generated: each is read and checked as by ``ttl check``, for its own example."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from tt_model.tt_lang.findings import on_chip
from ttl.check.file import check_file
from ttl.diag import Severity
from ttl.session import SOURCES
from ttl.source.parsing import parse

_NAME = "<operations of the model>"


def wrong_operations(text: str, names: Sequence[str], arch: str) -> Mapping[str, str]:
    """Return the invalid operations of a module's text, with the reasons. The text is not run."""
    sources = SOURCES.get()
    with sources.showing(), on_chip(arch) as chosen:
        sources.show(_NAME, text)
        report = check_file(_NAME, chosen)
    ranges = {
        node.name: range(
            node.decorator_list[0].lineno if node.decorator_list else node.lineno, (node.end_lineno or 0) + 1
        )
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name in names
    }
    wrong: dict[str, str] = {}
    for finding in report.findings:
        if finding.severity is not Severity.ERROR or finding.primary is None:
            continue
        for name, lines in ranges.items():
            if finding.primary.span.line in lines:
                wrong.setdefault(name, "; ".join([f"{finding.message} [{finding.code}]", *finding.notes]))
    return wrong
