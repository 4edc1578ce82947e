"""Whether a node has the semaphores that an operation and the compiler need together."""

from __future__ import annotations

from ttl.arch import Chip
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.ir.failure import placed
from ttl.passes.marks import WHY, is_made


def too_many_semaphores(operation: dialect.OperationOp, target: Chip) -> list[Diagnostic]:
    """The error for more semaphores than a node has, some of them the compiler's (TTL1416).

    What is too much of the program's own is for ``ttl-allocate`` to say.
    """
    made = [op for op in operation.body.block.ops if isinstance(op, dialect.CreateSemaphoreOp)]
    own = [op for op in made if not is_made(op)]
    if len(made) <= target.semaphores or len(own) > target.semaphores:
        return []
    purposes: dict[str, list[str]] = {}
    for op in made:
        purposes.setdefault(_purpose(op), []).append(op.semaphore_name.data)
    lines = [f"{len(names):2}  {_text(names)}: {purpose}" for purpose, names in purposes.items()]
    found = error(
        "TTL1416",
        f"{operation.operation_name} takes {len(made)} semaphores, and a node of {target.name} has {target.semaphores}",
        notes=("what they are for:\n" + "\n".join(lines),),
        help="let fewer nodes send to one and the same, or gather and scatter through one node",
    )
    last = next(op for op in reversed(made) if is_made(op))
    return [placed(found, last)]


def _text(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"


def _purpose(op: dialect.CreateSemaphoreOp) -> str:
    why = op.attributes.get(WHY)
    return getattr(why, "data", "a semaphore of the program")
