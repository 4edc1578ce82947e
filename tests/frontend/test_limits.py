"""A number that somebody has typed does not decide how long, or in how much memory, a program is read; and nothing that is read computes."""

from __future__ import annotations

import tracemalloc

import pytest

from ttl.check.file import FileReport, check_file
from ttl.frontend import limits
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


ENDLESS = (
    "list(itertools.count())", "sum(itertools.count())", "[*itertools.count()]", "max(*itertools.count())", "-1 in itertools.count()",
    "list(itertools.repeat(1))", "list(itertools.permutations(range(12)))", "list(itertools.combinations(range(40), 20))",
    "list(itertools.product(range(1000), range(1000), range(1000)))", "list(itertools.product(range(10**6), range(10**6)))",
    "next(i for i in itertools.count() if i < 0)", "list(itertools.islice(itertools.count(), 10**9))", "all(itertools.count(1))",
    "next(itertools.islice(itertools.count(), 10**12, None))", "list(itertools.takewhile(bool, itertools.count(1)))",
    "list(filter(None, itertools.repeat(0)))", "list(zip(itertools.count(), itertools.count()))", "min(itertools.cycle([1, 2]))",
    "list(itertools.accumulate(itertools.count()))", "functools.reduce(operator.add, itertools.count())", "list(iter(int, 1))",
    "collections.deque(itertools.count(), maxlen=3)", "dict(zip(itertools.count(), itertools.count()))", "bytes(itertools.repeat(0))",
    "list(itertools.starmap(pow, itertools.repeat((2, 3))))", "math.fsum(itertools.repeat(1.0))", "math.gcd(*itertools.count())",
    "list(itertools.pairwise(itertools.count()))", "[].extend(itertools.count())", "set().update(itertools.count())",
    "sum(itertools.chain.from_iterable(itertools.repeat(range(1000))))", "1.5 in range(10**10)", "range(10**10).count(1.5)",
    "range(10**10).index(-1.5)", "[i + j for i in range(10**5) for j in range(10**5)]", "any(False for i in range(10**10))",
    "{i: i for i in range(10**9)}", "sorted(range(10**8), key=abs)", "','.join(map(str, range(10**9)))", "statistics.median(itertools.count())",
    "re.match('(a+)+$', 'a' * 40 + 'b')", "re.compile('(a|aa)*b').search('a' * 90)", "re.sub('a*a*a*a*b', '', 'a' * 1000)",
    "textwrap.wrap('a' * 10**6, 1)", "list(difflib.ndiff(['a' * 900] * 300, ['b' * 900] * 300))",
)  # fmt: skip
IMPORTS = "import collections, difflib, functools, itertools, math, operator, re, statistics, textwrap\n"
LOOPS = {
    "for i in itertools.count():\n        x = i": "60,000 statements",
    "for i in itertools.product(range(3), repeat=40):\n        x = i": "60,000 statements",
    "for i in itertools.product(range(10**6), range(10**6)):\n        x = i": "1,000,000 members",
    "for i in range(10**5):\n        for j in range(10**5):\n            x = 1": "60,000 statements",
    "x = 0\n    while True:\n        x += 1": "4,096 iterations",
    "while True:\n        pass": "4,096 iterations",
    "x = [1]\n    while len(x) < 10**9:\n        x = x + x": "2,097,152 members",
}


class Taken:
    """How many members were taken of iterators that count."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.members = 0
        take = limits.Counted.__next__

        def counting(iterator: limits.Counted) -> object:
            self.members += 1
            return take(iterator)

        monkeypatch.setattr(limits.Counted, "__next__", counting)


@pytest.mark.one_of(4)
@pytest.mark.parametrize("text", ENDLESS)
def test_what_hardly_ends_is_refused_after_a_bounded_number_of_members(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Taken(monkeypatch)
    program = HEAD + OPERATION.format(body=f"    {IMPORTS}    value = {text}")
    (finding,) = checked(program).findings
    assert finding.code == "TTL1312" and finding.help and finding.primary is not None
    assert finding.primary.span.line == program.split("\n").index(f"    value = {text}") + 1
    beside = checked(f"{IMPORTS}{HEAD}value = {text}\n{OPERATION.format(body='    pass')}")
    assert beside.findings == ()
    assert taken.members <= 6 * (limits.MOST_ITERATED + 1)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("text", LOOPS)
def test_a_loop_that_hardly_ends_is_named_with_the_count_that_it_came_to(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Taken(monkeypatch)
    program = IMPORTS + HEAD + OPERATION.format(body=f"    {text}")
    (finding,) = checked(program).findings
    assert finding.code == "TTL1312" and LOOPS[text] in finding.message and finding.help
    assert finding.primary is not None
    named = program.split("\n")[finding.primary.span.line - 1]
    assert named.lstrip().startswith(("for ", "while ", "x = x + x"))
    outside = text.replace("\n    ", "\n")
    assert checked(f"{IMPORTS}{HEAD}{outside}\n{OPERATION.format(body='    pass')}").findings == ()
    assert taken.members <= 3 * (limits.MOST_ITERATED + 1)


def test_an_iterator_that_ends_soon_is_as_it_was() -> None:
    body = """    few = itertools.count(3)
    assert [*itertools.islice(few, 2)] == [3, 4] and [*itertools.islice(few, 2)] == [5, 6]
    assert 5 in itertools.count() and collections.deque(iter("abc"), maxlen=1)[0] == "c"
    assert 7 in range(10**10) and (10**10 + 1) not in range(10**10) and len(range(10**10)) == 10**10
    assert sum(range(60_000)) == 1_799_970_000 and re.match("(a+)+$", "aaab") is None"""
    program = HEAD + OPERATION.format(body=f"    {IMPORTS}{body}")
    assert checked(program).findings == ()
