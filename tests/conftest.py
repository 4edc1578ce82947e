"""What every test starts with: no settings of the developer's shell, nothing said before, fixed random examples.

``pytest --by-folder`` says what the tests take, by folder, and which ones take most.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import hypothesis
import pytest

from support.prompts import without_prompts
from ttl.diag import report
from ttl.lang.context import LAST_GRID

hypothesis.settings.register_profile("ttl", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ttl")


@pytest.fixture(scope="session", autouse=True)
def _environment() -> Iterator[None]:
    """None of our variables in the environment, except that IR is verified after every pass."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("TTL_") or name == "NO_COLOR":
                patch.delenv(name)
        patch.setenv("TTL_VERIFY_EACH", "1")
        yield


@pytest.fixture(autouse=True)
def _nothing_said() -> None:
    """Notes that are given once per process are given once per test."""
    without_prompts()
    report.SAID.get().keys.clear()
    LAST_GRID.set(None)


_BEGAN = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--by-folder",
        action="store_true",
        help="sum the CPU seconds of tests by folder, and name the slowest",
    )


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
