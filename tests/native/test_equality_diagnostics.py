"""Programs that are refused are refused in the same words by the native core and by the one in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deadlock import test_random_networks as networks
from fuzz.campaign import case
from fuzz.case import Case, regressions, seeds
from support import outcomes
from support.child import Child
from support.executions import needs_native
from support.programs import NEED_NATIVE_CORE
from support.shares import share
from ttl.cli.status import Status
from ttl.diag import catalog

ROOT = Path(__file__).parents[2]
BROKEN = sorted((ROOT / "examples" / "errors").glob("*.py"))
DEADLOCKS = sorted((ROOT / "tests" / "deadlock" / "programs").glob("*.py"))
FUZZ_SEED, FUZZ_CASES, AT_ONCE = 3, 600, 100
NETWORKS = 120
# Pages whose program limits the memory of its process: a process that has run others has memory to spare.
LIMITED = {"TTL1103"}

pytestmark = needs_native


def both(python_core: Child, function: str, *args: object) -> tuple[Any, Any]:
    """What a function of ``support.outcomes`` gives here and there."""
    return getattr(outcomes, function)(*args), python_core.call(f"support.outcomes:{function}", *args)


@pytest.mark.one_of(4)
@pytest.mark.parametrize("code", [code for code in catalog.codes() if code not in NEED_NATIVE_CORE | LIMITED])
def test_pages(code: str, tmp_path: Path, python_core: Child) -> None:
    """The core in Python says what the page shows. That the native one does, too, ``test_pages`` of ``diag`` proves."""
    cases = catalog.page(code).cases
    for shown, outcome in zip(
        cases, python_core.call("support.outcomes:of_page", code, str(tmp_path)), strict=True
    ):
        assert outcome.stderr.rstrip("\n") == shown.expected
        if shown.expected.startswith("error["):
            assert outcome.status in (Status.FAILED, Status.USAGE)


@pytest.mark.parametrize("program", BROKEN, ids=lambda path: path.stem)
def test_broken_examples(program: Path, python_core: Child) -> None:
    second = program.read_text().splitlines()[1]
    flags = second.removeprefix("# flags: ").split() if second.startswith("# flags: ") else []
    here, there = both(python_core, "of_file", program.name, flags, str(program.parent))
    assert here == there


@pytest.mark.one_of(3)
@pytest.mark.parametrize("program", DEADLOCKS, ids=lambda path: path.stem)
def test_deadlocks(program: Path, tmp_path: Path, python_core: Child) -> None:
    call = f"\n\n{program.read_text()}"
    here, there = both(python_core, "of_source", call, str(tmp_path))
    assert here == there


def test_random_networks(tmp_path: Path, python_core: Child) -> None:
    """Buffers that are too small, filled too seldom, emptied too seldom: the same report."""
    for seed in range(1000, 1000 + NETWORKS):
        source = networks.drawn(seed).source()
        source = f"import ttnn\n{source}\nt = [ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT) for _ in 'ay']\nop(*t)\n"
        here, there = both(python_core, "of_source", source, str(tmp_path))
        assert here == there, f"seed {seed}"


@pytest.mark.one_of(3)
@pytest.mark.parametrize("start", share(range(0, FUZZ_CASES, AT_ONCE), 3))
def test_random_broken_programs(start: int, python_core: Child) -> None:
    programs = seeds()
    cases = [case(FUZZ_SEED, index, programs) for index in range(start, start + AT_ONCE)]
    assert not differences(cases, python_core)


def test_what_the_fuzzer_found_once(python_core: Child) -> None:
    assert not differences(regressions(), python_core)


def differences(cases: list[Case], python_core: Child) -> str:
    """Where the two differ, and on which programs; the first few."""
    here, there = both(python_core, "of_cases", cases)
    found = [
        f"{each.name}\n--- native\n{mine.outcome}\n{mine.text}\n--- Python\n{other.outcome}\n{other.text}\n{each.text()}"
        for each, mine, other in zip(cases, here, there, strict=True)
        if mine != other and not _may_differ(mine, other)
    ]
    return f"{len(found)} programs\n\n" + "\n\n".join(found[:3]) if found else ""


def _may_differ(one: Any, other: Any) -> bool:
    """What depends on how objects are made, or on how full the memory of a process is.

    An object of the native core cannot be pickled or copied deeply, one of Python cannot because of something in it. The memory of
    the emulated chip does not always fit into what a process of these cases may have.
    """
    return (
        all("cannot pickle" in each.text for each in (one, other)) or "TTL1520" in one.outcome + other.outcome
    )
