"""The pipes of a plan, as source: from reading nodes to the others of their group, and from parts to the first."""

from __future__ import annotations

from ttl.design.plan import DesignPlan, PlannedBuffer

# The name of the net for the partial sums.
SUMS = "sums_net"


def net_of(buffer: PlannedBuffer) -> str:
    """Return the name of a buffer's net."""
    return buffer.name.replace("_dfb", "_net")


def pipes(buffer: PlannedBuffer, plan: DesignPlan) -> list[str]:
    """Return the pipes, as source text, from the reading node of each group to the others, if there are others."""
    wide, high = buffer.group
    if (wide, high) == (1, 1):
        return []
    columns, rows = plan.grid
    xs, x = _groups("x", columns, wide)
    ys, y = _groups("y", rows, high)
    if wide > 1 and high > 1:
        beside, below = (
            _listed(_pipe(x, y, _slice(x, 1, wide), y), xs, ys),
            _listed(_pipe(x, y, _slice(x, 0, wide), _slice(y, 1, high)), xs, ys),
        )
        return [beside, below]
    by_row = wide > 1
    long = wide if by_row else high
    first, line = (x, y) if by_row else (y, x)
    if not plan.is_diagonal(buffer):
        ends = _slice(first, 1, long)
        pipe = _pipe(first, line, ends, line) if by_row else _pipe(line, first, line, ends)
        return [_listed(pipe, xs, ys)]
    count = rows if by_row else columns
    offset = line if count <= long else f"{line} % {long}"
    source = offset if first == "0" else f"{first} + {offset}"
    parts = []
    for ends, when in (
        (f"slice({first}, {source})", f"{offset} > 0"),
        (f"slice({source} + 1, {_sum(first, long)})", f"{offset} < {long - 1}"),
    ):
        pipe = _pipe(source, line, ends, line) if by_row else _pipe(line, source, line, ends)
        parts.append(_listed(pipe, xs, ys, when))
    return parts


def pipes_of_sums(plan: DesignPlan) -> str:
    """Return the pipes, as source text, from the nodes of other parts to the nodes at their place in the first part."""
    (nest,), (columns, rows) = plan.nests.values(), plan.grid
    wide, high = columns // nest.split[0], rows // nest.split[1]
    to = _pipe("x", "y", _within("x", wide, columns), _within("y", high, rows))
    tests = [f"x >= {wide}"] * (wide < columns) + [f"y >= {high}"] * (high < rows)
    return _listed(to, f" for x in range({columns})", f" for y in range({rows})", " or ".join(tests))


def reads(buffer: PlannedBuffer, plan: DesignPlan) -> str:
    """Return the condition, as source text, under which a node reads for its group."""
    wide, high = buffer.group
    columns, rows = plan.grid
    x = "node_x" if wide == columns else f"node_x % {wide}"
    y = "node_y" if high == rows else f"node_y % {high}"
    if wide > 1 and high > 1:
        return f"{x} == 0 and {y} == 0"
    if not plan.is_diagonal(buffer):
        return f"{x if wide > 1 else y} == 0"
    if wide > 1:
        return f"{x} == " + ("node_y" if rows <= wide else f"node_y % {wide}")
    return f"{y} == " + ("node_x" if columns <= high else f"node_x % {high}")


def _groups(name: str, nodes: int, size: int) -> tuple[str, str]:
    """Return the source text of a loop over the first nodes of groups in a direction, and of its variable."""
    if size == nodes:
        return "", "0"
    return f" for {name} in range({nodes if size == 1 else f'0, {nodes}, {size}'})", name


def _within(name: str, size: int, most: int) -> str:
    return name if size == most else "0" if size == 1 else f"{name} % {size}"


def _sum(first: str, more: int) -> str:
    return str(more) if first == "0" else first if more == 0 else f"{first} + {more}"


def _slice(first: str, start: int, stop: int) -> str:
    return f"slice({_sum(first, start) if start else first}, {_sum(first, stop)})"


def _pipe(x: str, y: str, to_x: str, to_y: str) -> str:
    return f"ttl.Pipe(({x}, {y}), ({to_x}, {to_y}))"


def _listed(pipe: str, xs: str, ys: str, when: str = "") -> str:
    return f"[{pipe}{ys}{xs}{f' if {when}' if when else ''}]"
