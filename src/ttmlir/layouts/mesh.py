"""Meshes of chips: rows and columns, and which chips an operation between them brings together."""

from __future__ import annotations

from collections.abc import Sequence

from ttmlir.layouts.values import LayoutError, dimensions_text, volume


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
