"""A process that dies, hangs or grows costs its item and nothing else; nothing is left of a sweep, however it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from support.programs import run_ttl
from ttl.diag import ProgramError
from ttl.emu import runtime
from ttl.score.processes import probe
from ttl.sweeps.pool import answers, pool_for
from ttl.sweeps.work import SweepLimits, SweepWork
from tuning.test_tune import PROGRAM as TUNABLE

PROGRAMS = Path(__file__).parents[1] / "score" / "honest"
HERE = str(Path(__file__).parent)
LIMITS = SweepLimits(seconds=2, megabytes=300)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", HERE)


def work_in(folder: Path, **more: object) -> SweepWork:
    values = {"function": "functions:work", "task": {"folder": str(folder)}, "limits": LIMITS, **more}
    return SweepWork(**values)  # type: ignore[arg-type]


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def check_all(folder: Path, cluster: str | None) -> None:
    """Every way to be lost, and what it costs."""
    items = [1, "dies", "dies once", "hangs", "grows", 2, "ends"]
    with pool_for(work_in(folder), jobs=2, cluster=cluster) as pool:
        assert pool.size == 2
        by_number = {answer.number: answer for answer in answers(pool, items)}
    assert sorted(by_number) == list(range(len(items)))
    assert [by_number[number].value[0] for number in (0, 2, 5)] == [1, "dies once", 2]
    lost = {number: answer.loss for number, answer in by_number.items() if answer.loss}
    assert lost == {1: "died", 3: "time", 4: "memory", 6: "failed"}
    assert by_number[1].why == "its process died of signal 9"
    assert "a last word" in by_number[1].report
    assert "ValueError: a defect" in by_number[6].report
    assert by_number[3].why == "took longer than 2 s"
    assert by_number[4].why == "used more than 300 MB of memory"


def test_what_is_lost_is_said_and_the_others_are_done(tmp_path: Path) -> None:
    check_all(tmp_path, None)


def test_a_process_does_many_items(tmp_path: Path) -> None:
    with pool_for(work_in(tmp_path), jobs=1) as pool:
        processes = {answer.value[1] for answer in answers(pool, range(20))}
    assert len(processes) == 1
    assert until(lambda: not any(map(is_alive, processes)))


def test_a_function_that_is_not_there_is_a_lost_item_and_no_hang(tmp_path: Path) -> None:
    with pool_for(work_in(tmp_path, function="functions:missing"), jobs=1) as pool:
        (answer,) = answers(pool, [1])
    assert answer.loss == "failed"
    assert "missing" in answer.report


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
def test_nothing_is_left_of_a_sweep_that_is_killed(tmp_path: Path) -> None:
    """Not even what a process of it has put into a session of its own."""
    text = (
        "from pathlib import Path; from ttl.sweeps.pool import *; from ttl.sweeps.work import *\n"
        f"work = SweepWork(function='functions:work', task={{'folder': {str(tmp_path)!r}}})\n"
        "with pool_for(work, jobs=1) as pool: list(answers(pool, ['starts another and hangs']))"
    )
    process = subprocess.Popen([sys.executable, "-c", text])
    pids = tmp_path / "pids"
    assert until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
    started = [int(number) for number in pids.read_text().split()]
    assert all(map(is_alive, started))
    process.kill()
    process.wait()
    assert until(lambda: not any(map(is_alive, started)))


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster's scheduler."""
    pytest.importorskip("distributed")
    file = tmp_path_factory.mktemp("scheduler") / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--no-dashboard", "--no-show", "--scheduler-file", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def address() -> str:
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError, KeyError):
            return ""

    assert until(lambda: bool(address()), 60)
    yield address()
    process.kill()
    process.wait()


@pytest.fixture
def worker_of(scheduler: str) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts a worker of the cluster."""
    started = []

    def start(threads: int = 1) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            scheduler,
            "--no-nanny",
            "--no-dashboard",
        ]
        process = subprocess.Popen(
            [*command, "--nthreads", str(threads)],
            env={**os.environ, "PYTHONPATH": HERE},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_the_same_on_a_cluster(
    tmp_path: Path, scheduler: str, worker_of: Callable[..., subprocess.Popen[bytes]]
) -> None:
    worker_of(2)
    check_all(tmp_path, scheduler)


def test_a_worker_that_is_lost_costs_no_answer(
    tmp_path: Path, scheduler: str, worker_of: Callable[..., subprocess.Popen[bytes]]
) -> None:
    """What it had answered is not done again; what it was at is, by another one."""
    first = worker_of()
    log = tmp_path / "log"
    with pool_for(work_in(tmp_path, limits=SweepLimits(seconds=60)), jobs=1, cluster=scheduler) as pool:
        pool.submit(0, ["quick", 0])
        assert pool.wait().value == "quick"
        pool.submit(1, ["slow", 1.5])
        assert until(lambda: "slow" in log.read_text())
        of_first = int(log.read_text().split()[1])
        os.kill(first.pid, signal.SIGKILL)
        worker_of()
        answer = pool.wait()
    assert (answer.number, answer.value) == (1, "slow")
    done = [line.split() for line in log.read_text().splitlines()]
    assert [name for name, _ in done] == ["quick", "slow", "slow"]
    assert done[2][1] != done[1][1]
    assert until(lambda: not is_alive(of_first))


def test_a_worker_with_another_file_does_nothing(
    tmp_path: Path, scheduler: str, worker_of: Callable[..., subprocess.Popen[bytes]]
) -> None:
    worker_of()
    program = tmp_path / "program.py"
    program.write_text("one = 1")
    with pool_for(work_in(tmp_path, files=(str(program),)), jobs=1, cluster=scheduler) as pool:
        program.write_text("one = 2")
        pool.submit(0, 1)
        with pytest.raises(ProgramError, match="TTL0126"):
            pool.wait()


@pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip")
def test_tune_and_score_on_a_cluster(
    tmp_path: Path, scheduler: str, worker_of: Callable[..., subprocess.Popen[bytes]]
) -> None:
    pytest.importorskip("tomlkit")
    worker_of(2)
    (tmp_path / "program.py").write_text(TUNABLE.format(missing=0, call="double(x, y)"))
    kept = {"TTL_CACHE_DIR": str(tmp_path / "kept")}
    tuned = run_ttl(["tune", "--cluster", scheduler, "program.py"], folder=tmp_path, environment=kept)
    assert tuned.status == 0, tuned.stderr
    assert "width = 4" in (tmp_path / "ttl.tuned.toml").read_text()
    if "open" in (isolation := probe()).network or isolation.files == "open":
        return
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "broken.py").write_text("import ttl\ndef (")
    (folder / "declared.py").write_text((PROGRAMS / "declared.py").read_text())
    flags = ("--until", "ran", "--format", "json")
    scored = run_ttl(["score", "--cluster", scheduler, *flags, "folder"], folder=tmp_path, environment=kept)
    assert scored.status == 1, scored.stderr
    scores = {item["program"]: item["failed"] for item in json.loads(scored.stdout)["programs"]}
    assert scores == {"broken.py": "parsed", "declared.py": None}


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:99999"])
def test_no_cluster_is_an_error(tmp_path: Path, address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ProgramError, match="TTL0126"):
        pool_for(work_in(tmp_path), jobs=1, cluster=address)


def test_check_says_the_same_with_several_processes(tmp_path: Path) -> None:
    """Findings, fixes and what could not be read, of a folder."""
    (tmp_path / "folder").mkdir()
    program = "import ttl\n\n\n@ttl.operation(grid=(1, 1))\ndef operation{}():\n    a = 1\n    return a\n"
    for number in range(3):
        (tmp_path / "folder" / f"program{number}.py").write_text(program.format(number))
    (tmp_path / "folder" / "broken.py").write_text("import ttl\n(")
    for flags in ([], ["--format", "json"], ["--diff"]):
        one = run_ttl(["check", *flags, "folder"], folder=tmp_path)
        several = run_ttl(["check", *flags, "--jobs", "2", "folder"], folder=tmp_path)
        assert (one.status, one.stdout, one.stderr) == (several.status, several.stdout, several.stderr)
        assert one.stdout or one.stderr


RACING = """
import os
import time

import ttl
import ttnn


@ttl.operation(grid=(2, 1))
def {name}(x, y):
    me = ttl.node(dims=1)
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def move():
        with dfb.reserve() as blk:
            ttl.copy(({source} if me else x)[0, 0], blk).wait()
            ttl.copy(blk, y[0, me]).wait()


def begun():
    open(os.path.join({folder!r}, f"pid{{os.getpid()}}"), "w").close()
    time.sleep({seconds})


begun()
x = ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
for _ in range(2):
    {name}(x, y)
"""


def racing(folder: Path, source: str = "y", seconds: float = 0) -> None:
    text = RACING.format(name="racing", source=source, folder=str(folder), seconds=seconds)
    (folder / "racing.py").write_text(text)


def test_schedules_tried_by_several_processes_find_the_same(tmp_path: Path) -> None:
    racing(tmp_path)
    flags = ("run", "--no-check", "--schedules", "7")
    one = run_ttl([*flags, "racing.py"], folder=tmp_path)
    several = run_ttl([*flags, "--jobs", "2", "racing.py"], folder=tmp_path)
    assert one.status == 1 and "TTL1101" in one.stderr and "--schedule-seed" in one.stderr
    assert (several.status, several.stdout, several.stderr) == (one.status, one.stdout, one.stderr)
    racing(tmp_path, source="x")
    right = run_ttl([*flags, "--jobs", "2", "racing.py"], folder=tmp_path)
    assert (right.status, right.stderr) == (0, "")


def test_schedules_on_a_cluster_that_loses_a_worker_find_the_same(
    tmp_path: Path, scheduler: str, worker_of: Callable[..., subprocess.Popen[bytes]]
) -> None:
    """What the lost worker was at is tried again by another one."""
    racing(tmp_path)
    one = run_ttl(["run", "--no-check", "--schedules", "5", "racing.py"], folder=tmp_path)
    for left in tmp_path.glob("pid*"):
        left.unlink()
    racing(tmp_path, seconds=0.3)
    first = worker_of()
    killed = []

    def kill_the_first() -> None:
        here = f"pid{os.getpid()}"  # this process runs the program, too
        if until(lambda: any(path.name != here for path in tmp_path.glob("pid*")), 60):
            os.kill(first.pid, signal.SIGKILL)
            killed.append(first.pid)
            worker_of()

    thread = Thread(target=kill_the_first)
    thread.start()
    flags = ["run", "--no-check", "--schedules", "5", "--cluster", scheduler, "racing.py"]
    found = run_ttl(flags, folder=tmp_path)
    thread.join()
    assert killed
    assert (found.status, found.stderr) == (one.status, one.stderr)


def test_schedules_on_a_local_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    racing(tmp_path, source="x")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=True
    ) as cluster:
        flags = ["run", "--no-check", "--schedules", "4", "--cluster", cluster.scheduler_address]
        said = run_ttl([*flags, "racing.py"], folder=tmp_path)
    assert (said.status, said.stderr) == (0, "")
    assert len(list(tmp_path.glob("pid*"))) >= 2
