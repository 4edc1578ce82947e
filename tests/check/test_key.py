"""Keys of specialisations: two calls have one key only if the operation can see the same."""

from __future__ import annotations

import types

import pytest

import ttl
from ttl.lang.captured import specialisation_key

settings_module = types.ModuleType("mine")
settings_module.__dict__.update(__file__="/somewhere/mine.py", LIMIT=3, UNUSED=1)


class Sizes:
    ROWS = 4

    @property
    def rows(self) -> int:
        return self.ROWS


@ttl.operation(grid=(1, 1))
def operation() -> None:
    print(Sizes.ROWS, settings_module.LIMIT, Sizes)


@pytest.mark.parametrize(("owner", "name"), [(Sizes, "ROWS"), (settings_module, "LIMIT")])
def test_a_constant_of_a_class_or_module_that_changes_gives_another_key(
    owner: object, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = specialisation_key(operation, (), {}, "wormhole")
    assert before is not None and specialisation_key(operation, (), {}, "wormhole") == before
    monkeypatch.setattr(owner, name, 99)
    assert specialisation_key(operation, (), {}, "wormhole") not in (None, before)


def test_what_the_code_does_not_name_is_not_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = specialisation_key(operation, (), {}, "wormhole")
    monkeypatch.setattr(settings_module, "UNUSED", 2)
    assert specialisation_key(operation, (), {}, "wormhole") == before
