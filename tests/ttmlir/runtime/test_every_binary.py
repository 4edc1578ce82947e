"""Every binary of the corpora of models runs strictly, and every operation agrees with its reference for the inputs it got."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
from support.every_binary import CORPORA, counted, doubts, of_text
from support.random_programs.ttir.modules import random_module, varied_profile
from ttmlir.transforms import operand_layouts

# Modules with operands in shards.
SEEDS = (1, 7, 10, 14, 27, 33)
# The fewest binaries that a corpus has.
LEAST = {"optimized": 4, "zoo": 45}


@pytest.mark.parametrize("seed", SEEDS)
def test_operands_in_shards_are_interleaved_where_no_shards_are_taken(seed: int) -> None:
    """Constraints put tensors into shards of L1 that reshapes, reductions and the like do not take."""
    for _, binary, inputs in of_text(f"random {seed}", random_module(seed, varied_profile(seed)).text):
        assert list(doubts(binary, inputs)) == []


def test_shards_that_stay_are_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count is none that cannot be other than zero."""
    monkeypatch.setattr(operand_layouts, "_wanted", lambda op, takes, value, layout: layout)
    said = [
        one
        for seed in SEEDS
        for _, binary, inputs in of_text("random", random_module(seed, varied_profile(seed)).text)
        for one in doubts(binary, inputs)
    ]
    assert any("is in shards" in one for one in said)


@pytest.mark.long
@pytest.mark.parametrize("corpus", CORPORA)
def test_every_binary(corpus: str) -> None:
    pytest.importorskip("jax")
    count, said = counted(corpus)
    print(f"{corpus}: {count} binaries, {len(said)} doubts")
    assert not said, "\n".join(said[:50])
    assert count >= LEAST.get(corpus, 1)
