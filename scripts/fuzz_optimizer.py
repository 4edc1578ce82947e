"""Random modules with and without the optimizer: ``python scripts/fuzz_optimizer.py --cases 500``.

Every module is compiled plainly and with each policy, and run on the simulated device: the results must be the same bits, and
nothing may be left on the device. With ``--asked`` it is compiled once, with a random policy, random overrides of what is
offered, operands that are laid out anew, and a limit of layouts; with ``--mesh`` for all chips of an n300 or of a mesh of 2x4.
Exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:1] = [str(ROOT / "src"), str(ROOT / "tests")]

import torch  # noqa: E402

from support.optimized import differences  # noqa: E402
from support.random_programs.ttir.modules import RandomModule, random_module, varied_profile  # noqa: E402
from tt_model.flatbuffer.system_desc import write_system_desc  # noqa: E402
from tt_model.layouts.known_systems import system  # noqa: E402
from ttmlir.overrides import LayoutChoice, Overrides, choices  # noqa: E402
from ttmlir.transforms.optimizer.chains import FASTEST, POLICIES  # noqa: E402

_MESHES: Mapping[str, tuple[tuple[int, ...], ...]] = {"n300": ((1, 2), (2, 1), (2, 1, 1)), "t3000": ((2, 4),)}
_NAMED = re.compile(r'^( +%\d+ = "ttir\..*)$', re.MULTILINE)
# What a user may ask for and not get.
_REFUSED = (
    "tensors and circular buffers take",
    "has no tensor as operand",
    "is an argument, which lies",
    "memreconfig-enabled=true, or no override of it",
)
_LONGEST = 2000
# Of one chip in random modules.
_COLLECTIVES = {"all_gather", "reduce_scatter"}


def with_names(text: str) -> str:
    """A module whose operations can be overridden."""
    numbers = iter(range(10**6))
    return _NAMED.sub(lambda line: f'{line[1]} loc("o{next(numbers)}")', text)


def asked_of(text: str, choice: random.Random, more: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the optimizer, at random."""
    options: dict[str, Any] = {
        "memory_layout_analysis_enabled": choice.random() < 0.8,
        "memory_layout_analysis_policy": choice.choice((*POLICIES, FASTEST)),
        "memreconfig_enabled": choice.random() < 0.8,
        "max_legal_layouts": choice.choice((1, 2, 5, 64, 64)),
    }
    path, mesh = more.get("system_desc_path"), more.get("mesh_shape", ())
    place = f"system-desc-path={path} mesh-shape={','.join(map(str, mesh))}" if path else ""
    offered = [one for one in choices(text, place) if one.name]
    share = choice.choice((0.0, 0.2, 0.6, 1.0))
    chosen = [one for one in offered if choice.random() < share]
    wanted = Overrides(
        output_layouts={one.name: choice.choice(one.candidates).override for one in chosen},
        memory_reconfigurations=dict(_operands(offered, choice)),
    )
    for word in wanted.options().split():
        name, _, value = word.partition("=")
        options[name.replace("-", "_")] = value
    return options


def _operands(offered: list[LayoutChoice], choice: random.Random) -> Iterator[tuple[str, list[int]]]:
    if choice.random() < 0.5:
        for one in offered:
            if choice.random() < 0.2:
                yield one.name, [choice.choice((0, 0, 0, 1))]


def said_of(module: RandomModule, seed: int, *, asked: bool, more: Mapping[str, Any]) -> list[str]:
    """What is otherwise with the optimizer, or how it failed."""
    try:
        if not asked:
            return list(differences(module.text, module, **more))
        text = with_names(module.text)
        return list(differences(text, module, asked_of(text, random.Random(seed), more), **more))
    except Exception as problem:  # whatever it is, it is a finding
        if asked and any(word in str(problem) for word in _REFUSED):
            return []
        return [traceback.format_exc(limit=-3)]


def main() -> int:
    parser = argparse.ArgumentParser(description="Random modules with and without the optimizer.")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--varied", action="store_true", help="all types, operations and memories")
    parser.add_argument("--asked", action="store_true", help="random policies, overrides and limits")
    parser.add_argument("--mesh", action="store_true", help="for all chips of a system of several")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in _MESHES:
            write_system_desc(f"{folder}/{name}.ttsys", system(name))
        for seed in range(arguments.start, arguments.start + arguments.cases):
            profile = varied_profile(seed) if arguments.varied else None
            more: dict[str, Any] = {}
            if arguments.mesh:
                if profile is not None:
                    profile = replace(
                        profile,
                        operations=tuple(one for one in profile.operations if one not in _COLLECTIVES),
                    )
                name = random.Random(seed).choice((*_MESHES,))
                mesh = random.Random(seed).choice(_MESHES[name])
                more = {"system_desc_path": f"{folder}/{name}.ttsys", "mesh_shape": mesh}
            module = random_module(seed, profile)
            said = said_of(module, seed, asked=arguments.asked, more=more)
            wrong += bool(said)
            for text in said:
                print(f"seed {seed}: {text[:_LONGEST]}", flush=True)
    print(f"{arguments.cases} modules, {wrong} of them otherwise with the optimizer")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
