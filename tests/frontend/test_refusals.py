"""Issue "One front end", part 1: anything else is an error at that expression, naming the construct and what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import ttnn
from tests.frontend import refused

import ttl
from ttl.diag import Severity
from ttl.diag.catalog import codes
from ttl.frontend.live import lower_call
from ttl.lang.operation import Operation
from ttl.source.spans import Span
from ttl.source.trees import source_file

FILE = refused.__file__
OPERATIONS = {
    value.function.__name__: value for value in vars(refused).values() if isinstance(value, Operation)
}
_COMMENT = re.compile(r"# (TTL\d{4}): (.+)$")

assert ttl


def text_of(span: Span) -> str:
    lines = Path(span.file).read_text().split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def expected(first: int, last: int) -> set[tuple[int, str, str]]:
    found = set()
    for number, line in enumerate(Path(FILE).read_text().split("\n"), 1):
        match = _COMMENT.search(line)
        if match is not None and first <= number <= last:
            found.add((number, match[1], match[2].replace("\\n", "\n")))
    return found


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_refusal_points_at_its_expression(name: str) -> None:
    operation = OPERATIONS[name]
    tensor = ttnn.zeros((256, 256), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
    result = lower_call(operation, (tensor,), {})
    found = set()
    for finding in result.diagnostics:
        assert finding.primary is not None and finding.severity is Severity.ERROR
        span = finding.primary.span
        assert span.file == FILE
        found.add((span.line, finding.code, re.sub(r"\s*# TTL.*", "", text_of(span))))
        if finding.code.startswith("TTL13") and finding.code not in ("TTL1303", "TTL1304"):
            assert finding.help, "says what to write instead"
        assert finding.code in codes()
        assert not re.search(r"\b_\w*\.", finding.message), "names nothing private of a library"
    file = source_file(FILE)
    assert file is not None
    node = file.function(operation.function.__code__)
    assert node is not None
    wanted = expected(node.lineno, node.end_lineno or 0)
    if name == "too_large":
        wanted |= {entry for entry in expected(1, node.lineno) if "endless" in entry[2]}
    assert found == wanted
    assert [call.complete for call in result.calls] == [False]
