"""The rows of the benchmark: which program, of which size, and what the project asked for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What is asked for, on one thread: times as ratios to torch's or in milliseconds."""

    ratio: float | None = None
    replay_ratio: float | None = None
    ms: float | None = None
    first_ratio: float | None = 4.0
    """Of a first launch, with nothing recorded, to a replay."""
    replay_ms: float | None = None
    speedup: float | None = None
    """Wall-clock time on one thread by that on two."""
    known_gaps: dict[str, str] = field(default_factory=dict)
    """Targets known to be missed, and why; performance.md has the whole story, and a test that it is still so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One row. ``parameters`` are those of the program's ``prepare``."""

    label: str
    program: str
    parameters: dict[str, Any]
    asked: Asked = field(default_factory=Asked)
    rounds: int | None = None
    """Instead of those asked for on the command line, where one launch takes long."""
    operations: float | None = None
    """Of the product of matrices that it computes, if it computes little else."""

    @property
    def path(self) -> Path:
        """The file of the program."""
        return PROGRAMS / f"{self.program}.py"

    def to_object(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)


GRID = (8, 8)
ONE, FOUR, EIGHT = (1, 1, 1), (4, 4, 4), (8, 4, 8)


def cases(*, quick: bool) -> list[Case]:
    """All rows, in the order of the table. ``quick``: the programs once each, small, nothing asked for."""
    return _quick() if quick else [*_elementwise(), *_matmuls(), *_rows(), *_large(), *_whole()]


def _elementwise() -> list[Case]:
    asked = {1: 8.0, 2: 4.0, 4: 2.5}
    return [
        Case(
            label="one tile per node, 8x8",
            program="one_tile",
            parameters={"grid": GRID},
            asked=Asked(ms=0.5, replay_ms=0.1),
        ),
        *(
            Case(
                label=f"eltwise a*b+c 2048, {block}x{block}",
                program="eltwise",
                parameters={"rows": 2048, "cols": 2048, "grid": GRID, "block": block},
                asked=Asked(ratio=ratio, replay_ratio=2.0),
            )
            for block, ratio in asked.items()
        ),
        Case(label="ragged a*b+c 2048, 1x1", program="ragged", parameters={"grid": GRID}),
    ]


def _matmuls() -> list[Case]:
    most = 1.05  # of a replayed product, on every processor
    return [
        _matmul(1024, ONE, Asked(ratio=6.0, replay_ratio=most)),
        _matmul(1024, FOUR, Asked(ratio=1.3, replay_ratio=most)),
        _matmul(1024, EIGHT, Asked(replay_ratio=most)),
        _matmul(2048, ONE, Asked(replay_ratio=most), rounds=3),
        _matmul(2048, FOUR, Asked(ratio=1.3, replay_ratio=most, speedup=1.6)),
        _matmul(2048, EIGHT, Asked(replay_ratio=most, speedup=1.6)),
        _variant(
            "multicast",
            "matmul_multicast",
            ONE,
            Asked(
                ratio=10.0,
                replay_ratio=most,
                known_gaps={"ratio": "92,000 switches of greenlets, which copy their stacks"},
            ),
        ),
        _variant(
            "multicast",
            "matmul_multicast",
            FOUR,
            Asked(
                ratio=1.4,
                replay_ratio=most,
                known_gaps={"ratio": "every node makes all pipes of a net, 1,024 in all"},
            ),
        ),
        _variant("relu(a@b+c) through buffer", "matmul_through_buffer", ONE),
        _variant("relu(a@b+c) through buffer", "matmul_through_buffer", FOUR),
    ]


def _rows() -> list[Case]:
    return [
        Case(
            label="softmax 2048, 1x64",
            program="softmax",
            parameters={"rows": 2048, "cols": 2048, "grid": GRID},
            asked=Asked(ratio=1.5, replay_ratio=1.3),
        ),
        Case(
            label="softmax 2048x1024 (example)",
            program="softmax",
            parameters={"rows": 2048, "cols": 1024, "grid": GRID},
        ),
        Case(
            label="layernorm 2048x1024, 1x32",
            program="layernorm",
            parameters={"rows": 2048, "cols": 1024, "grid": GRID},
            asked=Asked(ratio=3.0, replay_ratio=1.3),
        ),
        *(_rowwise(*each) for each in _ROWWISE),
        Case(
            label="rope 2048x1024",
            program="rope",
            parameters={"rows": 2048, "cols": 1024, "grid": GRID},
            asked=Asked(replay_ratio=1.1),
        ),
        _attention(4, Asked(ratio=3.0, replay_ratio=2.0)),
        _attention(1, Asked(ratio=2.0)),
    ]


# What is computed of rows, the columns, and how many times torch's time a replay may take.
_ROWWISE = (
    ("rms_norm", 1024, 1.1),
    ("cross_entropy", 1024, 1.1),
    ("gelu", 1024, 1.1),
    ("masked_softmax", 2048, 1.0),
    ("argmax", 256, 1.1),
    ("top_k", 1024, 1.1),
)


def _rowwise(kind: str, cols: int, most: float) -> Case:
    return Case(
        label=f"{kind.replace('_', ' ')} 2048x{cols}",
        program="rowwise",
        parameters={"kind": kind, "rows": 2048, "cols": cols, "grid": GRID},
        asked=Asked(replay_ratio=most),
    )


def _large() -> list[Case]:
    return [
        _matmul(4096, EIGHT, rounds=3),
        Case(
            label="transformer, 6 layers, 512x512",
            program="transformer",
            parameters={
                "layers": 6,
                "sequence": 512,
                "width": 512,
                "heads": 8,
                "hidden": 2048,
                "grid": GRID,
            },
        ),
    ]


def _whole() -> list[Case]:
    """Programs of many small operations and launches: what matters is their time, torch's is another thing altogether."""
    parameters: dict[str, tuple[str, dict[str, Any]]] = {
        "whole_attention": ("attention tile by tile", {"heads": 8, "sequence": 256, "layers": 2}),
        "whole_heat": ("heat, 60 steps", {"size": 256, "steps": 60}),
        "whole_bodies": ("32 bodies, 150 steps", {"steps": 150}),
        "whole_convolution": (
            "convolution by taps, 8 to 16 channels",
            {"size": 256, "inputs": 8, "outputs": 16},
        ),
        "whole_patches": ("convolution by patches", {"batch": 8, "size": 32}),
    }
    return [
        Case(label=f"program: {label}", program=program, parameters=sizes, rounds=3)
        for program, (label, sizes) in parameters.items()
    ]


def _attention(block: int, asked: Asked) -> Case:
    return Case(
        label=f"flash attention 8x1024x64, {block}x{block}",
        program="flash_attention",
        parameters={
            "heads": 8,
            "sequence": 1024,
            "head_dim": 64,
            "grid": GRID,
            "query_tiles": block,
            "key_tiles": block,
        },
        asked=asked,
    )


def _matmul(
    size: int, block: tuple[int, int, int], asked: Asked | None = None, rounds: int | None = None
) -> Case:
    return Case(
        label=f"matmul {size}, {_by(block)}",
        program="matmul",
        parameters={"size": size, "grid": GRID, "block": block},
        asked=asked or Asked(),
        rounds=rounds,
        operations=2.0 * size**3,
    )


def _variant(name: str, program: str, block: tuple[int, int, int], asked: Asked | None = None) -> Case:
    return Case(
        label=f"{name} 1024, {_by(block)}",
        program=program,
        parameters={"size": 1024, "grid": GRID, "block": block},
        asked=asked or Asked(),
        operations=2.0 * 1024**3,
    )


def _quick() -> list[Case]:
    # Every program has small sizes as the defaults of its parameters
    names = sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "launching")
    return [Case(label=f"{name}, small", program=name, parameters={}) for name in names]


def _by(block: tuple[int, ...]) -> str:
    return "x".join(str(extent) for extent in block)
