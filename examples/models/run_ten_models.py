"""Compile the ten models of ``ten_models.py`` at the size of a layer, run them on a simulated chip, and compare with PyTorch.

    python examples/models/run_ten_models.py [--small] [--dtype float32] [MODEL...]

The time on the chip is an estimate (docs/ttmlir/estimates.md): operations on the device, without the transfers of inputs and
weights, which happen once. Ends with 1 where a result correlates less than 0.99 with PyTorch's.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import torch
from ten_models import MODELS, example

import ttmlir

LEAST = 0.99
HEADER = f"{'model':<10}{'operations':>11}{'compiled in':>13}{'run in':>9}{'PCC':>11}{'on the chip':>14}{'most of it':>26}"


def correlation(wanted: torch.Tensor, got: torch.Tensor) -> float:
    """Pearson's coefficient of two tensors."""
    both = torch.stack([wanted.double().flatten(), got.double().flatten()])
    return float(torch.corrcoef(both)[0, 1])


def row(name: str, *, real: bool, dtype: torch.dtype) -> tuple[str, float]:
    """A line of the table, and the least correlation of the model's results."""
    one = example(name, real=real, dtype=dtype)
    started = time.perf_counter()
    model = ttmlir.compile(one.module, *one.inputs)
    compiled = time.perf_counter() - started
    started = time.perf_counter()
    got = model.run(*one.inputs)
    taken = time.perf_counter() - started
    with torch.no_grad():
        wanted = one.module(*one.inputs)
    pairs = zip(torch.utils._pytree.tree_leaves(wanted), torch.utils._pytree.tree_leaves(got), strict=True)
    least = min(correlation(*pair) for pair in pairs)
    on_chip = [cost for cost in model.estimates() if not cost.on_host]
    nanoseconds = sum(cost.nanoseconds(cost.cycles) for cost in on_chip)
    slowest = longest(on_chip)
    return (
        f"{name:<10}{len(on_chip):>11}{compiled:>11.2f} s{taken:>7.2f} s{least:>11.6f}{nanoseconds / 1e6:>11.3f} ms{slowest:>26}",
        least,
    )


def longest(costs: list[Any]) -> str:
    """The kind of operation that takes most of the time, and how much."""
    by_kind: dict[str, int] = {}
    for cost in costs:
        by_kind[cost.operation] = by_kind.get(cost.operation, 0) + cost.cycles
    kind = max(by_kind, key=lambda one: by_kind[one])
    return f"{kind} {by_kind[kind] / sum(by_kind.values()):.0%}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Ten models of PyTorch on a simulated chip.")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; all without any")
    parser.add_argument("--small", action="store_true", help="at the size that the tests have")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    options = parser.parse_args()
    unknown = set(options.models) - set(MODELS)
    if unknown:
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    print(HEADER)
    worst = 1.0
    for name in options.models or MODELS:
        line, least = row(name, real=not options.small, dtype=getattr(torch, options.dtype))
        print(line, flush=True)
        worst = min(worst, least)
    if worst < LEAST:
        print(f"a result correlates {worst:.4f} with PyTorch's, less than {LEAST}")
    return int(worst < LEAST)


if __name__ == "__main__":
    raise SystemExit(main())
