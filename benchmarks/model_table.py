"""Sixty models, compiled, run and judged by their framework: ``python benchmarks/model_table.py`` writes docs/models.md.

    python benchmarks/model_table.py --only "GPT-2, two layers" Mamba     print rows, write nothing
    python benchmarks/model_table.py --without-real                       leave out what needs the package transformers

Each model is compiled and run in a process of its own, with one thread: CPU seconds of the compile, of a run and of the
framework's, both warm and in turns. Results are compared with the framework's: floating-point numbers by Pearson's coefficient, integers and truth values
must be equal. "Strict": no operation got a layout that one on a card may refuse. "Golden": ``ttrt run --golden`` finds every
operation within its tolerance of the reference (not run for the large ones). The time on a card is an estimate.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "models.md"
sys.path[:1] = [str(ROOT / "benchmarks"), str(ROOT / "src")]

from zoo import ENTRIES, FAMILIES, Entry

SECONDS = 1200
ROUNDS, ROUND_SECONDS = 7, 0.02
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What came of a model; ``refused`` says why there is nothing else."""

    operations: int = 0
    compiled: float = 0.0
    run: float = 0.0
    framework: float = 0.0
    correlation: float | None = None
    integers: bool | None = None
    strict: bool = False
    golden: bool | None = None
    estimated: float = 0.0
    refused: str = ""


def measured(entry: Entry) -> Row:
    """Compile a model, run it, and compare."""
    import ttmlir

    model, inputs = entry.make()
    try:
        compiled, seconds = _timed(lambda: _compiled(entry, model, inputs))
    except ttmlir.CompileError as problem:
        return Row(refused=" ".join(str(problem).replace(f"{ROOT}/", "").split())[:300])
    compiled.run(*inputs)
    results = compiled.run(*inputs)
    expected = _framework(entry, model)
    wanted = expected(*inputs)
    run, framework = _in_turns(lambda: compiled.run(*inputs), lambda: expected(*inputs))
    correlation, integers = _compared(entry, wanted, results)
    on_device = [cost for cost in compiled.estimates() if not cost.on_host]
    return Row(
        operations=len(on_device),
        compiled=seconds,
        run=run,
        framework=framework,
        correlation=correlation,
        integers=integers,
        strict=not compiled.report.warnings,
        golden=None if entry.is_real else _golden(entry, compiled, inputs),
        estimated=sum(cost.nanoseconds(cost.cycles) for cost in on_device) / 1e6,
    )


def _compiled(entry: Entry, model: Any, inputs: tuple[Any, ...]) -> Any:
    import ttmlir

    if entry.road == "JAX":
        import ttmlir.jax

        return ttmlir.jax.compile(model, *inputs)
    return ttmlir.compile(model, *inputs)


def _framework(entry: Entry, model: Any) -> Callable[..., Any]:
    """The model as its framework runs it."""
    if entry.road == "JAX":
        import jax

        compiled = jax.jit(model)
        return lambda *inputs: jax.block_until_ready(compiled(*inputs))
    import torch

    return torch.no_grad()(model.__call__)


def _in_turns(ours: Callable[[], Any], framework: Callable[[], Any]) -> tuple[float, float]:
    """CPU seconds of a run of each, warm: medians of rounds in turns, of so many runs that a round is no matter of chance."""
    for work in (ours, framework):
        work()
    counts = [max(1, min(100, int(ROUND_SECONDS / max(1e-6, _timed(work)[1])))) for work in (ours, framework)]
    rounds = [
        [
            _timed(lambda: [work() for _ in range(count)])[1] / count
            for work, count in zip((ours, framework), counts)
        ]
        for _ in range(ROUNDS)
    ]
    here, there = (statistics.median(one) for one in zip(*rounds, strict=True))
    return here, there


def _compared(entry: Entry, wanted: Any, results: Any) -> tuple[float | None, bool | None]:
    """The least correlation of results of floating-point numbers, and whether all others are equal; None where there are none."""
    import numpy as np

    correlation: float | None = None
    integers: bool | None = None
    for one, other in zip(_leaves(entry, wanted), _leaves(entry, results), strict=True):
        expected, given = np.asarray(one), np.asarray(other)
        assert expected.shape == given.shape, (expected.shape, given.shape)
        if expected.dtype.kind != "f":
            integers = bool((expected == given).all()) and integers is not False
            continue
        if not np.isfinite(given).all():
            return float("nan"), integers
        if expected.size < 2 or np.ptp(expected) == 0 or np.ptp(given) == 0:
            here = float(np.allclose(given, expected, rtol=1e-2, atol=1e-5))
        else:
            here = float(np.corrcoef(expected.ravel().astype(float), given.ravel().astype(float))[0, 1])
        correlation = here if correlation is None else min(correlation, here)
    return correlation, integers


def _leaves(entry: Entry, value: Any) -> list[Any]:
    if entry.road == "JAX":
        import jax

        return list(jax.tree.leaves(value))
    import torch

    return [leaf.detach() for leaf in torch.utils._pytree.tree_leaves(value) if leaf is not None]


def _golden(entry: Entry, compiled: Any, inputs: tuple[Any, ...]) -> bool:
    """Whether ``ttrt run --golden --strict`` passes, on the model's own weights and inputs."""
    import numpy as np

    if entry.road == "JAX":
        given = {f"input_{place}": np.asarray(leaf) for place, leaf in enumerate(_leaves(entry, inputs))}
    else:
        pairs = zip(compiled.arguments, compiled.program_inputs(*inputs), strict=True)
        given = {one.name: _array(tensor) for one, tensor in pairs if one.kind != "constant"}
    with tempfile.TemporaryDirectory() as folder:
        compiled.save(path := Path(folder, "model.ttnn"))
        for name, array in given.items():
            np.save(Path(folder, f"{name}.npy"), array)
        command = [sys.executable, "-m", "ttrt", "run", str(path), "--golden", "--strict", "--inputs", folder]
        done = subprocess.run(
            command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        print(done.stderr[-400:], file=sys.stderr)
    return done.returncode == 0


def _array(tensor: Any) -> Any:
    """A tensor of torch as an array; NumPy has no bfloat16."""
    import torch

    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **_ONE_THREAD, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}


def row_of(entry: Entry) -> Row:
    """A model's row, from a process of its own."""
    command = [sys.executable, __file__, "--measure", entry.name]
    try:
        done = subprocess.run(
            command, env=_environment(), capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Row(refused=f"not ended after {SECONDS} s")
    if done.returncode != 0:
        return Row(refused=f"**a defect**: {(done.stderr.strip().splitlines() or ['no word'])[-1][:300]}")
    return Row(**json.loads(done.stdout.splitlines()[-1]))


HEADER = (
    "| model | road | operations | compile, s | run, ms | of the framework | correlation | integers | strict | golden | on a card, ms |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- | --- | ---: |"
)


def line(entry: Entry, row: Row) -> str:
    """A row of the table."""
    name = f"**{entry.name}**" if entry.is_real else entry.name
    if row.refused:
        return f"| {name} | {entry.road} | refused: {row.refused.replace('|', '/')} |" + " |" * 8
    ratio = row.run / row.framework if row.framework > 0 else 0.0
    correlation = "" if row.correlation is None else f"{row.correlation:.6f}"
    words = {True: "yes", False: "**no**", None: ""}
    cells = [
        name, entry.road, str(row.operations), f"{row.compiled:.2f}", f"{row.run * 1e3:.3g}", f"{ratio:.1f} x",
        correlation, {True: "equal", False: "**differ**", None: ""}[row.integers], words[row.strict],
        words[row.golden], f"{row.estimated:.3f}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def page(rows: list[tuple[Entry, Row]]) -> str:
    """The page of the documentation."""
    right = sum(not row.refused for _, row in rows)
    real = sum(entry.is_real and not row.refused for entry, row in rows)
    parts = [
        "# Models\n",
        f"{len(rows)} models of PyTorch and JAX, {right} of which compile, run, and give what their framework gives; {real} have the "
        "configuration under which they were published (bold, random weights), the others are small. "
        "`python benchmarks/model_table.py` writes this page; ten of the models run in `make test`.\n",
        '"Compile" and "run" are CPU time of one thread, of a process of its own, on '
        f'{_processor()}; "of the framework" is the run\'s time over that of PyTorch eager, or of JAX compiled, both warm: small models show how '
        "many operations one of the framework becomes (a normalisation becomes nine), not arithmetic. Correlation is Pearson's, the least of a model's results of floating-point "
        'numbers; integers and truth values must be equal. "Strict": no operation gets a layout that one on a card may refuse. '
        '"Golden": every operation agrees with its reference in `ttrt run --golden`; large models are not judged so. '
        "The time on a card is an [estimate](ttmlir/estimates.md), without transfers of inputs and weights.\n",
    ]
    for family in FAMILIES:
        chosen = [(entry, row) for entry, row in rows if entry.family == family]
        if chosen:
            parts += [f"## {family[0].upper()}{family[1:]}\n", HEADER, *(line(*pair) for pair in chosen), ""]
    return "\n".join(parts)


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(text.partition(":")[2].strip() for text in file if text.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description="Sixty models, compiled, run and judged by their framework.")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="TEXT", help="models whose names have one of these"
    )
    parser.add_argument("--without-real", action="store_true", help="leave out what needs transformers")
    parser.add_argument("--measure", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        warnings.simplefilter("ignore")
        entry = next(entry for entry in ENTRIES if entry.name == options.measure)
        print(json.dumps(asdict(measured(entry))))
        return 0
    chosen = [
        entry
        for entry in ENTRIES
        if not (options.without_real and entry.is_real)
        and (not options.only or any(text.lower() in entry.name.lower() for text in options.only))
    ]
    if not chosen:
        parser.error(f"no model has {' or '.join(options.only)} in its name")
    rows = []
    for entry in chosen:
        rows.append((entry, row_of(entry)))
        print(line(*rows[-1]), flush=True)
    if not options.only and not options.without_real:
        PAGE.write_text(page(rows), encoding="utf-8")
    return int(any(_is_wrong(entry, row) for entry, row in rows))


def _is_wrong(entry: Entry, row: Row) -> bool:
    if row.refused:
        return "defect" in row.refused
    return (
        (row.correlation is not None and not row.correlation >= entry.least)
        or row.integers is False
        or not row.strict
        or row.golden is False
    )


if __name__ == "__main__":
    raise SystemExit(main())
