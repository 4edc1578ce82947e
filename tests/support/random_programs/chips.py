"""Random programs over several chips: a graph between chips or two, phases that exchange blocks over them, and sometimes a mistake.

Every received block goes to a place of ``y`` of its own: a row for the phase, the round and the node, a column for the chip that
it is from. So what a run leaves in ``y`` shows who has received what from whom.
"""

from __future__ import annotations

import random
from textwrap import indent

MESHES = ((1, 2), (1, 3), (2, 2), (1, 4), (2, 3), (2, 4))
NODES = ((1, 1), (1, 1), (2, 1), (1, 2))
ROUNDS = 3
"""Rounds of a phase, at most."""
Edges = list[tuple[tuple[int, int], tuple[int, int]]]


class ChipProgram:
    """One program. ``mesh`` are the rows and columns of chips, ``mistake`` says what is wrong with it, if that is known."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.mesh = self.random.choice(MESHES)
        self.nodes = self.random.choice(NODES)
        self.chips = [(r, c) for r in range(self.mesh[0]) for c in range(self.mesh[1])]
        self.mistake = self.random.choice(MISTAKES) if self.random.random() < 0.45 else ""
        self.graphs: list[str] | None = []
        """The nets over graphs of a device domain; None where one of them has no such form."""
        self._halves: list[tuple[str, str]] = []
        self._tokens = 0
        self.nets = [self._net(f"net{number}") for number in range(self.random.choice((1, 1, 2)))]

    # --- graphs -----------------------------------------------------------------------------------------

    def edges(self) -> tuple[Edges, str]:
        """Pairs of chips of a random graph, and the graph."""
        columns = self.mesh[1]
        match self.random.choice(("ring", "line", "stencil", "gather", "scatter", "all", "random")):
            case "ring":
                ring = [((r, c), (r, (c + 1) % columns)) for r, c in self.chips]
                return ring, "axis_neighbor(domain, axis=1, wrap=True)"
            case "line":
                line = [((r, c), (r, c + 1)) for r, c in self.chips if c + 1 < columns]
                return line, "axis_neighbor(domain, axis=1)"
            case "stencil":
                steps = self.random.sample(((0, 1), (0, -1), (1, 0), (-1, 0)), self.random.randint(2, 4))
                near = [((r, c), (r + dr, c + dc)) for r, c in self.chips for dr, dc in steps]
                near = [edge for edge in near if edge[1] in self.chips]
                if near:
                    return near, f"stencil(domain, offsets={steps})"
            case "gather" | "scatter" as way:
                root = self.random.choice(self.chips)
                pairs = [(chip, root) for chip in self.chips if chip != root]
                return [pair[:: 1 if way == "gather" else -1] for pair in pairs], f"{way}(domain, {root})"
            case "all":
                rows = [((r, c), (r, other)) for r, c in self.chips for other in range(columns) if other != c]
                return rows, f"edges(domain, {rows})"
        pairs = [(one, other) for one in self.chips for other in self.chips if one != other]
        some = self.random.sample(pairs, self.random.randint(1, min(5, len(pairs))))
        return some, f"edges(domain, {some})"

    def _net(self, name: str) -> str:
        if self.random.random() < 0.15 and self.mesh[1] > 2:
            self.graphs = None
            return f"{name} = ttl.PipeNet([ttl.Pipe(src=(k, 0, i, j), dst=(k, slice(1, {self.mesh[1]}), i, j)) for k in range({self.mesh[0]}) for i, j in NODES])"
        edges, graph = self.edges()
        if self.graphs is not None:
            self.graphs.append(f"{name} = ttl.PipeNet(graph=ttl.TransferGraph.{graph})")
        return f"{name} = ttl.PipeNet([ttl.Pipe(src=(*s, i, j), dst=(*d, i, j)) for s, d in {edges} for i, j in NODES])"

    # --- text -------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The program."""
        phases = [self._phase(number) for number in range(self.random.randint(1, 3))]
        if self.mistake == "opposite orders" and len(phases) > 1:
            # Each kernel takes the phases the other way round on every other chip.
            kernels = [
                f"if (r + c) % 2:\n{_in(*reversed(parts))}else:\n{_in(*parts)}"
                for parts in zip(*phases, strict=True)
            ]
        else:
            kernels = ["".join(parts) for parts in zip(*phases, strict=True)]
        if self.mistake == "receives before sends":
            kernels[0] = "".join(receive + send for send, receive in self._halves)
        body = [
            "out_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))",
            f"in_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1), block_count={self.random.randint(1, 3)})",
            "r, c, i, j = ttl.node(dims=4)",
            f"me = i * {self.nodes[1]} + j",
            *self.nets,
        ]
        if self._tokens:
            body += ["go = ttl.Semaphore()", f"next_go = go.get_remote((r, (c + 1) % {self.mesh[1]}, i, j))"]
        places = [(i, j) for i in range(self.nodes[0]) for j in range(self.nodes[1])]
        grid = (*self.mesh, *self.nodes)
        text = f"import ttl\nimport ttnn\nNODES = {places}\n\n\n@ttl.operation(grid={grid})\ndef op(a, y):\n"
        text += _in("\n".join(body), "\n")
        for name, lines in zip(("read", "write"), kernels, strict=True):
            text += f"\n    @ttl.datamovement()\n    def {name}():\n" + indent(lines or "pass\n", "        ")
        return text

    def over_graphs(self, text: str) -> str | None:
        """The same program over a device domain, from its ``text``; None where semaphores or ranges go over several chips."""
        if self.graphs is None or self._tokens:
            return None
        rows, columns = self.mesh
        text = text.replace("ttl.node(dims=4)", "ttl.node()").replace("r, c, i, j =", "i, j =")
        text = text.replace(f"pipe.src[0] * {columns} + pipe.src[1]", "pipe.source_device_index")
        text = text.replace(f"grid=({rows}, {columns}, ", "grid=(")
        text = text.replace(")\ndef op", ", device_domain=domain)\ndef op")
        here = f"\n        r, c = domain.current_index() // {columns}, domain.current_index() % {columns}"
        lines = [
            line + here * line.startswith(("    def read", "    def write"))
            for line in text.splitlines()
            if not line.startswith(("    net", "    go =", "    next_go ="))
        ]
        head = "\n".join([f"domain = ttl.DeviceDomain({self.mesh})", *self.graphs])
        return "\n".join([*lines, ""]).replace("\n\n\n@ttl", f"\n{head}\n\n\n@ttl", 1)

    def _phase(self, number: int) -> tuple[str, str]:
        """The lines of a phase in the kernel that communicates, and in the one that writes what came."""
        net = f"net{self.random.randrange(len(self.nets))}"
        rounds = self.random.randint(1, ROUNDS)
        sends, receives = str(rounds), str(rounds)
        r, c = self.random.choice(self.chips)
        if self.mistake == "one chip sends less":
            sends = f"{rounds} - (r == {r} and c == {c})"
        elif self.mistake == "one chip receives more":
            receives = f"{rounds} + (r == {r} and c == {c})"
        row = f"({number * ROUNDS} + k) * {self.nodes[0] * self.nodes[1]} + me"
        send = (
            "with out_dfb.reserve() as out_blk:\n"
            "    ttl.copy(a[0, 0], out_blk).wait()\n"
            f"    {net}.if_src(lambda pipe: ttl.copy(out_blk, pipe).wait())\n"
            "with out_dfb.wait() as own_blk:\n"
            "    ttl.copy(own_blk, y[63, 0]).wait()\n"
        )
        receive = (
            f"def receive{number}(pipe):\n"
            "    with in_dfb.reserve() as in_blk:\n"
            "        ttl.copy(pipe, in_blk).wait()\n"
            f"{net}.if_dst(receive{number})\n"
        )
        drain = (
            f"def drain{number}(pipe):\n"
            "    with in_dfb.wait() as in_blk:\n"
            f"        ttl.copy(in_blk, y[{row}, pipe.src[0] * {self.mesh[1]} + pipe.src[1]]).wait()\n"
            f"{net}.if_dst(drain{number})\n"
        )
        if self.random.random() < 0.25:
            wanted = self._tokens + 1 + (self.mistake == "a token too many")
            receive += f"next_go.inc(1)\ngo.wait_ge({wanted} + k)\n"
            self._tokens += rounds
        halves = f"for k in range({sends}):\n{_in(send)}", f"for k in range({receives}):\n{_in(receive)}"
        self._halves.append(halves)
        together = self.random.random() < 0.5 and sends == receives
        parts = f"for k in range({rounds}):\n{_in(send, receive)}" if together else "".join(halves)
        return parts, f"for k in range({receives}):\n{_in(drain)}"


def _in(*texts: str) -> str:
    return indent("".join(texts), "    ")


MISTAKES = (
    "one chip sends less", "one chip receives more", "receives before sends", "opposite orders", "a token too many",
)  # fmt: skip
