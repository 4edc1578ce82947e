"""Meshes of chips: their rows and columns, and the groups of chips that an operation between chips combines."""

from __future__ import annotations

from collections.abc import Sequence

from tt_model.layouts.values import LayoutError, dimensions_text, volume


def rows_and_columns(mesh_shape: Sequence[int]) -> tuple[int, int]:
    """A mesh as (rows, columns) of chips; a mesh with another number of dimensions counts as one row."""
    if len(mesh_shape) == 2:
        return mesh_shape[0], mesh_shape[1]
    return 1, volume(mesh_shape)


def groups_along(mesh: tuple[int, int], axis: int | None) -> list[list[int]]:
    """The groups of chips that an operation combines: those along an axis, or all in one group.

    Chips have row-major numbers. Axis 0 goes down the rows of a column, axis 1 along the columns of a row; None means
    all chips. Raises ``LayoutError`` for any other axis.
    """
    rows, columns = mesh
    if axis is None:
        return [list(range(rows * columns))]
    if axis == 0:
        return [[row * columns + column for row in range(rows)] for column in range(columns)]
    if axis == 1:
        return [[row * columns + column for column in range(columns)] for row in range(rows)]
    raise LayoutError(
        f"cluster_axis is {axis}, and a mesh {dimensions_text(mesh)} has the axes 0 (down its rows) and 1 (along its columns)"
    )


def parts_of(mesh: tuple[int, int], dims: Sequence[int], rank: int) -> tuple[int, ...]:
    """The number of parts that each dimension of a tensor is cut into by the axes of a mesh.

    ``dims`` has the dimension that each axis cuts, or -1. Raises ``LayoutError`` for dimensions that the tensor does
    not have.
    """
    parts = [1] * rank
    for extent, dim in zip(mesh, dims, strict=True):
        if not -1 <= dim < rank:
            raise LayoutError(f"an axis of the mesh cuts dimension {dim} of a tensor of {rank}")
        if dim >= 0:
            parts[dim] *= extent
    return tuple(parts)


def part_of_chip(
    chip: int, mesh: tuple[int, int], dims: Sequence[int], whole: Sequence[int]
) -> tuple[slice, ...]:
    """Return the part of a whole tensor on a chip, which is given by its row-major number.

    ``dims`` has the dimension that each axis of the mesh cuts, or -1. If both axes cut one dimension, the columns'
    parts lie within those of the rows.
    """
    parts = parts_of(mesh, dims, len(whole))
    at = [0] * len(whole)
    for place, extent, dim in zip(divmod(chip, mesh[1]), mesh, dims, strict=True):
        if dim >= 0:
            at[dim] = at[dim] * extent + place
    return tuple(
        slice(number * (extent // count), (number + 1) * (extent // count))
        for number, extent, count in zip(at, whole, parts, strict=True)
    )
