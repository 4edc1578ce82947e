"""The ten models of ``examples/models``, operation by operation, without the optimizer and with it: estimated cycles, and those of
our kernels on the emulated chip where there is one.

    python scripts/emulate_models.py                   write docs/ttmlir/optimizer-measured.md, in some minutes
    python scripts/emulate_models.py gpt vit --policy DFSharding
                                                       print the tables of some models
    python scripts/emulate_models.py gpt --real        at the size of a layer of a real model

Cycles are those of the chip; what the host does is the same with and without. ``--check`` changes nothing and fails where the
page is stale.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ttmlir" / "optimizer-measured.md"
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "examples" / "models")]

import ten_models  # noqa: E402
import torch  # noqa: E402

import ttmlir  # noqa: E402
from tt_model.binaries.estimate import Estimate, estimates  # noqa: E402
from tt_model.layouts.known_systems import default_system  # noqa: E402
from tt_model.runtime.tensors import TensorDescription  # noqa: E402
from ttmlir.transforms.optimizer.chains import FASTEST, POLICIES  # noqa: E402
from ttrt.common.kernel_cycles import emulated_operation  # noqa: E402

# Larger operations are not emulated: this many estimated cycles are about a second.
_MOST = 400_000
_HEAD = (
    "| operation | shape | without | with | estimated without | emulated without | estimated with | emulated with |\n"
    "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |\n"
)
_SHARDS = {"HeightSharded": "height", "WidthSharded": "width", "BlockSharded": "block"}


@dataclass(frozen=True, slots=True)
class Ran:
    """An operation of a model: its estimate, and cycles of our kernel on the emulated chip, or of what there is none."""

    estimate: Estimate
    emulated: int | str

    @property
    def layout(self) -> str:
        """Where the result lies."""
        return _layout(self.estimate.outputs[0]) if self.estimate.outputs else ""

    @property
    def shape(self) -> str:
        return "x".join(map(str, self.estimate.outputs[0].shape)) if self.estimate.outputs else ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A model without the optimizer and with it, operation by operation; None where it is in one of the two only."""

    name: str
    pairs: tuple[tuple[Ran | None, Ran | None], ...]

    def total(self, side: int) -> int:
        """Estimated cycles."""
        return sum(ran.estimate.cycles for ran in self._of(side))

    def both(self, side: int) -> tuple[int, int]:
        """Of the operations that have kernels on both sides, or are on one only: estimated and emulated cycles."""
        kept = [
            pair[side]
            for pair in self.pairs
            if all(ran is None or isinstance(ran.emulated, int) for ran in pair)
        ]
        ran = [one for one in kept if one is not None]
        emulated = [one.emulated for one in ran if isinstance(one.emulated, int)]
        return sum(one.estimate.cycles for one in ran), sum(emulated)

    def _of(self, side: int) -> Iterator[Ran]:
        return (pair[side] for pair in self.pairs if pair[side] is not None)  # type: ignore[misc]


def _layout(tensor: TensorDescription) -> str:
    if tensor.config is None:
        return "host"
    memory = tensor.config.buffer_type.name
    shards = _SHARDS.get(tensor.config.memory_layout.name)
    return memory if shards is None else f"{memory}, {shards} {tensor.cores[0]}x{tensor.cores[1]}"


def ran(module: Any, inputs: Sequence[Any], options: str) -> list[Ran]:
    """The operations of a model that the chip runs."""
    chip = default_system().first_chip
    return [
        Ran(one, "too large" if one.cycles > _MOST else emulated_operation(one, program, chip))
        for program in ttmlir.compile(module, *inputs, options=options).binary.programs
        for one in estimates(program, chip)
        if not one.on_host
    ]


def measured(name: str, policy: str, *, real: bool) -> Measured:
    """A model without the optimizer and with a policy."""
    example = ten_models.example(name, real=real, dtype=torch.bfloat16)
    options = (
        f"enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy={policy}"
    )
    before, after = (ran(example.module, example.inputs, one) for one in ("", options))
    return Measured(name, tuple(_paired(before, after)))


def _paired(before: list[Ran], after: list[Ran]) -> Iterator[tuple[Ran | None, Ran | None]]:
    """Operations of the same kind, place and shape beside each other, in the order without the optimizer."""
    waiting: defaultdict[tuple[str, str, str], list[Ran]] = defaultdict(list)
    for one in reversed(after):
        waiting[_key(one)].append(one)
    for one in before:
        same = waiting[_key(one)]
        yield one, same.pop() if same else None
    yield from ((None, one) for left in waiting.values() for one in reversed(left))


def _key(one: Ran) -> tuple[str, str, str]:
    return one.estimate.operation, one.estimate.location, one.shape


# Tables


def operations_table(model: Measured) -> str:
    """A row for each operation."""
    lines = []
    for before, after in model.pairs:
        one = before or after
        assert one is not None
        cells = [one.estimate.operation, one.shape]
        cells += ["-" if side is None else side.layout for side in (before, after)]
        for side in (before, after):
            cells += ["-", "-"] if side is None else [f"{side.estimate.cycles:,}", _emulated(side)]
        lines.append(f"| {' | '.join(cells)} |")
    return _HEAD + "\n".join(lines) + "\n"


def _emulated(one: Ran) -> str:
    return f"{one.emulated:,}" if isinstance(one.emulated, int) else ""


def totals_table(models: Sequence[Measured]) -> str:
    """A row for each model."""
    head = (
        "| model, bf16 | operations | with kernels | estimated: without, with | of these: estimated | emulated | gain: estimated | emulated |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    )
    lines = []
    for model in models:
        (estimated, emulated), (estimated_after, emulated_after) = (model.both(side) for side in (0, 1))
        sides = [one for pair in model.pairs for one in pair if one is not None]
        kernels = sum(isinstance(one.emulated, int) for one in sides)
        lines.append(
            f"| {model.name} | {len(sides)} | {kernels} | {model.total(0):,}, {model.total(1):,} | {estimated:,}, {estimated_after:,} | "
            f"{emulated:,}, {emulated_after:,} | {_share(estimated_after, estimated)} | {_share(emulated_after, emulated)} |"
        )
    return head + "\n".join(lines) + "\n"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""


def kinds_table(models: Sequence[Measured]) -> str:
    """A row for each kind of operation: the estimate in parts of the emulated cycles."""
    by_kind: defaultdict[str, dict[object, tuple[int, int]]] = defaultdict(dict)
    for model in models:
        for one in (one for pair in model.pairs for one in pair if one is not None):
            if isinstance(one.emulated, int):
                tensors = (*one.estimate.inputs, *one.estimate.outputs)
                key = tuple((of.shape, of.data_type, of.tiled, of.config, of.cores) for of in tensors)
                by_kind[one.estimate.operation][key] = (one.estimate.cycles, one.emulated)
    lines = [_kind_row(kind, list(of.values())) for kind, of in sorted(by_kind.items())]
    together = [pair for of in by_kind.values() for pair in of.values()]
    head = (
        "| operation | different calls | estimate of emulated: least | median | most |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
    )
    correlation = _correlation(together)
    return (
        head
        + "\n".join([*lines, _kind_row("**all**", together)])
        + f"\n\nThe logarithms of estimated and emulated cycles correlate by {correlation:.3f}.\n"
    )


def _kind_row(kind: str, pairs: Sequence[tuple[int, int]]) -> str:
    shares = [estimated / emulated for estimated, emulated in pairs]
    texts = (f"{100 * share:.0f} %" for share in (min(shares), statistics.median(shares), max(shares)))
    return f"| {kind} | {len(pairs)} | {' | '.join(texts)} |"


def _correlation(pairs: Sequence[tuple[int, int]]) -> float:
    logs = [(math.log(estimated), math.log(emulated)) for estimated, emulated in pairs]
    return statistics.correlation([one for one, _ in logs], [other for _, other in logs])


def without_kernels(models: Sequence[Measured]) -> str:
    """What has no kernel, with its share of the estimated cycles without the optimizer."""
    cycles: defaultdict[str, int] = defaultdict(int)
    everything = 0
    for model in models:
        for before, _ in model.pairs:
            if before is None:
                continue
            everything += before.estimate.cycles
            if isinstance(before.emulated, str):
                kind, reason = before.estimate.operation, before.emulated
                cycles[kind if kind.startswith(reason) else f"{kind}: {reason}"] += before.estimate.cycles
    lines = [
        f"| {what} | {100 * taken / everything:.1f} % |"
        for what, taken in sorted(cycles.items(), key=lambda one: -one[1])
    ]
    return "| no kernel of ours | of the estimated cycles |\n| --- | ---: |\n" + "\n".join(lines) + "\n"


def page(models: Sequence[Measured], real: Sequence[Measured], text: str) -> str:
    """The page with the tables of now between its marks: of small models, and of layers of real ones."""
    parts: Mapping[str, str] = {
        "totals": totals_table(models),
        "real": totals_table(real),
        "kinds": kinds_table([*models, *real]),
        "others": without_kernels(real),
        "operations": "\n".join(f"### {model.name}\n\n{operations_table(model)}" for model in models),
    }
    for name, part in parts.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{part}\n{end}{after}"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", help="print the tables of these")
    parser.add_argument("--policy", choices=[*POLICIES, FASTEST], default=FASTEST)
    parser.add_argument("--real", action="store_true", help="at the size of a layer of a real model")
    parser.add_argument("--check", action="store_true", help="change nothing, fail where the page is stale")
    arguments = parser.parse_args()
    names = arguments.models or list(ten_models.MODELS)
    models = [measured(name, arguments.policy, real=arguments.real) for name in names]
    if arguments.models or arguments.real or arguments.policy != FASTEST:
        for model in models:
            print(f"{model.name}\n\n{operations_table(model)}")
        print(totals_table(models), kinds_table(models), without_kernels(models), sep="\n")
        return 0
    text = PAGE.read_text(encoding="utf-8")
    new = page(models, [measured(name, FASTEST, real=True) for name in names], text)
    if new != text and arguments.check:
        print(f"{PAGE.relative_to(ROOT)} is stale: run scripts/emulate_models.py")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
