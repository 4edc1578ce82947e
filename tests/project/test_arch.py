"""Chips: every number has a source, and the settings know the same chips."""

from __future__ import annotations

from contextvars import Context
from dataclasses import fields

import pytest

from ttl import settings
from ttl.arch import CHIPS, Chip, chip, current_chip
from ttl.diag import ProgramError
from ttl.session.switches import setting

NOT_NUMBERS = {"name", "title", "sources"}


@pytest.mark.parametrize("record", CHIPS, ids=lambda record: record.name)
def test_every_number_has_a_source(record: Chip) -> None:
    assert set(record.sources) == {field.name for field in fields(Chip)} - NOT_NUMBERS
    assert all(record.sources.values())


def test_the_settings_know_the_same_chips() -> None:
    assert setting("arch").choices == tuple(record.name for record in CHIPS)


def test_appendix_e_memory_of_a_wormhole_node() -> None:
    assert chip("wormhole").l1_bytes == 1464 * 1024
    assert chip("wormhole").l1_available_bytes == 1_395_424


@pytest.mark.parametrize(("name", "grid", "buffers"), [("wormhole", (8, 8), 32), ("blackhole", (13, 10), 64)])
def test_grid_and_buffers(name: str, grid: tuple[int, int], buffers: int) -> None:
    record = chip(name)
    assert (record.grid, record.dataflow_buffers, record.nodes) == (grid, buffers, grid[0] * grid[1])


def test_an_unknown_chip() -> None:
    with pytest.raises(KeyError):
        chip("grayskull")


def test_the_current_chip_has_the_grid_of_the_settings() -> None:
    def inside() -> None:
        assert current_chip().name == "wormhole"
        with settings.override(arch="blackhole", grid=(2, 3)):
            assert (current_chip().name, current_chip().grid) == ("blackhole", (2, 3))
        assert current_chip() is chip("wormhole")

    Context().run(inside)


def test_a_grid_no_card_has_is_an_error() -> None:
    with settings.override(arch="wormhole", grid=(9, 8)), pytest.raises(ProgramError) as caught:
        current_chip()
    assert caught.value.code == "TTL0109"
    assert "9x8" in caught.value.diagnostic.message and "8x10" in caught.value.diagnostic.message
