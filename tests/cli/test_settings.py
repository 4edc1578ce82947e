"""The table of settings: where values come from, and what is said about wrong ones."""

from __future__ import annotations

from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ttl import settings
from ttl.diag import ProgramError
from ttl.session import Session
from ttl.session.switches import WrongValueError, from_environment, unknown_variables
from ttl.settings import SETTINGS, Setting, Settings, override


@pytest.mark.parametrize("row", SETTINGS, ids=lambda row: row.name)
def test_a_field_is_a_row(row: Setting) -> None:
    assert getattr(Settings(), row.name) == row.default
    assert row.default is None or row.parse(str(row.default), "") == row.default
    assert not row.help.endswith(".")


def test_an_empty_environment_gives_the_defaults() -> None:
    assert from_environment({}) == Settings()
    assert from_environment({"TTL_ARCH": ""}) == Settings()


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("TTL_ARCH", "blackhole", "arch", "blackhole"),
        ("TTL_ARCH", " Blackhole ", "arch", "blackhole"),
        ("TTL_GRID", "4x2", "grid", (4, 2)),
        ("TTL_GRID", "(4, 2)", "grid", (4, 2)),
        ("TTL_SCHEDULE_SEED", "0", "schedule_seed", 0),
        ("TTL_SCHEDULES", "16", "schedules", 16),
        ("TTL_SANITIZE", "1", "sanitize", True),
        ("TTL_SANITIZE", "off", "sanitize", False),
        ("TTL_PRECISION", "dst16", "precision", "dst16"),
        ("TTL_FORMAT", "json", "format", "json"),
        ("TTL_COLOR", "on", "color", "on"),
        ("TTL_EXECUTOR", "numpy", "executor", "numpy"),
        ("TTL_CORE", "python", "core", "python"),
        ("TTL_ISA", "avx512bf16", "isa", "avx512bf16"),
        ("TTL_THREADS", "0", "threads", 0),
        ("TTL_REPLAY", "1", "replay", "on"),
        ("TTL_REPLAY_CHECK", "7", "replay_check", 7),
        ("TTL_PENDING_MB", "1", "pending_mb", 1),
        ("TTL_FORMAT", "github", "format", "github"),
        ("TTL_CHECK", "1", "check", "on"),
        ("TTL_CHECK", "Off", "check", "off"),
        ("TTL_CHECK", "auto", "check", "auto"),
        ("TTL_CACHE_DIR", " /Some/Place ", "cache_dir", "/Some/Place"),
        ("TTL_CACHE_DIR", "Off", "cache_dir", "off"),
    ],
)
def test_a_variable_sets_its_value(variable: str, text: str, name: str, value: object) -> None:
    found = from_environment({variable: text})
    assert getattr(found, name) == value
    assert found.origin(name) == variable
    assert found.origin("target") == "default"


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TTL_ARCH", "grayskull"),
        ("TTL_GRID", "8"),
        ("TTL_GRID", "0x8"),
        ("TTL_GRID", "-1x8"),
        ("TTL_GRID", "8x8x8"),
        ("TTL_GRID", "٣x٣"),
        ("TTL_SCHEDULES", "0"),
        ("TTL_SCHEDULES", "many"),
        ("TTL_SCHEDULE_SEED", "-1"),
        ("TTL_SCHEDULE_SEED", "1" * 30),
        ("TTL_SANITIZE", "maybe"),
        ("TTL_EXECUTOR", "torch"),
        ("TTL_CORE", "numpy"),
        ("TTL_ISA", "sse2"),
        ("TTL_THREADS", "-1"),
        ("TTL_THREADS", "1025"),
        ("TTL_REPLAY", "often"),
        ("TTL_REPLAY_CHECK", "1.5"),
        ("TTL_PENDING_MB", "0"),
        ("TTL_CHECK", "sometimes"),
        ("TTL_CACHE_DIR", " "),
    ],
)
def test_a_wrong_value_names_variable_value_and_what_is_allowed(variable: str, text: str) -> None:
    with pytest.MonkeyPatch.context() as patch, Session().entered(), pytest.raises(ProgramError) as caught:
        patch.setenv(variable, text)
        settings.current()
    found = caught.value.diagnostic
    assert found.code == "TTL0101"
    assert found.message.startswith(f"{variable} is '{text}'")
    assert found.help[0].startswith(f"{variable} takes ")


@given(st.sampled_from(SETTINGS), st.text(max_size=20))
def test_any_text_is_a_value_or_an_error_of_ours(row: Setting, text: str) -> None:
    try:
        value = row.parse(text, row.env)
    except WrongValueError:
        return
    Settings(**{row.name: value})  # type: ignore[arg-type]
    assert row.type != "choice" or value in row.choices


def test_no_color_is_honoured_and_ttl_color_wins() -> None:
    assert from_environment({"NO_COLOR": "1"}).color == "off"
    assert from_environment({"NO_COLOR": "1", "TTL_COLOR": "on"}).color == "on"


def test_an_override_ends_with_its_block_even_after_an_exception() -> None:
    before = settings.current()
    with pytest.raises(ValueError), override(sanitize=True, origin="test"):
        assert settings.current().sanitize
        assert settings.current().origin("sanitize") == "test"
        raise ValueError
    assert settings.current() is before


def test_overrides_nest() -> None:
    with override(arch="blackhole"), override(schedules=3) as inner:
        assert (inner.arch, inner.schedules) == ("blackhole", 3)


def test_an_override_is_not_seen_in_another_context() -> None:
    outside = copy_context()
    with override(arch="blackhole"):
        assert outside.run(settings.current).arch == "wormhole"
        assert copy_context().run(settings.current).arch == "blackhole"


def test_an_override_refuses_what_the_table_has_not() -> None:
    with pytest.raises(KeyError), override(colour="on"):
        pass
    with pytest.raises(ProgramError, match="grayskull"), override(arch="grayskull"):
        pass
    with pytest.raises(ProgramError, match="maybe"), override(check="maybe"):
        pass


def test_the_environment_is_read_once_in_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session().entered():
        monkeypatch.setenv("TTL_ARCH", "blackhole")
        assert settings.current().arch == "blackhole"
        monkeypatch.setenv("TTL_ARCH", "nonsense")
        assert settings.current().arch == "blackhole"


def test_variables_of_the_build_and_the_benchmarks_are_known() -> None:
    assert unknown_variables({"TTL_REQUIRE_NATIVE": "1", "TTL_BENCH_PEER": "peer"}) == ()


def test_variables_that_are_no_settings() -> None:
    assert unknown_variables({"TTL_ARCH": "x", "TTL_ARHC": "y", "TTLX": "", "TTL_B": ""}) == (
        "TTL_ARHC",
        "TTL_B",
    )
