"""What every test starts with: no settings of the developer's shell, nothing said before, fixed random examples.

``pytest --by-folder`` says what the tests take, by folder, and which ones take most.
"""

from __future__ import annotations

import compileall
import gc
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import hypothesis
import pytest

from support.child import without_prompts
from ttl import native
from ttl.diag import report
from ttl.lang.context import LAST_GRID

# A busy machine is slow, and that says nothing about a strategy.
SLOW = (hypothesis.HealthCheck.too_slow,)
hypothesis.settings.register_profile("ttl", deadline=None, derandomize=True, suppress_health_check=SLOW)
hypothesis.settings.load_profile("ttl")


@pytest.fixture(scope="session", autouse=True)
def _environment() -> Iterator[None]:
    """None of our variables in the environment, but for ``TTL_VERIFY_EACH`` and ``TTL_ISA``."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("TTL_") or name == "NO_COLOR":
                patch.delenv(name)
        patch.setenv("TTL_VERIFY_EACH", "1")
        if native.available():
            patch.setenv("TTL_ISA", _isa())
        yield


def _isa() -> str:
    """One of the instruction sets that all sum products alike, to the bit, so that results do not depend on the machine.

    ``tests/native/test_gemm.py`` says which do. The fastest of this processor, which would be taken otherwise, need not.
    """
    return next(name for name in ("avx512", "avx2", "plain") if name in native.machine().isas())


# Tests of what passes leave. Elsewhere one test of so many, always the same, has IR verified after every pass, and with --long each.
_ABOUT_PASSES = ("codegen", "dialects", "fuzz", "ir", "ir_fuzz", "passes")
_ONE_VERIFIED_OF = 4


@pytest.fixture(autouse=True)
def _verified(request: pytest.FixtureRequest) -> None:
    """Whether IR is verified after every pass: that takes as long as compiling it."""
    name = request.node.nodeid
    always = request.config.getoption("--long") or name.split("/")[1] in _ABOUT_PASSES
    os.environ["TTL_VERIFY_EACH"] = "1" if always or crc32(name.encode()) % _ONE_VERIFIED_OF == 0 else "0"


@pytest.fixture(autouse=True)
def _nothing_said() -> None:
    """Notes that are given once per process are given once per test."""
    without_prompts()
    report.SAID.get().keys.clear()
    LAST_GRID.set(None)


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder like ``tmp_path`` that is never in ``/dev/shm``, which is open to programs behind a fence."""
    with TemporaryDirectory(dir="/var/tmp" if os.path.isdir("/var/tmp") else None) as name:
        yield Path(name).resolve()


def pytest_configure(config: pytest.Config) -> None:
    """One thread for arithmetic, and our sources compiled to byte code once.

    Threads of OpenMP wait by running, which two workers on two cores do not stand, and a process that is forked has lost those it
    waits for. Byte code is not made in each of the hundreds of processes that tests start: those would not keep it where
    ``PYTHONDONTWRITEBYTECODE`` is set, as it is in many containers.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if not hasattr(config, "workerinput"):
        compileall.compile_dir(Path(__file__).parent.parent / "src", quiet=2)
        _keep_temporary_files_in_memory(config)


_IN_MEMORY = Path("/dev/shm")
_ROOM = 4 << 30


def _keep_temporary_files_in_memory(config: pytest.Config) -> None:
    """Where there is room for them, and nobody has said where they go: tests make, and remove, a hundred thousand folders.

    A disk takes two milliseconds for each, which no test needs. What passed leaves nothing (``pyproject.toml``).
    """
    if "TMPDIR" in os.environ or not _IN_MEMORY.is_dir() or not hasattr(os, "statvfs"):
        return
    there = os.statvfs(_IN_MEMORY)
    if there.f_bavail * there.f_frsize < _ROOM or there.f_flag & os.ST_NOEXEC or _free_memory() < 2 * _ROOM:
        return
    for left in _IN_MEMORY.glob("ttl-tests-*"):  # of processes that were killed
        if not Path("/proc", left.name.split("-")[2]).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = TemporaryDirectory(
        prefix=f"ttl-tests-{os.getpid()}-", dir=_IN_MEMORY, ignore_cleanup_errors=True
    )
    config.add_cleanup(folder.cleanup)
    os.environ["TMPDIR"] = folder.name
    tempfile.tempdir = None


def _free_memory() -> int:
    """In bytes, as Linux estimates it."""
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays for good: no search for cycles looks at it, neither while it grows nor in any test.

    Tests and the modules that they import are a million objects, at which a search looks for a second. Modules of IR are many
    small objects, with cycles: Python's own limit of 700 is for programs that have few of them. The byte code that pytest makes
    of tests is kept; that of the programs that tests write and change within a second is not.
    """
    gc.disable()
    keeps_nothing, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        return (yield)
    finally:
        sys.dont_write_bytecode = keeps_nothing
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)
        gc.enable()


_BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--by-folder",
        action="store_true",
        help="sum the CPU seconds of tests by folder, and name the slowest",
    )
    parser.addoption(
        "--programs",
        type=int,
        help="judge so many random programs of ordinary Python, all on the emulated chip (tests/python_semantics)",
    )
    parser.addoption(
        "--long", action="store_true", help="run the tests that are marked as long, too: 'make test-all'"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked as long, and cases beside the one of several that is run, unless they are asked for."""
    if config.getoption("--long"):
        return
    cases: Counter[str] = Counter()
    kept, left_out = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        share = item.get_closest_marker("one_of")
        function = item.nodeid.partition("[")[0]
        number = cases[function]
        cases[function] += 1
        is_gap = (
            item.get_closest_marker("xfail") is not None
        )  # what is known to be missing is always looked at
        is_beside = share is not None and number % share.args[0] != 0 and not is_gap
        (left_out if is_beside or item.get_closest_marker("long") is not None else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def _cpu_seconds() -> float:
    """Of this process and of those it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    item.stash[_BEGAN] = _cpu_seconds()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown" and _BEGAN in item.stash:
        item.user_properties.append(("CPU seconds", _cpu_seconds() - item.stash[_BEGAN]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--by-folder"):
        return
    tests = {
        report.nodeid: dict(report.user_properties).get("CPU seconds", 0.0)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "teardown"
    }
    seconds: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for name, taken in tests.items():
        folder = "/".join(name.split("::")[0].split("/")[1:-1])
        seconds[folder] += taken
        counts[folder] += 1
    terminalreporter.section("CPU seconds by folder")
    for folder, taken in seconds.most_common():
        terminalreporter.line(f"| `{folder}` | {counts[folder]:,} | {taken:.0f} |")
    terminalreporter.line(f"| all | {len(tests):,} | {sum(tests.values()):.0f} |")
    terminalreporter.section("the 20 slowest tests")
    for name, taken in Counter(tests).most_common(20):
        terminalreporter.line(f"{taken:6.1f} {name}")
