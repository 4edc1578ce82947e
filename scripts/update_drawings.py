"""Draw the pictures of the documentation: docs/assets/drawings/*.svg.

    python scripts/update_drawings.py [--check]

Plain SVG, written by the few functions below, so that the files are the same wherever they are made. ``--check``
changes nothing and fails when a file is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "assets" / "drawings"

INK, GREY, LINE = "#263238", "#607d8b", "#90a4ae"
FULL, FREE, HELD, BAD, NODE = "#9fc5e8", "#ffffff", "#ffe599", "#ea9999", "#eceff1"
KERNEL, MEMORY = "#d9ead3", "#d9d2e9"

Point = tuple[float, float]


class Canvas:
    """An SVG of ``width`` x ``height`` pixels on a light ground, with a title for those who cannot see it."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img" font-family="system-ui, sans-serif" font-size="13">',
            f"<title>{escape(title)}</title>",
            f'<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{INK}"/></marker>'
            f'<marker id="bad" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            f'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="#c62828"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="#fafafa"/>',
        ]

    def box(
        self, x: float, y: float, width: float, height: float, fill: str = FREE, *, round: int = 4
    ) -> None:
        """A rectangle."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round}" fill="{fill}" stroke="{LINE}"/>'
        )

    def text(
        self,
        at: Point,
        text: str,
        *,
        size: int = 13,
        ink: str = INK,
        anchor: str = "middle",
        bold: bool = False,
    ) -> None:
        """One line of text with its middle (or what ``anchor`` says) at a point."""
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{at[0]:g}" y="{at[1]:g}" font-size="{size}" fill="{ink}" text-anchor="{anchor}"{weight} '
            f'dominant-baseline="middle">{escape(text)}</text>'
        )

    def labelled(self, x: float, y: float, width: float, height: float, fill: str, *lines: str) -> None:
        """A rectangle with lines of text in its middle."""
        self.box(x, y, width, height, fill)
        top = y + height / 2 - 8 * (len(lines) - 1)
        for row, line in enumerate(lines):
            self.text((x + width / 2, top + 16 * row), line)

    def arrow(self, *points: Point, bad: bool = False, dashed: bool = False) -> None:
        """A line through ``points`` with a head at its end."""
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        ink, head = ("#c62828", "bad") if bad else (INK, "head")
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="1.6"{dash} marker-end="url(#{head})"/>'
        )

    def svg(self) -> str:
        """The file."""
        return "\n".join([*self._parts, "</svg>"]) + "\n"


def node() -> Canvas:
    """One node: three kernels, buffers between them, memory outside."""
    c = Canvas(
        760,
        330,
        "A node: kernels pass blocks through dataflow buffers; only data movement kernels reach the tensors",
    )
    c.labelled(40, 20, 500, 44, MEMORY, "device memory (DRAM): tensors, in tiles of 32 x 32 elements")
    c.box(40, 110, 500, 196, NODE, round=8)
    c.text((54, 126), "node", anchor="start", bold=True)
    for x, lines in (
        (60, ("data movement", "kernel")),
        (230, ("compute", "kernel")),
        (400, ("data movement", "kernel")),
    ):
        c.labelled(x, 142, 120, 52, KERNEL, *lines)
    for x, name in ((140, "a_dfb"), (312, "y_dfb")):
        for place in range(2):
            c.box(x + 8 + 40 * place, 244, 40, 30, FULL if place == 0 else FREE)
        c.text((x + 48, 288), f"{name}: dataflow buffer", size=12, ink=GREY)
    c.arrow((100, 64), (100, 142))
    c.text((108, 92), "ttl.copy: read", anchor="start", size=12, ink=GREY)
    c.arrow((480, 142), (480, 64))
    c.text((472, 92), "ttl.copy: write", anchor="end", size=12, ink=GREY)
    c.arrow((130, 194), (130, 259), (148, 259))
    c.arrow((228, 259), (260, 259), (260, 194))
    c.arrow((310, 194), (310, 259), (320, 259))
    c.arrow((400, 259), (440, 259), (440, 194))
    c.text((124, 222), "push", anchor="end", size=12, ink=GREY)
    c.text((254, 222), "wait", anchor="end", size=12, ink=GREY)
    c.text((316, 222), "push", anchor="start", size=12, ink=GREY)
    c.text((446, 222), "wait", anchor="start", size=12, ink=GREY)
    for row, line in enumerate(
        ("one of 8 x 8 nodes,", "each with about 1.4 MB", "of memory of its own (L1)")
    ):
        c.text((560, 190 + 18 * row), line, anchor="start", ink=GREY)
    return c


def grid() -> Canvas:
    """A tensor in tiles, and which node computes which of them."""
    c = Canvas(
        760, 300, "A grid of nodes and the tiles of a tensor: node (x, y) computes a block of 2 x 2 tiles"
    )
    shades = ("#cfe2f3", "#d9ead3", "#fff2cc", "#f4cccc")
    c.text((150, 22), "ttl.node() is (x, y) on a grid of (2, 2)", bold=True)
    for y in range(2):
        for x in range(2):
            c.labelled(50 + 100 * x, 50 + 100 * y, 90, 90, shades[2 * y + x], f"node ({x}, {y})")
    c.arrow((50, 262), (240, 262))
    c.text((145, 278), "x", ink=GREY)
    c.arrow((34, 50), (34, 240))
    c.text((20, 145), "y", ink=GREY)
    c.text((470, 22), "a tensor of 128 x 128 elements: 4 x 4 tiles", bold=True)
    for row in range(4):
        for column in range(4):
            shade = shades[2 * (row // 2) + column // 2]
            c.labelled(376 + 48 * column, 50 + 48 * row, 48, 48, shade, f"{row}, {column}")
    c.text((352, 146), "rows", ink=GREY, anchor="end")
    c.text((472, 262), "columns", ink=GREY)
    for line, text in enumerate(("node (1, 0) computes", "a[0:2, 2:4]:", "rows 0 and 1,", "columns 2 and 3")):
        c.text((600, 60 + 18 * line), text, anchor="start")
    c.text((600, 160), "a tile is 32 x 32 elements", anchor="start", size=12, ink=GREY)
    c.text((600, 178), "slices are in tiles", anchor="start", size=12, ink=GREY)
    return c


def ring() -> Canvas:
    """A dataflow buffer as a ring: what reserve, push, wait and pop do to it."""
    c = Canvas(
        760,
        250,
        "A dataflow buffer is a ring of blocks: reserve, push, wait and pop move them from free to full and back",
    )
    steps = (
        ("empty", (FREE, FREE), ""),
        ("reserve()", (HELD, FREE), "the producer writes"),
        ("push()", (FULL, FREE), "full"),
        ("reserve()", (FULL, HELD), "writes the next one"),
        ("wait()", (HELD, HELD), "the consumer reads"),
        ("pop()", (FREE, HELD), "free again"),
    )
    for number, (call, blocks, note) in enumerate(steps):
        x = 30 + 120 * number
        c.text((x + 45, 30), call, bold=number > 0, ink=INK if number else GREY)
        for place, fill in enumerate(blocks):
            c.box(x + 45 * place, 50, 45, 60, fill)
        c.text((x + 45, 128), note, size=11, ink=GREY)
        if number:
            c.arrow((x - 26, 80), (x - 4, 80))
    for x, fill, text in (
        (30, FREE, "free"),
        (130, HELD, "held by a kernel"),
        (300, FULL, "full: pushed, not yet waited for"),
    ):
        c.box(x, 168, 20, 20, fill)
        c.text((x + 28, 179), text, anchor="start", size=12)
    c.text(
        (30, 218),
        "block_count=2: one kernel fills a block while the other reads the one before. A third reserve() here waits for pop().",
        anchor="start",
        size=12,
        ink=GREY,
    )
    return c


def pipes() -> Canvas:
    """Pipes between neighbours: the ring of the tutorial."""
    c = Canvas(760, 210, "A pipe net as a ring: every node sends its block to the next one")
    for x in range(4):
        left = 40 + 180 * x
        c.box(left, 50, 130, 96, NODE, round=8)
        c.text((left + 65, 66), f"node ({x}, 0)", bold=True)
        c.labelled(left + 12, 84, 50, 44, FULL, "own")
        c.labelled(left + 68, 84, 50, 44, HELD, "from", "left")
    for x in range(3):
        left, low = 40 + 180 * x, 158 + 10 * (x % 2)
        c.arrow((left + 37, 128), (left + 37, low), (left + 273, low), (left + 273, 128))
    c.arrow((617, 128), (617, 186), (133, 186), (133, 128), dashed=True)
    c.text((380, 24), "ttl.PipeNet([ttl.Pipe(src=(x, 0), dst=((x + 1) % 4, 0)) for x in range(4)])")
    return c


def multicast() -> Canvas:
    """One node that sends the same block to a row of nodes."""
    c = Canvas(760, 260, "Multicast: one node sends a block to all other nodes of its row at once")
    c.text((380, 24), "ttl.Pipe(src=(0, y), dst=(slice(1, 4), y)) for every row y")
    for y in range(2):
        for x in range(4):
            left, top = 140 + 110 * x, 64 + 96 * y
            c.box(left, top, 80, 56, FULL if x == 0 else NODE, round=8)
            c.text((left + 40, top + 28), f"({x}, {y})")
        top = 64 + 96 * y
        for x in range(1, 4):
            c.arrow((180, top), (180, top - 14), (180 + 110 * x, top - 14), (180 + 110 * x, top))
        c.arrow((80, top + 28), (140, top + 28))
        c.text((72, top + 28), "tensor", anchor="end")
    c.text((590, 92), "one read from memory,", anchor="start", size=12, ink=GREY)
    c.text((590, 110), "four nodes have it", anchor="start", size=12, ink=GREY)
    return c


def mesh() -> Canvas:
    """A mesh of devices, each with its grid of nodes."""
    c = Canvas(760, 270, "A mesh of devices: each has a shard of the tensors and a grid of nodes")
    for device in range(2):
        left = 40 + 350 * device
        c.box(left, 44, 300, 186, NODE, round=8)
        c.text((left + 150, 62), f"device {device}", bold=True)
        c.labelled(left + 16, 78, 268, 34, MEMORY, f"shard {device} of the tensors")
        for y in range(2):
            for x in range(4):
                c.labelled(left + 16 + 68 * x, 126 + 46 * y, 62, 40, KERNEL, f"({x}, {y})")
    c.arrow((340, 95), (390, 95))
    c.arrow((390, 102), (340, 102))
    c.text((365, 82), "host", size=11, ink=GREY)
    c.text((380, 20), "grid=(4, 2) on a mesh of (1, 2): the operation runs once per device, on its shard")
    c.text((380, 252), "ttnn.all_gather and ttnn.all_reduce move data between devices", size=12, ink=GREY)
    return c


def deadlock() -> Canvas:
    """Two kernels that each wait for what the other would do next."""
    c = Canvas(760, 250, "A deadlock: each of two kernels waits for a block that the other has not pushed")
    c.labelled(60, 90, 180, 70, KERNEL, "compute", "x_dfb.wait()")
    c.labelled(520, 90, 180, 70, KERNEL, "read", "y_dfb.wait()")
    for x, y, name in ((330, 40, "x_dfb"), (330, 170, "y_dfb")):
        c.box(x, y, 50, 34, FREE)
        c.box(x + 50, y, 50, 34, FREE)
        c.text((x + 50, y + 48), f"{name}: 0 of 2 full", size=12, ink=GREY)
    c.arrow((150, 90), (150, 57), (330, 57), bad=True)
    c.text((240, 46), "waits for", size=12, ink=GREY)
    c.arrow((610, 90), (610, 57), (430, 57), dashed=True)
    c.text((520, 46), "would push, later", size=12, ink=GREY)
    c.arrow((610, 160), (610, 187), (430, 187), bad=True)
    c.text((520, 198), "waits for", size=12, ink=GREY)
    c.arrow((150, 160), (150, 187), (330, 187), dashed=True)
    c.text((240, 198), "would push, later", size=12, ink=GREY)
    return c


DRAWINGS: tuple[Callable[[], Canvas], ...] = (node, grid, ring, pipes, multicast, mesh, deadlock)


def main() -> int:
    """Run the script and return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing, fail when a drawing is stale")
    check: bool = parser.parse_args().check
    stale = []
    for drawing in DRAWINGS:
        path, text = FOLDER / f"{drawing.__name__}.svg", drawing().svg()
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT).as_posix())
        if not check:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale and check:
        print(f"{', '.join(stale)}: stale, run scripts/update_drawings.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
