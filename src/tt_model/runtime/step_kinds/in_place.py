"""Steps of operations that write into an existing tensor, which is ``out`` in their tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tt_model.operations.shared import TTNNFillCacheOp, TTNNUpdateCacheOp
from tt_model.operations.ttnn import TTNNCopyOp
from tt_model.runtime.operands import Fields, Step, computed, number_of, result_of
from tt_model.runtime.pool import TensorPool
from tt_model.runtime.problems import RuntimeProblem
from tt_model.runtime.sharding import kept, same

if TYPE_CHECKING:
    import torch


def copy(fields: Fields) -> Step:
    """Return the step that writes all elements of a tensor."""
    source, out = number_of(fields, "in"), result_of(fields)

    def run(pool: TensorPool) -> None:
        tensor = pool.operand(source, TTNNCopyOp.input)
        if tensor.tiled != pool.on_device(out.id).tiled:
            raise RuntimeProblem(
                f"tensor {source} ({tensor.describe()}) is copied into a tensor with pages of another form, tensor {out.id}: put a "
                "ttnn.to_layout before",
                at=pool.at,
            )
        pool.overwrite(out, computed(pool, lambda given: given, same, tensor))

    return run


def update_cache(fields: Fields) -> Step:
    """Return the step that writes one position of every user."""
    source, index, out = number_of(fields, "in"), number_of(fields, "update_index"), result_of(fields)
    offset = int(fields.get("batch_offset", 0))

    def run(pool: TensorPool) -> None:
        cache, given = pool.on_device(out.id), pool.operand(source, TTNNUpdateCacheOp.input)
        position = pool.operand(index, TTNNUpdateCacheOp.update_index)
        if position.shards is not None:
            position = replace(position, values=position.whole(), shards=None)

        described = f"tensor {out.id} ({cache.describe()})"

        def updated(old: torch.Tensor, new: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
            position = int(where.item())
            if not 0 <= position < old.shape[2]:
                raise RuntimeProblem(
                    f"position {position} of {described} is written, but it has only {old.shape[2]} positions",
                    at=pool.at,
                )
            values = old.clone()
            users = new[0, :, offset : offset + old.shape[0]]
            values[:, :, position] = users.transpose(0, 1).to(values.dtype)
            return values

        pool.overwrite(out, computed(pool, updated, kept(lambda dim: dim == 1), cache, given, position))

    return run


def fill_cache(fields: Fields) -> Step:
    """Return the step that writes the first positions of one user."""
    source, out, user = number_of(fields, "in"), result_of(fields), int(fields.get("batch_offset", 0))

    def run(pool: TensorPool) -> None:
        cache, given = pool.on_device(out.id), pool.operand(source, TTNNFillCacheOp.input)

        def filled(old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
            values = old.clone()
            values[user, :, : new.shape[2]] = new[0].to(values.dtype)
            return values

        pool.overwrite(out, computed(pool, filled, kept(lambda dim: dim == 1), cache, given))

    return run
