"""0.21, "Receives": ``ttl.wait_any``, in the simulator, by checks, and the same on the emulated chip."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ttl
from support.failing import deadlocks, fails
from support.tensors import blank, numbers, tiled, values
from ttl import settings
from ttl.check.file import FileReport, check_file
from ttl.check.network import orders
from ttl.diag import Severity


@pytest.fixture(params=["sim", "emu"])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """What runs the operations; the emulated chip is compared with the simulator."""
    with settings.override(target=request.param, compare=request.param == "emu"):
        yield request.param


# Nodes 1 and 2 send a block to node 0, which does with both ends what a test says.
PROGRAM = """
import ttl
import ttnn


@ttl.example(ttl.TensorSpec((ROWS, 96), ttnn.float32), ttl.TensorSpec((ROWS, 96), ttnn.float32))
@ttl.operation(grid=(3, 1))
def op(x, y):
    left_net = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))])
    right_net = ttl.PipeNet([ttl.Pipe(src=(2, 0), dst=(0, 0))])
    back_net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(2, 0))])
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    back_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1)) if BACK else None
    dfbs = [ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=4) for _ in range(2)]
    node = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        for turn in range(TURNS):
            if node > 0:
                with x_dfb.reserve() as blk:
                    ttl.copy(x[turn, node], blk).wait()

    @ttl.datamovement()
    def move():
        def send(pipe):
            with x_dfb.wait() as blk:
                ttl.copy(blk, pipe).wait()

        def back(pipe):
            with back_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()
            with back_dfb.wait() as blk:
                ttl.copy(blk, y[0, 2]).wait()

        for turn in range(TURNS):
            left_net.if_src(send)
            right_net.if_src(send)
        if BACK:
            back_net.if_dst(back)

        def collect(left, right):
            start = 0
            for turn in range(TURNS):
                blks = [dfb.reserve() for dfb in dfbs]
                receives = (ttl.copy(left, blks[0]), ttl.copy(right, blks[1]))
                USE

        left_net.if_dst(lambda left: right_net.if_dst(lambda right: collect(left, right)))


if __name__ == "__main__":
    op(ttnn.ones((ROWS, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT), ttnn.zeros((ROWS, 96), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT))
"""
REST = """
receives[1 - first].wait()
for blk in blks:
    blk.push()
for place, dfb in enumerate(dfbs):
    with dfb.wait() as blk:
        ttl.copy(blk, y[turn, place]).wait()
"""


def program(folder: Path, use: str, *, turns: int = 1, back: bool = False) -> Path:
    """A program in which node 0 does ``use`` with ``receives``, of blocks ``blks``."""
    path = folder / "mine.py"
    text = PROGRAM.replace("TURNS", str(turns)).replace("BACK", str(back)).replace("ROWS", str(32 * turns))
    path.write_text(text.replace("                USE", textwrap.indent(use.strip(), " " * 16)))
    return path


def run(path: Path) -> None:
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})


def checked(path: Path) -> FileReport:
    return check_file(str(path), settings.current())


@pytest.mark.parametrize(("start", "first"), [(0, 0), (1, 1), (5, 1), (-2, 0)])
def test_of_several_that_are_complete_the_first_from_start_on(start: int, first: int, target: str) -> None:
    """Node 1 sends, then node 2, then node 0 looks: each says to the next one that it has done so."""

    @ttl.operation(grid=(3, 1))
    def op(x: Any, y: Any) -> None:
        nets = [ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0))]) for n in (1, 2)]
        then = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(2, 0))])
        done = ttl.PipeNet([ttl.Pipe(src=(2, 0), dst=(0, 0))])
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        token_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        dfbs = [ttl.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in nets]
        node = ttl.node(dims=1)

        @ttl.datamovement()
        def move() -> None:
            def pass_on(pipe: Any) -> None:
                with token_dfb.reserve() as blk:
                    ttl.copy(pipe, blk).wait()
                with token_dfb.wait() as blk:
                    ttl.copy(blk, y[node, 1]).wait()

            with x_dfb.reserve() as blk:
                ttl.copy(x[node, 0], blk).wait()
            with x_dfb.wait() as blk:
                nets[0].if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                then.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                then.if_dst(pass_on)
                nets[1].if_src(lambda pipe: ttl.copy(blk, pipe).wait())
                done.if_src(lambda pipe: ttl.copy(blk, pipe).wait())
            done.if_dst(pass_on)

            def collect(left: Any, right: Any) -> None:
                blks = [dfb.reserve() for dfb in dfbs]
                receives = (ttl.copy(left, blks[0]), ttl.copy(right, blks[1]))
                assert isinstance(receives[0], ttl.ReceiveRequest)
                which = ttl.wait_any(receives, start=start).index()
                blks[which].push()
                with dfbs[which].wait() as blk:
                    ttl.copy(blk, y[0, 0]).wait()
                    ttl.copy(blk, y[1 + which, 0]).wait()
                for other in range(2):
                    if other != which:
                        receives[other].wait()
                        blks[other].push()
                        dfbs[other].wait().pop()

            nets[0].if_dst(lambda left: nets[1].if_dst(lambda right: collect(left, right)))

    given, out = numbers(96, 32), blank((96, 64))
    op(tiled(given), out)
    assert (values(out)[:32, :32] == given[32 + 32 * first : 64 + 32 * first]).all()
    assert (
        values(out)[32 + 32 * first : 64 + 32 * first, :32] == given[32 + 32 * first : 64 + 32 * first]
    ).all()


@pytest.mark.parametrize("start", ["start", "turn", "0"])
def test_whoever_is_first_the_others_stay_under_way(start: str, target: str, tmp_path: Path) -> None:
    use = f"first = ttl.wait_any(receives, start={start}).index()\nstart = (first + 1) % 2\n{REST}"
    path = program(tmp_path, use, turns=5)
    found = checked(path)
    assert not found.findings and not found.not_checked
    run(path)


def test_where_it_is_no_tuple_of_one(target: str, tmp_path: Path) -> None:
    path = program(tmp_path, f"first = ttl.wait_any((receives[0],), 7).index()\n{REST}")
    assert not checked(path).findings
    run(path)


# --- what is refused, by the run and by the check alike -----------------------------------------------------------

ANY = "ttl.wait_any(receives)"
MISUSES = {
    "a list": ("TTL0614", "takes a tuple of receives, not a list", "ttl.wait_any([*receives])"),
    "one receive": ("TTL0614", "takes a tuple of receives, not a transfer", "ttl.wait_any(receives[0])"),
    "nothing": ("TTL0614", "of no receives would wait forever", "ttl.wait_any(())"),
    "a block": ("TTL0614", "member 1 is a block", "ttl.wait_any((receives[0], blks[1]))"),
    "a read": ("TTL0614", "member 0 is a transfer", "ttl.wait_any((ttl.copy(x[0, 0], x_dfb.reserve()),))"),
    "a fraction": ("TTL0614", "starts at an integer index, not at float 0.5", "ttl.wait_any(receives, start=0.5)"),
    "a fraction of the node": ("TTL0614", "not at ", "ttl.wait_any(receives, start=node / 3)"),
    "one twice": ("TTL0615", "members 0 and 1 of .* are the same receive", "ttl.wait_any((receives[1], receives[1]))"),
    "one buffer": (
        "TTL0615",
        r"receives 0 and 1 of .* fill blocks of the same buffer, dfbs\[0\]",
        "ttl.wait_any((receives[0], ttl.copy(right, dfbs[0].reserve())))",
    ),
    "one net": (
        "TTL0615",
        "receives 0 and 1 of .* are over the same net, left_net",
        "ttl.wait_any((receives[0], ttl.copy(left, x_dfb.reserve())))",
    ),
    "waited before": ("TTL0503", "already waited for", "receives[0].wait()\nttl.wait_any(receives)"),
    "waited again": ("TTL0503", "already waited for", f"first = {ANY}.index()\nreceives[first].wait()"),
    "not complete": (
        "TTL0305",
        "while a copy is still writing it",
        f"first = {ANY}.index()\nttl.copy(blks[1 - first], y[0, 0]).wait()",
    ),
}  # fmt: skip


# Whoever's message was taken gets the next receive at once, as long as more come from there.
ROTATION = """
lefts = rights = 0
a, b = receives
a_blk, b_blk = blks
for _ in range(2 * COUNT):
    if lefts < COUNT and rights < COUNT:
        first = ttl.wait_any((a, b), start=start).index()
    elif lefts < COUNT:
        a.wait()
        first = 0
    else:
        b.wait()
        first = 1
    start = (first + 1) % 2
    if first == 0:
        a_blk.push()
        with dfbs[0].wait() as blk:
            ttl.copy(blk, y[lefts, 0]).wait()
        lefts += 1
        if lefts < COUNT:
            a_blk = dfbs[0].reserve()
            a = ttl.copy(left, a_blk)
    else:
        b_blk.push()
        with dfbs[1].wait() as blk:
            ttl.copy(blk, y[rights, 1]).wait()
        rights += 1
        if rights < COUNT:
            b_blk = dfbs[1].reserve()
            b = ttl.copy(right, b_blk)
"""
# Programs in which it is not known which receive a name holds where it is used (TTL0616), and why not.
NOT_FOLLOWED = {
    "a loop of the node": ("it goes to the next iteration", "a = receives[0]\nfor _ in range(2 + node):\n    a.wait()\n    a = ttl.copy(left, blks[0])"),
    "a tuple": ("it goes to the next iteration", "for _ in range(2 + node):\n    receives[0].wait()\n    receives = (ttl.copy(left, blks[0]), receives[1])"),
    "while": ("a while loop", "a = receives[0]\nturn = 0\nwhile turn < 2 + node:\n    turn += 1\n    a.wait()\n    a = ttl.copy(left, blks[0])"),
    "after a loop": ("this is after the loop", "for _ in range(2 + node):\n    a = ttl.copy(left, blks[0])\na.wait()"),
    "break": ("different values", "a, b = receives\nfor k in range(3):\n    if ttl.wait_any((a, b)).index() == 0:\n        a = ttl.copy(left, blks[0])\n    if node + k > 1:\n        break"),
    "a list": ("it is changed under a condition", "several = [*receives]\nfirst = ttl.wait_any(receives).index()\nseveral[first] = ttl.copy(left, blks[0])"),
    "a list in a loop": ("it is changed by a loop", "several = [*receives]\nfor _ in range(2 + node):\n    several[0] = ttl.copy(left, blks[0])"),
}  # fmt: skip


def test_one_of_several_receives_by_a_name(target: str, tmp_path: Path) -> None:
    """Which of those that are there is chosen on the node."""
    chosen = "other = receives[0]\nfirst = ttl.wait_any(receives).index()\nif first == 0:\n    other = receives[1]\nother.wait()\n"
    path = program(tmp_path, chosen + REST.partition("\n")[2].partition("\n")[2])
    assert not checked(path).findings
    run(path)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_receive_that_is_started_in_a_branch_goes_to_the_next_turn(
    count: int, target: str, tmp_path: Path
) -> None:
    path = program(tmp_path, ROTATION.replace("COUNT", str(count)), turns=count)
    head, loop, tail = path.read_text().rpartition(f"            for turn in range({count}):")
    path.write_text(f"{head}{loop.replace(f'for turn in range({count})', 'if True')}{tail}")
    found = checked(path)
    assert not found.findings and not found.not_checked
    run(path)


@pytest.mark.parametrize("what", NOT_FOLLOWED)
def test_one_that_cannot_be_followed_is_refused_everywhere(what: str, tmp_path: Path) -> None:
    match, use = NOT_FOLLOWED[what]
    path = program(tmp_path, use)
    assert "TTL0616" in [item.code for item in checked(path).findings if item.severity is Severity.ERROR]
    for target in ("sim", "emu"):
        with settings.override(target=target, check="on"), fails("TTL0616", match=match):
            run(path)


@pytest.mark.parametrize("misuse", MISUSES)
def test_run_and_check_refuse_the_same(misuse: str, tmp_path: Path) -> None:
    code, match, use = MISUSES[misuse]
    path = program(tmp_path, use)
    with fails(code, match=match) as caught:
        run(path)
    found = [item for item in checked(path).findings if item.code == code]
    assert found, "the check finds nothing"
    assert found[0].severity is Severity.ERROR
    said, primary = found[0].primary, caught.value.diagnostic.primary
    assert said is not None and primary is not None and said.span.line == primary.span.line


def test_elsewhere_than_in_a_data_movement_kernel(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    text = PROGRAM.replace(
        "    @ttl.datamovement()\n    def read():",
        "    @ttl.compute()\n    def other():\n        ttl.wait_any(())\n\n    @ttl.datamovement()\n    def read():",
    )
    path.write_text(
        text.replace("TURNS", "1").replace("ROWS", "32").replace("BACK", "False").replace("USE", "pass")
    )
    with fails("TTL0501", match=r"ttl\.wait_any\(\) in compute kernel other"):
        run(path)
    assert "TTL0501" in [item.code for item in checked(path).findings]
    with fails("TTL0201"):
        ttl.wait_any(())
    with fails("TTL0338"):
        ttl.ReadyReceive()


def test_a_receive_of_another_kernel() -> None:
    kept: list[Any] = []

    @ttl.operation(grid=(2, 1))
    def op(x: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))])
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        never_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def start() -> None:
            net.if_dst(lambda pipe: kept.append(ttl.copy(pipe, dfb.reserve())))
            never_dfb.wait()

        @ttl.datamovement()
        def move() -> None:
            if kept:
                ttl.wait_any((kept[0],))

    with settings.override(check="off"), fails("TTL0504", match="outside that kernel"):
        op(blank((32, 32)))


def test_what_is_wrong_for_one_of_the_receives_only(tmp_path: Path) -> None:
    path = program(tmp_path, f"first = {ANY}.index()\nif first == 1:\n    receives[1].wait()\n{REST}")
    found = [item for item in checked(path).findings if item.code == "TTL0503"]
    line = next(number for number, text in enumerate(path.read_text().splitlines(), 1) if ANY in text)
    assert [item.severity for item in found] == [Severity.WARNING]
    assert any(
        f"when receive 1 of those at line {line} is complete first" in str(note) for note in found[0].notes
    )


def test_receives_over_one_net_are_waited_for_in_their_order(tmp_path: Path) -> None:
    """Two may be under way; on the chip each message is taken where its receive is waited for (TTL1420)."""
    two = "more = ttl.copy(left, back_dfb.reserve())\n{first}.wait()\n{second}.wait()\nreceives[1].wait()\n"
    for first, second, use in (
        ("receives[0]", "more", two),
        ("more", "receives[0]", two),
        (
            "more",
            "receives[0]",
            "more = ttl.copy(left, back_dfb.reserve())\nttl.wait_any((more, receives[1]))\nreceives[0].wait()",
        ),
    ):
        path = program(tmp_path, use.format(first=first, second=second), back=True)
        codes = [item.code for item in checked(path).findings]
        assert ("TTL1420" in codes) is (first == "more")
    released = (
        "third = back_dfb.reserve()\nmore = ttl.copy(left, third)\nmore.wait()\nreceives[0].wait()\nreceives[1].wait()\n"
        "third.push()\nblks[0].push()\nblks[1].push()\n"
    )
    path = program(tmp_path, released, back=True)
    with (
        settings.override(target="emu", check="off"),
        fails("TTL1420", match="waited for after one that was started later"),
    ):
        run(path)


def test_two_receives_under_way_on_one_pipe(target: str) -> None:
    @ttl.operation(grid=(2, 1))
    def op(x: Any, y: Any) -> None:
        net = ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))])
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        dfbs = [ttl.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in range(2)]

        @ttl.datamovement()
        def read() -> None:
            for row in range(2 * net.is_src()):
                with x_dfb.reserve() as blk:
                    ttl.copy(x[row, 0], blk).wait()

        @ttl.datamovement()
        def move() -> None:
            def send(pipe: Any) -> None:
                for _ in range(2):
                    with x_dfb.wait() as blk:
                        ttl.copy(blk, pipe).wait()

            def receive(pipe: Any) -> None:
                blks = [dfb.reserve() for dfb in dfbs]
                receives = [ttl.copy(pipe, blk) for blk in blks]
                for row in range(2):
                    receives[row].wait()
                    blks[row].push()
                    with dfbs[row].wait() as blk:
                        ttl.copy(blk, y[row, 0]).wait()

            net.if_src(send)
            net.if_dst(receive)

    given, out = numbers(64, 32), blank((64, 32))
    op(tiled(given), out)
    assert (values(out) == given).all()


# --- orders ---------------------------------------------------------------------------------------------------------


def test_a_deadlock_names_all_that_is_waited_for(target: str, tmp_path: Path) -> None:
    """In every order: the check is sure of it."""
    path = program(tmp_path, f"first = {ANY}.index()\n{REST}")
    text = path.read_text().replace("left_net.if_src(send)", "x_dfb.wait().pop()\n            continue")
    path.write_text(
        text.replace(
            "def read():\n        for turn in range(1):\n            if node",
            "def read():\n        for turn in range(1):\n            if True or node",
        )
    )
    both = r"left_net's pipe from \(1, 0\) to \(0, 0\) or from right_net's pipe from \(2, 0\) to \(0, 0\)"
    with (
        settings.override(compare=False, check="off"),
        deadlocks(f"{both}, and nothing more is sent on any") as caught,
    ):
        run(path)
    assert "receives by ttl.wait_any are used" in str(caught.value)
    assert "let node (1, 0) or node (2, 0) send once more" in str(caught.value)
    (found,) = (item for item in checked(path).findings if item.code == "TTL0918")
    assert found.severity is Severity.ERROR
    assert any("every schedule ends in a deadlock" in str(note) for note in found.notes)


SOME = "if first == 0:\n    with dfbs[0].wait() as blk:\n        back_net.if_src(lambda pipe: ttl.copy(blk, pipe).wait())\n"


def test_a_deadlock_in_some_orders_is_possible(tmp_path: Path) -> None:
    """Node 2 waits for an answer that it gets where node 1 was first: so it is in the order of the simulator."""
    use = f"first = {ANY}.index()\nreceives[1 - first].wait()\nfor blk in blks:\n    blk.push()\n{SOME}"
    path = program(tmp_path, use, back=True)
    (found,) = (item for item in checked(path).findings if item.code == "TTL0918")
    assert found.severity is Severity.WARNING
    notes = " ".join(map(str, found.notes))
    assert "receives by ttl.wait_any are used, so another schedule may behave differently" in notes
    assert "it happens if these are complete first: receive 1 of those at line" in notes
    assert "in kernel move on node (0, 0)" in notes
    with settings.override(check="off"):
        run(path)
        with settings.override(schedules=12), deadlocks("only in some schedules"):
            run(path)


def test_orders_that_are_too_many_are_said_not_to_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orders, "MOST_STATES", 2)
    path = program(tmp_path, f"first = {ANY}.index()\n{REST}", turns=5)
    found = checked(path)
    assert not [item for item in found.findings if item.code.startswith("TTL09")]
    assert any(
        "receives can be complete in too many orders to follow them all" in said for said in found.not_checked
    )


def test_two_that_wait_for_each_other_stand_still_on_the_chip() -> None:
    """Both poll, and both could go on: nobody changes what they look at."""

    @ttl.operation(grid=(2, 1))
    def op(x: Any) -> None:
        there = [ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))]) for _ in range(2)]
        back = [ttl.PipeNet([ttl.Pipe(src=(1, 0), dst=(0, 0))]) for _ in range(2)]
        dfbs = [ttl.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in range(4)]

        @ttl.datamovement()
        def move() -> None:
            def wait(one: Any, other: Any, mine: Any, answer: Any) -> None:
                blks = [dfb.reserve() for dfb in mine]
                receives = ttl.copy(one, blks[0]), ttl.copy(other, blks[1])
                first = ttl.wait_any(receives).index()
                answer.if_src(lambda pipe: ttl.copy(blks[0], pipe).wait())
                receives[1 - first].wait()
                for blk in blks:
                    blk.push()

            there[0].if_dst(lambda one: there[1].if_dst(lambda other: wait(one, other, dfbs[:2], back[0])))
            back[0].if_dst(lambda one: back[1].if_dst(lambda other: wait(one, other, dfbs[2:], there[0])))

    for target in ("sim", "emu"):
        with (
            settings.override(target=target, check="off"),
            deadlocks("wait for each other|nothing more is sent"),
        ):
            op(blank((32, 32)))


def test_one_body(target: str, tmp_path: Path) -> None:
    """It is for the thread that receives."""

    @ttl.operation(grid=(3, 1))
    def op(x: Any, y: Any) -> None:
        nets = [ttl.PipeNet([ttl.Pipe(src=(n, 0), dst=(0, 0))]) for n in (1, 2)]
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        twice_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        dfbs = [ttl.make_dataflow_buffer_like(x, shape=(1, 1)) for _ in (1, 2)]
        node = ttl.node(dims=1)
        if node > 0:
            with x_dfb.reserve() as blk:
                ttl.copy(x[0, node], blk).wait()
            with x_dfb.wait() as blk, twice_dfb.reserve() as twice:
                twice.store(blk * 2)

            def send(pipe: Any) -> None:
                with twice_dfb.wait() as sent:
                    ttl.copy(sent, pipe).wait()

            nets[0].if_src(send)
            nets[1].if_src(send)

        def from_left(left: Any) -> None:
            def from_right(right: Any) -> None:
                blks = dfbs[0].reserve(), dfbs[1].reserve()
                receives = ttl.copy(left, blks[0]), ttl.copy(right, blks[1])
                first = ttl.wait_any(receives).index()
                receives[1 - first].wait()
                blks[0].push()
                blks[1].push()
                with dfbs[0].wait() as one, dfbs[1].wait() as other:
                    ttl.copy(one, y[0, 0]).wait()
                    ttl.copy(other, y[0, 1]).wait()

            nets[1].if_dst(from_right)

        nets[0].if_dst(from_left)

    given, out = numbers(32, 96), blank((32, 64))
    op(tiled(given), out)
    assert (values(out) == 2 * given[:, 32:]).all()
