"""What each check finds, as files of Markdown say it: ``specification/*.md`` (how they read: ``support/markdown_programs.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.markdown_programs import MarkdownProgram, programs

FILES = sorted((Path(__file__).parent / "specification").glob("*.md"))


@pytest.mark.parametrize(
    "program",
    [pytest.param(program, id=f"{path.stem}: {program}") for path in FILES for program in programs(path)],
)
def test_what_is_found_is_what_is_written(program: MarkdownProgram, tmp_path: Path) -> None:
    assert program.differences(tmp_path) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_has_programs_in_which_something_is_found_and_nothing(path: Path) -> None:
    found = [bool(program.expected) for program in programs(path)]
    assert True in found and False in found


def test_a_comment_that_nothing_answers_and_a_finding_without_one_are_told(tmp_path: Path) -> None:
    path = tmp_path / "broken.md"
    path.write_text(
        "```python\nimport ttl\nimport ttnn\n```\n## Nothing\n```python\nx = 1  # error: [TTL0405]\n"
        "@ttl.operation(grid=(1, 1))\ndef op(x):\n    spare = ttl.make_dataflow_buffer_like(x, shape=(1, 1))\n"
        "    @ttl.compute()\n    def compute():\n        pass\n"
        "op(ttnn.zeros((32, 32), layout=ttnn.TILE_LAYOUT, dtype=ttnn.bfloat16))\n```\n"
    )
    (program,) = programs(path)
    unexpected, missing = program.differences(tmp_path)
    assert "[TTL0907]" in unexpected and "line 6" in unexpected
    assert "TTL0405" in missing
