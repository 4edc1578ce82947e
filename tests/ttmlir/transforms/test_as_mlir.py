"""``canonicalize``, ``cse``, ``inline`` and ``symbol-dce`` do what LLVM's ``mlir-opt`` does, locations included.

The modules are of operations that both know: constants, arithmetic that nobody folds, empty tensors, calls.
"""

from __future__ import annotations

import io
import random
import shutil
import subprocess

import pytest

from ttmlir.opt.main import TTMLIR_OPT

MLIR_OPT = next(
    (path for name in ("mlir-opt-19", "/usr/lib/llvm-19/bin/mlir-opt") if (path := shutil.which(name))), None
)
T = "tensor<4xf32>"
PASSES = ("canonicalize", "cse", "inline", "symbol-dce")


def module(seed: int, name: str) -> str:
    """Functions that call those before them, with constants that repeat and tensors that nobody uses.

    For ``inline``, the last one calls every private one: of a private function that only another unused one calls,
    ``mlir-opt`` leaves the body, and we do not.
    """
    rng = random.Random(seed)
    text: list[str] = []
    private: list[int] = []
    count = rng.randrange(1, 5)
    for index in range(count):
        values = ["%a", "%b"]
        lines: list[str] = []
        for step in range(rng.randrange(2, 14)):
            name, place = f"%v{step}", f'loc("f{index}s{step}")'
            match rng.randrange(5 if index else 4):
                case 0:
                    lines.append(f"{name} = tensor.empty() : {T} {place}")
                case 1 | 2:
                    number = rng.randrange(4)
                    lines.append(f"{name} = arith.constant dense<{number}.0> : {T} {place}")
                case 3:
                    first, second = (rng.choice(values) for _ in range(2))
                    lines.append(f"{name} = math.fma {first}, {second}, {second} : {T} {place}")
                case _:
                    first, second = (rng.choice(values) for _ in range(2))
                    callee = rng.randrange(index)
                    lines.append(f"{name} = call @f{callee}({first}, {second}) : ({T}, {T}) -> {T} {place}")
            values.append(name)
        visibility = rng.choice(["", "private "]) if index < count - 1 else ""
        if visibility:
            private.append(index)
        elif index == count - 1 and name == "inline":
            lines += [
                f'%c{callee} = call @f{callee}(%a, %b) : ({T}, {T}) -> {T} loc("c{callee}")'
                for callee in private
            ]
        text.append(f"func.func {visibility}@f{index}(%a: {T}, %b: {T}) -> {T} {{")
        text += [f"  {line}" for line in lines]
        text.append(f'  return {rng.choice(values)} : {T} loc("r{index}")\n}}')
    return "\n".join(text) + "\n"


def ours(name: str, text: str) -> str:
    output, errors = io.StringIO(), io.StringIO()
    arguments = [f"--{name}", "--mlir-print-debuginfo", "--split-input-file", "-"]
    assert TTMLIR_OPT.run(arguments, io.StringIO(text), output, errors) == 0, errors.getvalue()
    return output.getvalue()


def read_by_mlir(text: str, *flags: str) -> list[str]:
    """Texts as ``mlir-opt`` prints them; places in files, which are not those of the same text, are left out."""
    assert MLIR_OPT is not None
    command = [
        MLIR_OPT,
        *flags,
        "--split-input-file",
        "--mlir-print-debuginfo",
        "--mlir-print-local-scope",
    ]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "<stdin>" not in line and '"-":' not in line]
    return "\n".join(lines).split("// -----")


@pytest.mark.one_of(2)
@pytest.mark.skipif(MLIR_OPT is None, reason="LLVM's mlir-opt is not installed")
@pytest.mark.parametrize("name", PASSES)
def test_random_modules_become_what_mlir_makes_of_them(name: str) -> None:
    texts = [module(seed, name) for seed in range(60)]
    text = "// -----\n".join(texts)
    before, theirs = read_by_mlir(text), read_by_mlir(text, f"--{name}")
    for seed, (expected, actual) in enumerate(zip(theirs, read_by_mlir(ours(name, text)), strict=True)):
        assert actual == expected, f"seed {seed}\n{texts[seed]}"
    changed = sum(one != other for one, other in zip(before, theirs, strict=True))
    assert changed > 10, "the modules ask nothing of the pass"
