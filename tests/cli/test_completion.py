"""``ttl --completion SHELL``: what the shells themselves complete with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from support.programs import run_ttl
from ttl.cli.completion import SHELLS, script
from ttl.cli.main import VERBS, helps_of_verbs
from ttl.settings import SETTINGS

_BASH = """
source ./script
complete() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ttl; printf '%s\\n' "${{COMPREPLY[@]}}"; }}
complete {words}
"""
CASES = {
    ("ttl", "ch"): {"check"},
    ("ttl", "run", "--tar"): {"--target"},
    ("ttl", "run", "--target", ""): {"sim", "emu", "device"},
    ("ttl", "check", "--fi"): {"--fix"},
    ("ttl", "compile", "--no-sani"): {"--no-sanitize"},
    ("ttl", "explain", "TTL030"): {f"TTL030{digit}" for digit in range(1, 10)},
}


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell}: apt-get install {shell}")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    helps = dict(helps_of_verbs())
    found = {}
    for shell in SHELLS:
        found[shell] = tmp_path_factory.mktemp(shell)
        (found[shell] / "script").write_text(script(shell, helps))
    outcome = run_ttl(["--completion", "bash"], folder=found["bash"])
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout == (found["bash"] / "script").read_text()
    return found


def completed(command: list[str], folder: Path) -> set[str]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return {line.partition("\t")[0] for line in done.stdout.splitlines()}


@needs("bash")
@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_bash(words: tuple[str, ...], scripts: dict[str, Path]) -> None:
    quoted = " ".join(f"'{word}'" for word in words)
    assert completed(["bash", "-c", _BASH.format(words=quoted)], scripts["bash"]) == CASES[words]


@needs("fish")
def test_fish(scripts: dict[str, Path]) -> None:
    for words, wanted in CASES.items():
        asked = f"source ./script; complete -C '{' '.join(words)}'"
        assert completed(["fish", "--no-config", "-c", asked], scripts["fish"]) == wanted


@needs("zsh")
def test_zsh_knows_the_function_of_bash(scripts: dict[str, Path]) -> None:
    asked = "autoload -U compinit && compinit -D -u; source ./script; print ${_comps[ttl]}"
    (how,) = completed(["zsh", "-f", "-c", asked], scripts["zsh"])
    assert how.startswith("_bash_complete") and how.endswith("-F _ttl")


def test_every_verb_and_setting_is_there(scripts: dict[str, Path]) -> None:
    text = (scripts["bash"] / "script").read_text()
    assert all(f"{verb.name}\\ -*)" in text for verb in VERBS)
    assert all(row.flag in text for row in SETTINGS)


def test_another_shell_is_refused(tmp_path: Path) -> None:
    outcome = run_ttl(["--completion", "nu"], folder=tmp_path)
    assert outcome.status == 2 and "takes one of bash, zsh, fish, not 'nu'" in outcome.stderr
