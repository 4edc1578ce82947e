"""Files and streams that are of no use: one plain sentence, the right exit code, and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.cli.status import Status
from ttl.emu import runtime

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")

PRINTS = "import ttl\nprint('x' * 100_000)\n"
FULL = "no space left on device"


def run(*command: str, folder: Path, stdout: str = "/dev/full") -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(PRINTS)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open(stdout, "w") as stream:
        return subprocess.run(
            [sys.executable, *command], cwd=folder, env=environment, stdout=stream, stderr=subprocess.PIPE, text=True, timeout=60
        )  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        ("-m", "ttl", "explain", "TTL0101"),
        ("-m", "ttl", "check", "program.py"),
        ("-m", "ttl", "run", "program.py"),
        ("-u", "-m", "ttl", "run", "program.py"),
        ("-m", "ttl", "doctor", "--format", "json"),
    ],
)
def test_output_that_cannot_be_written(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*command, folder=tmp_path)
    assert done.stderr == f"error[TTL0117]: cannot write 'standard output': {FULL}\n"
    assert done.returncode == Status.USAGE


@pytest.mark.parametrize("module", ["ttmlir.opt.__main__", "ttmlir.translate.main"])
def test_output_of_tools_of_ir_that_cannot_be_written(module: str, tmp_path: Path) -> None:
    start = f"import sys; sys.argv[0] = 'tool'; from {module} import main; main()"
    done = run("-c", start, "--help", folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.endswith(f": error: cannot write standard output: {FULL}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(runtime.missing() is not None, reason="there is no emulated chip")
@pytest.mark.parametrize("flag", ["--trace", "--perf-csv"])
def test_files_of_a_run_that_cannot_be_written(flag: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import ttl\n")
    outcome = run_ttl(["run", "--target", "emu", flag, "/dev/full", "program.py"], folder=tmp_path)
    if flag == "--trace":  # of the others nothing is written where nothing was launched
        assert outcome.stderr == f"error[TTL0117]: cannot write '/dev/full': {FULL}\n"
        assert outcome.status == Status.USAGE


@pytest.mark.parametrize("verb", ["run", "check", "compile", "score", "tune", "profile", "report"])
def test_a_device_without_an_end_is_no_program(verb: str, tmp_path: Path) -> None:
    more = ["-o", "page.html"] if verb == "report" else []
    outcome = run_ttl([verb, "/dev/zero", *more], folder=tmp_path)
    (line, *_) = outcome.stderr.splitlines()
    assert line.startswith("error[TTL0") and line.endswith("'/dev/zero': it is a device that has no end")
    assert outcome.status == Status.USAGE


@pytest.mark.parametrize(
    "arguments",
    [["run", "a\0b.py"], ["check", "--format", "json", "a\0.py"], ["a\0b"], ["report", "\0", "-o", "x"]],
)
def test_a_character_that_no_path_has(arguments: list[str], tmp_path: Path) -> None:
    outcome = run_ttl(arguments, folder=tmp_path)
    assert outcome.status == Status.USAGE
    assert outcome.stderr.startswith("error[TTL0113]: the command line has a NUL character")


# A module that Python itself imports at its start.
INTERRUPTS = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == NAME:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
"""
# As pip writes it.
SCRIPT = """
import re
import sys
from MODULE import COMMAND
if __name__ == '__main__':
    sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])
    sys.exit(COMMAND())
"""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        # The first module after the one that the script imports, and later ones.
        ("ttl", "ttl"),
        ("ttl", "ttl.host.importer"),
        ("ttl", "ttl.cli.main"),
        ("ttl", "ttl.cli.check"),
        ("ttl", "numpy"),
        ("ttl", "ttl.frontend.file"),
        ("ttl", "xdsl.ir"),
        ("ttl_opt", "xdsl.ir"),
        ("ttmlir_opt", "ttmlir.opt.main"),
        ("ttmlir_translate", "ttmlir.translate.main"),
        ("ttrt", "ttrt.common.api"),
        ("tt_explorer", "tt_explorer.server"),
    ],
)
def test_ctrl_c_while_modules_are_imported(command: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(INTERRUPTS.replace("NAME", repr(name)))
    module = "ttl_start" if command in ("ttl", "ttl_opt") else "ttlang_models.commands"
    (tmp_path / "script.py").write_text(SCRIPT.replace("COMMAND", command).replace("MODULE", module))
    (tmp_path / "program.py").write_text(PRINTS)
    arguments = {"ttl": ["check", "program.py"], "tt_explorer": []}.get(command, ["--help"])
    done = subprocess.run(
        [sys.executable, "script.py", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hook")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) in ((Status.INTERRUPTED, ""), (-signal.SIGINT, ""))


def test_the_module_that_commands_begin_in_imports_nothing_of_ours() -> None:
    code = "import sys; import ttl_start; print([name for name in sys.modules if name.startswith(('ttl', 'tt_'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "['ttl_start']\n"
