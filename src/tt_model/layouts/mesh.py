"""Meshes of chips: rows and columns, and which chips an operation between them brings together."""

from __future__ import annotations

from collections.abc import Sequence

from tt_model.layouts.values import LayoutError, dimensions_text, volume


def rows_and_columns(mesh_shape: Sequence[int]) -> tuple[int, int]:
    """A mesh as rows and columns of chips; one of another number of dimensions is a row."""
    if len(mesh_shape) == 2:
        return mesh_shape[0], mesh_shape[1]
    return 1, volume(mesh_shape)


def groups_along(mesh: tuple[int, int], axis: int | None) -> list[list[int]]:
    """The chips, by their row-major numbers in a mesh, that are brought together: those along an axis, or all.

    Axis 0 goes down the rows of a column, axis 1 along the columns of a row. Raises ``LayoutError`` for another one.
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
    """Into how many parts the axes of a mesh cut the dimensions of a tensor. ``dims``: what each axis cuts, or -1.

    Raises ``LayoutError`` for dimensions that are not there.
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
    """Return which part of a whole tensor a chip has, by its row-major number. ``dims``: what each axis of the mesh cuts, or -1.

    Where both axes cut one dimension, the columns' parts lie within those of the rows.
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
