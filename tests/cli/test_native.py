"""What is said about the native core: where it is, where it is missing, and who asked for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl import control, native
from ttl.cli.status import Status
from ttl.diag import ProgramError
from ttl.settings import override


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What is known of the native core is found out anew, before and after."""
    native._why_not.cache_clear()
    yield
    native._why_not.cache_clear()


@pytest.fixture
def missing(forgotten: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An installation without it; gives the folder of the package."""
    monkeypatch.setitem(sys.modules, "ttl._machine", None)
    monkeypatch.setattr(native, "__file__", str(tmp_path / "native.py"))
    return tmp_path


def test_where_it_was_not_built(missing: Path) -> None:
    assert (native.available(), native.why_not()) == (False, "ttl._machine is not built")


def test_where_it_was_built_for_another_python(missing: Path) -> None:
    (missing / "_machine.cpython-399-other.so").touch()
    assert str(native.why_not()).startswith("ttl._machine is built for cpython-399-other, and this is ")


def test_where_it_cannot_be_loaded(forgotten: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ImportError("libstdc++.so.6: version not found")

    monkeypatch.setattr(native, "_LOADERS", {"_machine": fails})
    assert native.why_not() == "ttl._machine cannot be loaded: libstdc++.so.6: version not found"


@pytest.mark.parametrize("name", ["core", "executor"])
def test_asking_for_it_where_it_is_missing_is_an_error(name: str, missing: Path) -> None:
    with override(origin=f"TTL_{name.upper()}", **{name: "native"}) as settings:
        with pytest.raises(ProgramError) as caught:
            native.require(settings)
        assert caught.value.code == "TTL0114"
        assert caught.value.diagnostic.message.startswith(f"TTL_{name.upper()} asks for the native core")
        assert "ttl._machine is not built" in caught.value.diagnostic.notes
    with override() as settings:
        native.require(settings)


def test_doctor_says_what_to_do_where_it_is_missing(missing: Path, tmp_path: Path) -> None:
    outcome = run_ttl(["doctor"], folder=tmp_path)
    (line,) = [line for line in outcome.stdout.splitlines() if line.startswith("  native core ")]
    assert "missing: ttl._machine is not built, so NumPy computes; for speed " in line
    assert "build.py'" in line


def test_doctor_says_what_it_uses(tmp_path: Path) -> None:
    if not native.available():
        pytest.skip(f"the native core is not installed: {native.why_not()}")
    outcome = run_ttl(["doctor", "--threads", "3", "--isa", "plain"], folder=tmp_path)
    assert (outcome.status, outcome.stderr) == (Status.OK, "")
    assert "  native core             plain, 3 threads\n" in outcome.stdout
    assert ", 1 thread\n" in run_ttl(["doctor", "--threads", "1"], folder=tmp_path).stdout


def test_threads_are_those_asked_for_or_all_cores() -> None:
    with override(threads=5) as settings:
        assert native.threads(settings) == 5
    with override() as settings:
        assert native.threads(settings) >= 1


SOURCE = Path(native.__file__).parent.parent
OTHER = "python" if control.NATIVE else "native"
needs_both = pytest.mark.skipif(not native.available(), reason="there is one core")


def new_process(*arguments: str, folder: Path, core: str) -> subprocess.CompletedProcess[str]:
    (folder / "mine.py").write_text(
        "import sys\nimport ttl\nfrom ttl import control\nprint(control.loaded(), sys.argv[1:], sys.flags.utf8_mode)\n",
        encoding="utf-8",
    )
    return subprocess.run(
        [sys.executable, "-X", "utf8", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), "TTL_CORE": core},
    )


@needs_both
@pytest.mark.parametrize(
    ("variable", "flag"), [("", "python"), ("native", "python"), ("python", "native"), ("python", "python")]
)
def test_the_program_runs_on_the_core_that_a_flag_asks_for(variable: str, flag: str, tmp_path: Path) -> None:
    """In a process of its own, started as this one was, if need be."""
    command = ["-m", "ttl", "run", "--core", flag, "mine.py", "--core", "its own"]
    done = new_process(*command, folder=tmp_path, core=variable)
    assert (done.stdout, done.stderr) == (f"{flag} ['--core', 'its own'] 1\n", "")


def test_a_wrong_value_is_reported_when_it_is_first_used_and_not_at_the_import(tmp_path: Path) -> None:
    assert new_process("mine.py", folder=tmp_path, core="fast").stderr == ""
    reported = new_process("-m", "ttl", "run", "mine.py", folder=tmp_path, core="fast").stderr
    assert reported.startswith("error[TTL0101]: TTL_CORE is 'fast', which is not a value it can have")


@needs_both
def test_a_process_cannot_change_its_core(tmp_path: Path) -> None:
    with override(origin="mine.py", core=OTHER) as settings:
        finding = control.another_asked_for(settings)
    assert finding is not None
    assert finding.message.startswith(f"mine.py asks for the {OTHER} core, and this process runs the ")
    (tmp_path / "mine.py").write_text("print('it ran')", encoding="utf-8")
    outcome = run_ttl(["run", "--core", OTHER, "mine.py"], folder=tmp_path)
    assert (outcome.status, outcome.stdout) == (Status.USAGE, "")
    assert outcome.stderr.startswith("error[TTL0115]: --core asks for")
