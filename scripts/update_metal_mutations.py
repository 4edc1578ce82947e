"""Take each synchronisation call out of each kernel of TTMetal, and write down what becomes of it.

    python scripts/update_metal_mutations.py

The modules are those of tests/ttmlir/emitc/golden and random ones; the table in docs/ttmlir/mutations.md is written, in about ten
minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

from support.kernel_mutations import SEEDS  # noqa: E402
from support.metal_golden import MODULES  # noqa: E402
from support.metal_mutations import MetalLaunch  # noqa: E402
from support.mutation_page import MutationPage  # noqa: E402
from support.random_programs.ttir.metal_modules import random_metal_module  # noqa: E402

PAGE = ROOT / "docs" / "ttmlir" / "mutations.md"
RANDOM = 16
_HEADING = f"""# Kernels of TTMetal without a synchronisation call

`scripts/update_metal_mutations.py` makes this page. It takes the [kernels](cpp.md) of {RANDOM} random modules and of those of `tests/ttmlir/emitc/golden`, removes one call that
only synchronises, or sets a unit up, and runs the rest on the emulated chip, as for [kernels of TT-Lang](../reference/mutations.md); it does so for each such call. Then one of four
things happens:

- **reported**: the emulated chip stops with an error, in the usual schedule;
- **other results**: it reports nothing, and the tensors hold other values;
- **another schedule**: one of these two happens, but in one of {len(SEEDS)} adversarial schedules only;
- **no difference**: none of the schedules reports anything or has other results. Of these, **the last** are calls after which the kernel does not use their buffer or
  their unit again: each dispatch sets buffers and units up again, so they guard nothing. The others give a unit the setting that it has already, reserve a page of a buffer that only
  this kernel uses, or move on among pages that hold the same numbers.
"""


def main() -> int:
    """Run the script and return its exit code."""
    page = MutationPage(_HEADING, "modules", tells_last=True)
    for name, text in _modules():
        launch = MetalLaunch(text)
        expected = launch.results(launch.program)
        for seed in SEEDS:
            if launch.results(launch.program, seed) != expected:
                raise AssertionError(f"{name} has other results with seed {seed}")
        page.whole += 1
        for mutation in launch.mutations():
            fate, code = launch.fate(mutation, expected)
            page.add(mutation.call, fate, code, is_the_last=mutation.is_the_last)
            if fate == "harmless" and not mutation.is_the_last:
                print(f"{name}: {mutation.place}: {mutation.call}", flush=True)
        print(f"{name}: {page.total} calls so far", flush=True)
    PAGE.write_text(page.text(), encoding="utf-8")
    return 0


def _modules() -> Iterator[tuple[str, str]]:
    for name, path in MODULES.items():
        yield name, path.read_text(encoding="utf-8")
    for seed in range(RANDOM):
        yield f"random {seed}", random_metal_module(seed).text


if __name__ == "__main__":
    sys.exit(main())
