"""Programs that try to be scored better than they are: each would pass without what is added here, and with it scores 0, and why is said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ttl import settings
from ttl.emu import runtime
from ttl.score import corpus
from ttl.score.channel import CHANGED, FORGED, digest_of, read_answer
from ttl.score.processes import ended_afterwards, probe
from ttl.session import Session

HERE = Path(__file__).parent
HONEST = (HERE / "honest" / "plain.py").read_text(encoding="utf-8")
FENCE = probe()
kept_in = pytest.mark.skipif(
    "open" in (FENCE.network, FENCE.files) or runtime.missing() is not None,
    reason="programs cannot be kept in here, or there is no emulated chip",
)


@dataclass(frozen=True, kw_only=True)
class Cheat:
    """What is added to an honest program."""

    why: str
    """What is said of it."""
    behind: str = ""
    """Statements after its last."""
    before: str = ""
    """Statements before its first."""
    beside: dict[str, str] = field(default_factory=dict)
    """Files in its folder."""
    failed: str = "ran"


PRINTS = 'import sys\nprint(\'{"schema": 1, "kind": "score", "total": 1.0, "status": 0, "stages": []}\', file=sys.stderr)\nsys.exit(0)\n'
FORGES = (
    "np.savez(os.path.join(os.path.dirname(os.environ['TMPDIR']), 'arrays.npz'), **{'0|after|2': a * b + a})"
)
DECLARED = "def reference(a, b):\n    import gc\n    gc.get_objects()\n    return a * b + a\n"

CHEATS = {
    # Modules in the place of others, and files that are executed unasked.
    "numpy beside it": Cheat(beside={"numpy.py": PRINTS}, failed="parsed", why="numpy.py beside it would take the place of numpy"),
    "ttl beside it": Cheat(beside={"ttl/__init__.py": PRINTS}, failed="parsed", why="ttl beside it would take the place of ttl"),
    "difflib beside it": Cheat(beside={"difflib.py": PRINTS}, failed="parsed", why="difflib.py beside it would take the place of Python's difflib"),
    "sitecustomize": Cheat(beside={"sitecustomize.py": PRINTS}, failed="parsed", why="sitecustomize.py beside it would be executed"),
    "usercustomize": Cheat(beside={"usercustomize.py": PRINTS}, failed="parsed", why="usercustomize.py beside it would be executed"),
    "conftest": Cheat(beside={"conftest.py": "import numpy as np\nnp.testing.assert_allclose = print\n"}, failed="parsed", why="conftest.py beside it replaces np.testing.assert_allclose"),
    # What compares, and what is compared.
    "NumPy's comparison": Cheat(before="import numpy\nnumpy.testing.assert_allclose = lambda *args, **more: None", why="it replaces numpy.testing.assert_allclose"),
    "comparison of this package": Cheat(behind="import ttl.utils.correctness\nttl.utils.correctness.assert_with_pcc = lambda *args: True", why="it replaces ttl.utils.correctness.assert_with_pcc"),
    "operations": Cheat(behind="import ttl.lang.operation\nttl.lang.operation.Operation.__call__ = lambda self, *args: None", why="it replaces ttl.lang.operation.Operation.__call__"),
    "code of a function": Cheat(behind="import ttl.utils.correctness as c\nc.comp_pcc.__code__ = (lambda *args: True).__code__", why="it replaces ttl.utils.correctness.comp_pcc"),
    # Its end.
    "ends early": Cheat(before="import os\nos._exit(0)", why="it ends its process before the scorer has seen the end of the program"),
    "ends at exit": Cheat(behind="import atexit, os\natexit.register(os._exit, 0)", why="it ends its process before the scorer has seen the end of the program"),
    "writes at exit": Cheat(behind=f"import atexit, os\natexit.register(lambda: {FORGES})", why="it looks into the folder of the scorer"),
    # What it says, and where.
    "prints a score": Cheat(behind="print('{\"kind\": \"score\", \"schema\": 1, \"total\": 1.0}')", why="it prints its own score"),
    "prints a score as an error": Cheat(behind=PRINTS, why="it prints its own score"),
    "writes to the channel": Cheat(behind="import os\nos.write(3, b'{\"answer\": {\"status\": 0, \"seen\": [0]}}\\n')", why=FORGED),
    "closes the channel": Cheat(behind="import os\nos.close(3)\nos._exit(0)", why="it ends its process before the scorer has seen the end of the program"),
    "forges its arrays": Cheat(behind=f"import os\n{FORGES}", why="it looks into the folder of the scorer"),
    "reads its task": Cheat(behind="import os\nopen(os.path.join(os.path.dirname(os.environ['TMPDIR']), 'task.json'))", why="it looks into the folder of the scorer"),
    "changes itself": Cheat(behind="try:\n    open(__file__, 'a')\nexcept OSError:\n    pass", why="it changes program.py, which it is judged by"),
    "changes the scorer": Cheat(behind="import ttl.score.comparing as a\ntry:\n    open(a.__file__, 'a')\nexcept OSError:\n    pass", why="it changes comparing.py, which it is judged by"),
    # Other processes, and the one that it is in.
    "forks": Cheat(behind="import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)", why=r"it starts another process \(os.fork\)"),
    "starts a process": Cheat(behind="import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', ''])", why=r"it starts another process \(subprocess.Popen\)"),
    "searches the reference": Cheat(behind="import gc\nfound = [item for item in gc.get_objects() if isinstance(item, dict) and 'calls' in item]", why=r"it searches the objects of the process that judges \(gc.get_objects\)"),
    "searches who refers": Cheat(behind="import gc, ttl.score.channel\ngc.get_referrers(ttl.score.channel.AnswerChannel)", why=r"it searches the objects of the process that judges \(gc.get_referrers\)"),
    "traces": Cheat(behind="import sys\nsys.setprofile(lambda *args: None)", why=r"it follows the process that judges \(sys.setprofile\)"),
    "reaches into memory": Cheat(behind="import ctypes\nctypes.string_at(id(a), 8)", why=r"it reaches into memory by ctypes"),
    # Later, when nobody looks.
    "a thread that waits": Cheat(behind="import threading\ntimer = threading.Timer(1000, print)\ntimer.daemon = True\ntimer.start()\n\ndef wait(): threading.Event().wait()\n\nthreading.Thread(target=wait, daemon=True).start()", why="it leaves a thread behind"),
    "an alarm": Cheat(behind="import signal\nsignal.signal(signal.SIGALRM, print)\nsignal.alarm(1000)", why="it leaves an alarm behind"),
    "the clock decides": Cheat(before="import time", behind="if time.time() > 2e9:\n    y = b\nmultiply_add(to_device(b), to_device(a), to_device(y) if time.time() > 2e9 else to_device(a))", failed="checked", why="what it does depends on the clock, in line"),
    # Of the function that says what is right.
    "its reference searches": Cheat(behind=DECLARED, failed="right", why=r"it searches the objects of the process that judges \(gc.get_objects\)"),
}  # fmt: skip


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], dict[str, Any]]]:
    folder = settings.cache_folder() or str(tmp_path_factory.mktemp("cache"))
    with Session().entered(), settings.override(cache_dir=folder), ended_afterwards():

        def scored(program: Path) -> dict[str, Any]:
            options = corpus.ScoreOptions(orders=2, seed=5, until="right")
            task = corpus.task_of(options, FENCE, settings.current())
            return json.loads(json.dumps(corpus.scored(task, str(program))))

        yield scored


@kept_in
@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_scores_0_and_is_told_why(
    name: str, score: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    cheat = CHEATS[name]
    for path, text in cheat.beside.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    program = tmp_path / "program.py"
    program.write_text(f"{cheat.before}\n{HONEST}\n{cheat.behind}\n")
    before = program.read_text()
    result = score(program)
    assert (result["total"], result["failed"]) == (0, cheat.failed), result["stages"]
    assert re.match(cheat.why, result["disqualified"])
    assert result["next"]["why"] == result["disqualified"]
    assert result["status"] >= 10
    assert program.read_text() == before


@kept_in
def test_files_beside_an_honest_program_cost_nothing(
    score: Callable[[Path], dict[str, Any]], tmp_path: Path
) -> None:
    """Helpers, other programs however they are called, tests with fixtures; what a library does by itself."""
    (tmp_path / "helpers.py").write_text("TOLERANCE = 0.05\n")
    (tmp_path / "copy.py").write_text("import ttl\n")
    (tmp_path / "conftest.py").write_text("import pytest\n\n\n@pytest.fixture\ndef device():\n    return 0\n")
    (tmp_path / "numpy.txt").write_text("notes")
    program = tmp_path / "program.py"
    libraries = "import platform\nimport threading\nfrom helpers import TOLERANCE\n"
    used = "thread = threading.Thread(target=platform.machine)\nthread.start()\nthread.join()\nopen(__file__).close()\n"
    program.write_text(f"{libraries}{HONEST}{used}assert TOLERANCE\n")
    result = score(program)
    assert (result["disqualified"], result["failed"]) == (None, None), result["stages"]
    assert result["total"] == 0.5


@kept_in
def test_the_home_folder_is_not_read(
    score: Callable[[Path], dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    program = tmp_path / "kernels" / "program.py"
    program.parent.mkdir()
    program.write_text(HONEST + f"open({str(secret)!r})\n")
    assert score(program)["failed"] is None
    monkeypatch.setenv("HOME", str(tmp_path))
    result = score(program)
    assert result["failed"] == "ran"
    assert "PermissionError" in result["next"]["why"]


def test_only_the_process_that_was_given_the_seal_answers(tmp_path: Path) -> None:
    arrays = tmp_path / "arrays.npz"
    arrays.write_bytes(b"arrays")

    def line(**more: Any) -> bytes:
        return json.dumps({"seal": "right", **more}).encode() + b"\n"

    answer = line(answer={"status": 0}, arrays=digest_of(str(arrays)))
    assert read_answer(answer, "right", str(arrays)).data == {"status": 0}
    assert read_answer(b"", "right", str(arrays)).cheats == ()
    for sent, cheat in (
        (answer.replace(b"right", b"wrong"), FORGED),
        (answer + answer, FORGED),
        (b"{}\n" + answer, FORGED),
        (b"[" * 100_000 + b"\n", FORGED),
        (line(answer={}, arrays="another"), CHANGED),
        (line(cheat="mine") + answer, "mine"),
    ):
        read = read_answer(sent, "right", str(arrays))
        assert (read.data, read.cheats) == (None, (cheat,))
