"""Pages of codes as files that an editor opens."""

from __future__ import annotations

from pathlib import Path

from ttl import settings
from ttl.diag import catalog
from ttl.service.pages import page_file


def test_a_page_is_a_file_with_whole_programs(tmp_path: Path) -> None:
    with settings.override(cache_dir=str(tmp_path)):
        file = page_file("TTL0506")
        assert file == tmp_path / "pages" / "TTL0506.md"
        assert file.read_text(encoding="utf-8") == catalog.page("TTL0506").text
        assert "@ttl.operation" in catalog.page("TTL0506").text
        file.write_text("of another version", encoding="utf-8")
        assert page_file("TTL0506") == file
        assert file.read_text(encoding="utf-8") == catalog.page("TTL0506").text
        assert page_file("TTL9999") is None


def test_without_a_cache_folder_it_is_the_file_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in ("off", str(tmp_path / "file")):
        with settings.override(cache_dir=folder):
            file = page_file("TTL0506")
            assert file is not None
            assert file.parts[-4:] == ("ttl", "diag", "codes", "TTL0506.md")
