"""Random modules are valid, can be written and read back, have a value, and are the same for the same seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from support.random_programs.ttir.modules import CONSTRAINTS, Profile, random_module
from support.random_programs.ttir.operations import OPERATIONS
from support.same_values import Changed, compare, outputs, read
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify

COUNT = 60


@pytest.mark.parametrize("seed", range(COUNT))
def test_a_module_is_valid_and_has_a_value_also_read_back(seed: int) -> None:
    random = random_module(seed)
    _, module = read(random.text)
    assert verify(module) == []
    text = print_module(module)
    _, again = read(text)
    assert print_module(again) == text
    compare(outputs(module, random), outputs(again, random), "read back")


def test_a_seed_is_a_module() -> None:
    assert random_module(7).text == random_module(7).text
    assert random_module(7).text != random_module(8).text
    for first, second in zip(
        random_module(7).inputs("forward"), random_module(7).inputs("forward"), strict=True
    ):
        np.testing.assert_array_equal(first, second)


def test_every_operation_and_constraint_occurs() -> None:
    names: Counter[str] = Counter()
    text = ""
    for seed in range(400):
        random = random_module(seed)
        text += random.text
        names.update(
            line.split('"ttir.')[1].split('"')[0] for line in random.text.splitlines() if '"ttir.' in line
        )
    assert set(OPERATIONS) - set(names) == set()
    assert all(f"[#{constraint}" in text for constraint in CONSTRAINTS)
    assert "call @" in text
    assert "@backward" in text


def test_a_profile_restricts_operations_and_constraints() -> None:
    text = random_module(3, Profile(operations=("relu",), constraint="any_device_tile", functions=0)).text
    assert '"ttir.relu"' in text
    assert "#any_device_tile, #any_device_tile" in text
    assert '"ttir.add"' not in text


def test_a_destination_may_be_shared() -> None:
    profile = Profile(
        operations=("relu", "abs", "neg"), functions=0, length=(12, 12), share_destinations=True
    )
    assert any(
        random_module(seed, profile).text.count("tensor.empty")
        < random_module(seed, profile).text.count('"ttir.')
        for seed in range(10)
    )


def test_a_difference_is_seen() -> None:
    """The comparison itself: another operation, another operand, other attributes."""
    random = next(
        random
        for seed in range(100)
        if '"ttir.subtract"' in (random := random_module(seed, Profile(operations=("subtract",)))).text
    )
    _, module = read(random.text)
    _, other = read(random.text.replace("ttir.subtract", "ttir.add"))
    with pytest.raises(Changed, match="output 0 of 'forward' differs in"):
        compare(outputs(module, random), outputs(other, random), "changed")
