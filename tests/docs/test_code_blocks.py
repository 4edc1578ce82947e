"""Every code block of the documentation runs, and prints what the page says it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.blocks import (
    NOT_RUN,
    ROOT,
    blocks,
    commands,
    files,
    links,
    pages,
    program,
    provide,
    run,
    runs,
    shows,
)
from support.programs import run_ttl

TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages() if path.is_file()}
PROGRAMS = [name for name, text in TEXTS.items() if program(text)]
FILES = [(name, file) for name, text in TEXTS.items() for file in files(text)]
COMMANDS = [
    pytest.param(name, index, id=f"{name}-{command.line}")
    for name, text in TEXTS.items()
    for index, command in enumerate(commands(text))
    if runs(command)
]


def shown_by_a_command(text: str, file: str) -> bool:
    return any(
        file in command.line.split() or command.line == "pytest"
        for command in commands(text)
        if runs(command)
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_of_a_page_runs_without_a_word(name: str, tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text(program(TEXTS[name]), encoding="utf-8")
    outcome = run_ttl(["run", "page.py"], folder=tmp_path)
    assert (outcome.stderr, outcome.status) == ("", 0)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (name, file)
        for name, file in FILES
        if file.endswith(".py") and not shown_by_a_command(TEXTS[name], file)
    ],
)
def test_a_file_that_no_command_runs_works(name: str, file: str, tmp_path: Path) -> None:
    provide(TEXTS[name], tmp_path)
    outcome = run_ttl(["run", file], folder=tmp_path)
    assert (outcome.stderr, outcome.status) == ("", 0)


@pytest.mark.parametrize(
    ("name", "file"),
    [(name, file) for name, file in FILES if name.startswith("docs/tutorial/") and file.endswith(".py")],
)
def test_a_program_of_the_tutorial_has_no_warning(name: str, file: str, tmp_path: Path) -> None:
    provide(TEXTS[name], tmp_path)
    for command in (["run", file], ["check", file]):
        outcome = run_ttl(command, folder=tmp_path)
        shown = outcome.stdout + outcome.stderr
        if "error[" in shown:
            continue  # broken on purpose; the page shows what is said
        # A program of TT-NN alone has nothing to check, and is told so by the exit code.
        has_operation = "@ttl.operation" in (tmp_path / file).read_text()
        assert (outcome.stderr, outcome.status) == ("", 0 if has_operation or command[0] == "run" else 3)
    assert "nothing found" in shown or "error[" in shown or not has_operation


@pytest.mark.parametrize(("name", "index"), COMMANDS)
def test_a_command_prints_what_the_page_says(name: str, index: int, tmp_path: Path) -> None:
    provide(TEXTS[name], tmp_path)
    command = commands(TEXTS[name])[index]
    printed = run(command, tmp_path)
    if not shows(command.expected, printed):
        # For the difference in the report of pytest; python scripts/update_docs.py writes the page.
        assert printed == command.expected


def test_the_model_that_is_compiled_is_the_one_that_was_written() -> None:
    text = TEXTS["docs/internals/one-model.md"]
    (module,) = (block.body for block in blocks(text) if block.language == "mlir")
    written = next(command.expected for command in commands(text) if command.line == "python model.py")
    assert module.strip() == written.strip()


def test_links_to_files_lead_somewhere() -> None:
    generated = ("errors/", "reference/language.md", "reference/ttl/")
    broken = []
    for name, text in TEXTS.items():
        here = (ROOT / name).parent
        for target in links(text):
            file = target.partition("#")[0]
            place = f"{here.relative_to(ROOT)}/{file}"
            if not file or "://" in file or any(part in place for part in generated):
                continue
            if not (here / file).exists():
                broken.append(f"{name} links to {target}")
    assert not broken, "\n".join(broken)


def test_blocks_say_their_language() -> None:
    wrong = [
        f"{name} has a block that is none of the known kinds"
        for name, text in TEXTS.items()
        if sum(line.strip().startswith("```") for line in text.splitlines()) != 2 * len(blocks(text))
    ]
    assert not wrong, "\n".join(wrong)


def test_commands_that_do_not_run_are_about_setting_up() -> None:
    """make targets that a page names exist."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for text in TEXTS.values():
        for command in commands(text):
            if command.line.startswith("make "):
                assert f"\n{command.line.split()[1]}:" in makefile
            elif not runs(command):
                assert command.line.startswith(NOT_RUN)


def test_a_text_with_gaps_matches_what_was_printed() -> None:
    assert shows("simulated in ... s\nok\n", "simulated in 0.4 s\nok\n")
    assert not shows("simulated in ... s\nok\n", "simulated in 0.4 s\nWRONG\n")
    assert not shows("ok\n", "ok\nmore\n")
