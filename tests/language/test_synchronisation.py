"""Every synchronisation point of six kernels is removed in turn: what happens is a formula of its kind.

A release or a transfer's wait that is left out is inferred and the result stays the same (LANGUAGE.md, "Buffers,
blocks"); with ``--strict`` it is an error. A send, a receive or a change of a semaphore that is left out cannot be
inferred: somebody waits for it. A wait for a semaphore that is left out is a race, which ``--schedules`` finds.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from support.failing import fails
from support.removal import Point, load, points
from ttl import settings
from ttl.diag import TTLError
from ttl.diag.errors import DeadlockError

PROGRAMS = sorted((Path(__file__).parent.parent / "support" / "synchronised").glob("*.py"))
ALL = [(program, point) for program in PROGRAMS for point in points(program)]

# A block that is released under another name than it was acquired under is not followed: nothing is inferred.
_INFERRED = [
    (program, point)
    for program, point in ALL
    if point.kind in ("push", "pop", "transfer wait") and not point.text.startswith("current.")
]
DEADLOCK = "deadlock"

# What a release or wait that is left out is, when nothing is inferred.
_STRICT = {
    # The kernel ends with the block, holds every block and asks for more, or someone waits for the block forever.
    "push": {"TTL0901", "TTL0322", DEADLOCK},
    "pop": {"TTL0902", "TTL0329", DEADLOCK},
    # The next step on the block happens while the copy is under way: a release, a write to it, a use of it.
    "transfer wait": {"TTL0310", "TTL0306", "TTL0305"},
}


def of_kind(*kinds: str) -> list[tuple[Path, Point]]:
    return [(program, point) for program, point in ALL if point.kind in kinds]


def name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


def same_result(source: str, folder: Path) -> bool:
    program = load(source, folder / "removed.py")
    return bool(np.array_equal(program["run"](), program["expected"]()))


def code_of_failure(source: str, folder: Path) -> str:
    with pytest.raises(TTLError) as caught:
        same_result(source, folder)
    return DEADLOCK if isinstance(caught.value, DeadlockError) else caught.value.code


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
@pytest.mark.parametrize("strict", [False, True], ids=["inferring", "strict"])
def test_the_whole_program_is_right(program: Path, strict: bool, tmp_path: Path) -> None:
    with settings.override(strict=strict):
        assert same_result(program.read_text(encoding="utf-8"), tmp_path)


def test_every_kind_of_point_occurs() -> None:
    kinds = {point.kind for _, point in ALL}
    assert kinds == {"push", "pop", "transfer wait", "send", "receive", "semaphore change", "semaphore wait"}
    assert len(ALL) > 60


@pytest.mark.parametrize(("program", "point"), _INFERRED, ids=name)
def test_a_missing_release_or_wait_is_inferred(program: Path, point: Point, tmp_path: Path) -> None:
    for seed in (None, 0, 1):
        with settings.override(schedule_seed=seed):
            assert same_result(point.source, tmp_path)


@pytest.mark.parametrize(("program", "point"), _INFERRED, ids=name)
def test_strict_asks_for_it(program: Path, point: Point, tmp_path: Path) -> None:
    with settings.override(strict=True):
        assert code_of_failure(point.source, tmp_path) in _STRICT[point.kind]


@pytest.mark.parametrize(
    ("program", "point"), [each for each in ALL if each[1].text == "current.push()"], ids=name
)
def test_a_release_under_another_name_is_not_inferred(program: Path, point: Point, tmp_path: Path) -> None:
    """It is an error, never a wrong result."""
    assert code_of_failure(point.source, tmp_path) in {"TTL0317", "TTL0901", DEADLOCK}


@pytest.mark.parametrize(("program", "point"), of_kind("send"), ids=name)
def test_a_missing_send_leaves_the_receiver_waiting(program: Path, point: Point, tmp_path: Path) -> None:
    assert code_of_failure(point.source, tmp_path) == DEADLOCK


@pytest.mark.parametrize(("program", "point"), of_kind("receive"), ids=name)
def test_a_missing_receive_is_noticed_at_once_or_at_the_end(
    program: Path, point: Point, tmp_path: Path
) -> None:
    """Where only the receive writes the block, its first use shows it; else the send is left in the pipe."""
    received = re.search(r"ttl\.copy\(pipe, (\w+)\)", point.source)
    assert received
    written_otherwise = re.search(rf"ttl\.copy\([^()]*\], {received[1]}\)", point.source)
    allowed = {"TTL0903", DEADLOCK} if written_otherwise else {"TTL0301", "TTL0302"}
    assert code_of_failure(point.source, tmp_path) in allowed


@pytest.mark.parametrize(("program", "point"), of_kind("semaphore change"), ids=name)
def test_a_missing_change_of_a_semaphore_leaves_the_other_node_waiting(
    program: Path, point: Point, tmp_path: Path
) -> None:
    assert code_of_failure(point.source, tmp_path) == DEADLOCK


@pytest.mark.parametrize(("program", "point"), of_kind("semaphore wait"), ids=name)
def test_a_missing_wait_for_a_semaphore_is_a_race_that_schedules_show(
    program: Path, point: Point, tmp_path: Path
) -> None:
    with settings.override(schedules=16), fails("TTL1101"):
        same_result(point.source, tmp_path)


@pytest.mark.parametrize("program", PROGRAMS, ids=name)
def test_with_every_point_in_place_no_schedule_matters(program: Path, tmp_path: Path) -> None:
    with settings.override(schedules=12):
        assert same_result(program.read_text(encoding="utf-8"), tmp_path)
