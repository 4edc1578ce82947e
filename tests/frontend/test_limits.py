"""A number that somebody has typed does not decide how long, or in how much memory, a program is read; and nothing that is read computes."""

from __future__ import annotations

import tracemalloc

import pytest

from ttl.check.file import FileReport, check_file
from ttl.host import storage
from ttl.session import CHOSEN, SOURCES, Session, Sources
from ttl.session.switches import Settings

LARGE = (
    "[0] * N", "(0,) * N", '"x" * N', "10 ** N", "2 ** 2 ** 30", "1 << N", "bytes(N)", '"x".ljust(N)', 'f"{1:>{N}}"', '"%099999999d" % 1', "(2).to_bytes(N, 'big')",
    '"{:>99999999}".format(1)', "math.factorial(N)", "pow(3, N)", "math.comb(N, N // 2)", "list(range(N))", "list(zip(range(N), range(N)))", "sum(range(N))",
    "list(itertools.product(range(N), repeat=2))", "list(itertools.repeat(0, N))", "a.shape * N", "fractions.Fraction(3, 7) ** N", "ttnn.arange(0, N)",
)  # fmt: skip
HEAD = """import fractions, itertools, math
import torch, ttl, ttnn
N = 99_999_999
a = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
"""
OPERATION = """
@ttl.operation(grid=(1, 1))
def op(a):
{body}

    @ttl.datamovement()
    def read():
        pass


op(a)
"""
BYTES = 64 << 20


def checked(text: str) -> FileReport:
    session = Session({SOURCES: Sources({"<program>": text}), CHOSEN: Settings()})
    with session.entered():
        return check_file("<program>", Settings())


def test_a_value_that_is_too_large_is_refused_where_it_is_written_in_an_operation() -> None:
    body = "\n".join(f"    v{number} = {text}" for number, text in enumerate(LARGE))
    program = HEAD + OPERATION.format(body=body)
    checked(HEAD + OPERATION.format(body="    pass"))
    tracemalloc.start()
    try:
        report = checked(program)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    first = program.split("\n").index(f"    v0 = {LARGE[0]}") + 1
    refused = {
        finding.primary.span.line - first for finding in report.findings if finding.primary is not None
    }
    assert [text for number, text in enumerate(LARGE) if number not in refused] == []
    assert {finding.code for finding in report.findings} == {"TTL1312"}
    assert peak < BYTES


def test_beside_operations_it_is_not_known_and_nothing_is_said() -> None:
    numbers = "\n".join(
        f"v{number} = {text}" for number, text in enumerate((*LARGE, "torch.arange(N).tolist()"))
    )
    tracemalloc.start()
    try:
        report = checked(f"{HEAD}{numbers}\n{OPERATION.format(body='    pass')}")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.findings == () and peak < BYTES


@pytest.mark.parametrize("text", ["ttnn.to_torch(a)", "a.to_torch()", "ttnn.topk(a, a)", "ttnn.add(a, 1)"])
def test_torch_which_takes_200_mb_is_not_imported_by_what_is_read(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def imported() -> None:
        pytest.fail(f"{text} imports torch")

    monkeypatch.setattr(storage, "torch_or_none", imported)
    inside = checked(HEAD + OPERATION.format(body=f"    {text}"))
    assert {finding.code for finding in inside.findings} == {"TTL1307"}
    assert checked(f"{HEAD}{text}\n{OPERATION.format(body='    pass')}").findings == ()
