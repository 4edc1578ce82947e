"""Take each synchronisation call out of each kernel of the examples, and write down what becomes of it.

    python scripts/update_mutations.py [EXAMPLE ...]

Without names, all examples, in about fifteen minutes, and the table in docs/reference/mutations.md is written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

import ttl  # noqa: E402, F401 - lets programs import ttnn
from support.kernel_mutations import SEEDS, Fate, Mutation, fate, launches, mutations  # noqa: E402
from support.mutation_page import MutationPage  # noqa: E402
from ttl.diag import ProgramError  # noqa: E402

PAGE = ROOT / "docs" / "reference" / "mutations.md"
_HEADING = f"""# Kernels without a synchronisation call

`scripts/update_mutations.py` makes this page. It takes the kernels that the compiler writes for the examples, removes one call that only synchronises, or sets a unit up,
and runs the rest on the emulated chip; it does so for each such call. Then one of four things happens:

- **reported**: the emulated chip stops with an error, in the usual schedule;
- **other results**: it reports nothing, and the tensors hold other values;
- **another schedule**: one of these two happens, but in one of {len(SEEDS)} adversarial schedules (`--emu-seed`) only;
- **no difference**: none of the schedules reports anything or has other results. Such a call can be left out of this program. Either the unit has
  this setting already, or another part of the protocol rules out what the call guards against.
"""


def main() -> int:
    """Run the script and return its exit code."""
    chosen = sys.argv[1:] or sorted(path.stem for path in (ROOT / "examples").glob("*.py"))
    page = MutationPage(_HEADING, "programs", tells_last=False)
    harmless: list[str] = []
    for name in chosen:
        for mutation, fate_of_it, code in _of(name):
            if mutation is None:
                page.whole += 1
                continue
            page.add(mutation.call, fate_of_it, code)
            if fate_of_it == "harmless":
                harmless.append(f"{name}: {mutation.kernel}.cpp:{mutation.line} {mutation.call}")
        print(f"{name}: {page.total} calls so far", flush=True)
    print("\n".join(harmless))
    print(page.text())
    if not sys.argv[1:]:
        PAGE.write_text(page.text(), encoding="utf-8")
    return 0


def _of(name: str) -> Iterator[tuple[Mutation | None, Fate, str]]:
    """What becomes of the programs of an example; first of each, with None, the program itself."""
    try:
        found = launches(str(ROOT / "examples" / f"{name}.py"))
    except ProgramError as problem:
        print(f"{name} does not run: {problem.diagnostics[0].code}")
        return
    for launch in found:
        expected = launch.results(launch.description)
        for seed in SEEDS:
            if launch.results(launch.description, seed) != expected:
                raise AssertionError(f"{name}: {launch.description.name} has other results with seed {seed}")
        yield None, "harmless", ""
        for mutation in mutations(launch.description):
            yield mutation, *fate(launch, mutation, expected)


if __name__ == "__main__":
    sys.exit(main())
