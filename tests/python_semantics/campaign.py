"""Many programs of seeds, judged: by the reader, and those of a share, or all, on the emulated chip as well."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from python_semantics.chip import on_the_chip
from python_semantics.judge import Judgement, judged
from python_semantics.worker import Worker
from support.random_programs.python.shrinking import generated, smallest

TOGETHER = 25
"""Programs that are compiled as one operation."""


def campaign(seeds: Sequence[int], *, share: int, without: Collection[str] = ()) -> Iterator[Judgement]:
    """What becomes of the programs of seeds. One of ``share`` is checked and runs on the chip; 0 for none.

    Judgements have no modules: a hundred thousand are kept.
    """
    worker = Worker()
    waiting: list[Judgement] = []
    try:
        for seed in seeds:
            on_chip = share > 0 and seed % share == 0
            judgement = judged(generated(seed, without), checked=on_chip)
            if on_chip and judgement.verdict == "right":
                waiting.append(judgement)
            else:
                yield _light(judgement)
            if len(waiting) == TOGETHER:
                yield from map(_light, on_the_chip(waiting, worker))
                waiting.clear()
        yield from map(_light, on_the_chip(waiting, worker))
    finally:
        worker.close()


def _light(judgement: Judgement) -> Judgement:
    return replace(judgement, module=None, expected=None)


def shrunk(judgement: Judgement, attempts: int = 400, without: Collection[str] = ()) -> Judgement:
    """The judgement of the smallest program that has the same fault as one of a seed."""
    seed = int(judgement.program.name.removeprefix("seed_"))
    worker = Worker()
    needs_chip = not judged(judgement.program).is_wrong

    def again(program: Judgement) -> Judgement:
        return on_the_chip([program], worker)[0] if needs_chip else program

    try:
        best = smallest(seed, lambda one: again(judged(one)).kind == judgement.kind, attempts, without)
        return _light(again(judged(best)))
    finally:
        worker.close()
