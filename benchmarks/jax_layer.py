"""What it takes to compile a Llama-like layer of the size of a 7B model from JAX, without its weights.

    python benchmarks/jax_layer.py [--length 2048] [--width 4096] [--heads 32] [--hidden 11008]

Prints CPU seconds, JAX's tracing among them, how many operations come out, the size of the binary, and how much memory the
process took more than after importing JAX. Asked for: at most 10 seconds and 300 MB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import jax
import jax.numpy as jnp

import ttmlir.jax
from ttmlir.jax.compiling import converted

MOST_SECONDS, MOST_MEGABYTES = 10.0, 300.0


def rms_norm(x: Any, weight: Any) -> Any:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * weight


def rotated(x: Any) -> Any:
    """Rotary embedding of (batch, length, heads, width)."""
    length, width = x.shape[1], x.shape[3]
    angles = jnp.arange(length)[:, None] * 10000.0 ** (-jnp.arange(0, width, 2) / width)
    cos, sin = (one(angles).astype(x.dtype)[None, :, None, :] for one in (jnp.cos, jnp.sin))
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def attention(x: Any, p: dict[str, Any], heads: int) -> Any:
    batch, length, width = x.shape
    q, k, v = ((x @ p[name]).reshape(batch, length, heads, width // heads) for name in "qkv")
    scores = jnp.einsum("bqhd,bkhd->bhqk", rotated(q), rotated(k)) / (width // heads) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v)
    return mixed.reshape(batch, length, width) @ p["o"]


def megabytes() -> float:
    """The most that the process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("length", 2048), ("width", 4096), ("heads", 32), ("hidden", 11008)):
        parser.add_argument(f"--{name}", type=int, default=default)
    sizes = parser.parse_args()

    def layer(x: Any, p: dict[str, Any]) -> Any:
        x = x + attention(rms_norm(x, p["before"]), p, sizes.heads)
        h = rms_norm(x, p["after"])
        return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]

    width, hidden = sizes.width, sizes.hidden
    shapes = {
        **dict.fromkeys("qkvo", (width, width)),
        "gate": (width, hidden),
        "up": (width, hidden),
        "down": (hidden, width),
        **dict.fromkeys(("before", "after"), (width,)),
    }
    given = ((1, sizes.length, width), "bf16"), {name: (shape, "bf16") for name, shape in shapes.items()}
    weights = sum(2 * jnp.prod(jnp.array(shape), dtype=float) for shape in shapes.values()) / 1e6
    before = megabytes()
    began = time.process_time()
    model = ttmlir.jax.compile(layer, *given)
    spent, memory = time.process_time() - began, megabytes() - before
    again = [time.process_time()]
    for step in (ttmlir.jax.stablehlo_of, converted, ttmlir.jax.compile):
        step(layer, *given)
        again.append(time.process_time())
    stages = [after - start for start, after in pairwise(again)]
    operations = len(model.binary.programs[0]["operations"])
    print(
        f"layer of width {width}, {sizes.length} positions, {sizes.heads} heads; weights of {weights:,.0f} MB, not given"
    )
    print(
        f"from the function to a binary  {spent:6.2f} s of CPU ({spent / MOST_SECONDS:.0%} of what is asked)"
    )
    print(
        f"once more: to StableHLO {stages[0]:.2f} s, to TTIR {stages[1]:.2f} s, to a binary {stages[2]:.2f} s"
    )
    print(f"memory beyond JAX              {memory:6.0f} MB ({memory / MOST_MEGABYTES:.0%} of what is asked)")
    print(f"{operations:,} operations, {len(model.binary.content):,} bytes")
    return int(spent > MOST_SECONDS or memory > MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
