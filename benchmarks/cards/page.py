"""The page of the calibration: docs/reference/calibration.md, and its drawing. The same numbers make the same text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import causes
import own_pipe
import published
from errors import Found, by_family, correlation, errors, mean_of, order
from ttl.arch import chip_named

HERE = Path(__file__).resolve().parent
_HEAD = "| family | rows | MAPE | median | bias | within 10 % | within 20 % | before: MAPE, bias |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
Before = Mapping[str, Sequence[float]]


def table(families: Mapping[str, Sequence[Found]], before: Before | None = None, worst: int = 0) -> str:
    """Errors of families, and their mean; with their worst rows below, where that is wanted."""
    lines = [_HEAD]
    known = {family: errors(rows) for family, rows in families.items()}
    for family, error in known.items():
        old = (before or {}).get(family)
        lines.append(
            f"| {family} | {error.rows} | {error.mean:.1f} | {error.median:.1f} | {error.bias:+.1f} | {error.within_10:.0f} | "
            f"{error.within_20:.0f} | {f'{old[0]:.1f}, {old[1]:+.1f}' if old else ''} |"
        )
    whole = [error for family, error in known.items() if ".ratio" not in family]
    if len(whole) > 1:
        mean, ten, twenty = mean_of(whole)
        old_mean = [
            before[family][0] for family in known if before and family in before and ".ratio" not in family
        ]
        lines.append(
            f"| **mean of families** | {sum(error.rows for error in whole)} | **{mean:.1f}** | | | {ten:.0f} | **{twenty:.0f}** | "
            f"{f'{sum(old_mean) / len(old_mean):.1f}' if old_mean else ''} |"
        )
    text = "\n".join(lines)
    return f"{text}\n\n{worst_rows(families, worst)}" if worst else text


def worst_rows(families: Mapping[str, Sequence[Found]], count: int) -> str:
    """The rows of each family that are farthest off."""
    lines = ["| family | row | published | emulated | error |\n| --- | --- | ---: | ---: | ---: |"]
    for family, rows in families.items():
        for each in sorted(rows, key=lambda one: -abs(one.error))[:count]:
            what = " ".join(f"{key}={value}" for key, value in each.row.at.items() if key)
            lines.append(
                f"| {family} | `{what}` | {each.row.value:g} {each.row.unit} | {each.value:.4g} | {100 * each.error:+.0f} % |"
            )
    return "\n".join(lines)


def orders(families: Mapping[str, Sequence[Found]]) -> str:
    """Whether the emulated chip says which variant is faster."""
    lines = [
        "| family | what is compared | pairs in order | right fastest | rank correlation |\n| --- | --- | ---: | ---: | ---: |"
    ]
    compared = {
        "MB2": "in registers or by the packer",
        "MB5.A": "sizes of a section",
        "MB5.B": "shapes of a block",
        "MB5.D": "shapes of a block",
        "pipes": "ways to send",
    }
    for family, rows in families.items():
        known = order(rows)
        if known is None:
            continue
        pairs = [(each.row.value, each.value) for each in rows]
        share = f"{known.right} of {known.pairs}, {100 * known.right / max(known.pairs, 1):.0f} %"
        lines.append(
            f"| {family} | {next(text for key, text in compared.items() if family.startswith(key))} | {share} | "
            f"{known.fastest} of {known.groups} | {correlation(pairs):.3f} |"
        )
    return "\n".join(lines)


def costs(known: Mapping[str, Mapping[str, Sequence[int | None]]]) -> str:
    """Costs that are not as they were: of both chips, with their sources."""
    chips = [chip_named(name) for name in ("blackhole", "wormhole")]
    lines = ["| cost | Blackhole, before | Wormhole, before | from |\n| --- | ---: | ---: | --- |"]
    tables = {
        "costs": [chip.costs.by_name() for chip in chips],
        "operations": [chip.operations for chip in chips],
    }
    for kind, of_chips in tables.items():
        for name, old in known[kind].items():
            numbers = [table.get(name) for table in of_chips]
            cells = [
                ""
                if number is None or was is None
                else f"{number.value}, {was}"
                if number.value != was
                else f"{was}"
                for number, was in zip(numbers, old, strict=True)
            ]
            source = next(number for number in numbers if number is not None)
            lines.append(f"| `{name}` | {cells[0]} | {cells[1]} | {source.how}: {source.source} |")
    return "\n".join(lines)


def pipes(found: Sequence[Found]) -> str:
    """Our emitted pipe beside the published ones; of those that our compiler did not emit the published number and the emulated one."""
    published_rows = {row.at["variant"]: row.value for row in published.rows() if row.set == "pipes"}
    emulated = {each.row.at["variant"]: each.value for each in found if each.row.set == "pipes"}
    ours = {width: own_pipe.microseconds(width) for width in (1, 8)}
    lines = ["| pipe | published, us a tile | emulated |\n| --- | ---: | ---: |"]
    for name in ("base", "synced", "dfb", "ring 8"):
        lines.append(f"| {name}, by hand | {published_rows[name]:.3f} | {emulated[name]:.3f} |")
    for name in ("pipe computed", "pipe published"):
        lines.append(f"| {name}, by the authors' compiler | {published_rows[name]:.3f} | |")
    lines += [
        f"| **ours, blocks of {width} tile{'s' * (width > 1)}** | | **{value:.3f}** |"
        for width, value in ours.items()
    ]
    return "\n".join(lines)


def page(
    found: Sequence[Found],
    swapped: Sequence[Found],
    changed: Mapping[Sequence[causes.Cause], Sequence[Found]],
    known: Mapping[str, Any],
) -> str:
    """The page. ``swapped``: with the costs of the other side, ``changed``: with some of them set; ``known``: what was before."""
    before: Before = known["families"]
    families, split = by_family(found), published.split()["first"]
    main = {family: rows for family, rows in families.items() if ".ratio" not in family}
    text = (HERE / "page.md").read_text(encoding="utf-8")
    held_out = {family: main[family] for family in split["held_out"]}
    parts = {
        "summary": _summary(held_out, by_family(swapped)),
        "held out": table(held_out, before),
        "fitted": table({family: main[family] for family in split["fitted"]}, before),
        "swapped": table(by_family(swapped), before),
        "causes": causes.table(swapped, changed),
        "ratios": table({family: rows for family, rows in families.items() if ".ratio" in family}, before),
        "orders": orders(main),
        "worst": worst_rows(main, 3),
        "costs": costs(known),
        "pipes": pipes(found),
        "rows": f"{sum(map(len, main.values())):,}",
        "sources": "\n".join(
            f"- {source}" for source in sorted({each.row.source.rpartition(",")[0] for each in found})
        ),
    }
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part)
    return text


def _summary(held_out: Mapping[str, Sequence[Found]], swapped: Mapping[str, Sequence[Found]]) -> str:
    def said(families: Mapping[str, Sequence[Found]]) -> str:
        mean, _, twenty = mean_of(errors(rows) for rows in families.values())
        return f"{mean:.1f} % (mean of {len(families)} families), {twenty:.0f} % of their rows within 20 %"

    text = f"Published numbers that set no cost are met with a mean error of **{said(held_out)}**."
    return f"{text} With the split swapped: {said(swapped)}."


_SIZE, _EDGE = 640, 60
_COLOURS = (
    "#1b6ca8",
    "#d1495b",
    "#2e933c",
    "#8a4f9e",
    "#e08e1b",
    "#3b8ea5",
    "#7a7a7a",
    "#b0413e",
    "#5b7f3b",
    "#36454f",
    "#c2a83e",
)


def drawing(found: Sequence[Found]) -> str:
    """All rows: published and emulated microseconds, on logarithmic scales, with the lines of 20 % beside the diagonal."""
    factor = {"us": 1.0, "ns": 1e-3}
    points = [
        (each.row.family, each.row.value * factor[each.row.unit[:2]], each.value * factor[each.row.unit[:2]])
        for each in found
        if not each.row.unit.startswith("percent")
    ]
    low = math.floor(math.log10(min(min(point[1:]) for point in points)))
    high = math.ceil(math.log10(max(max(point[1:]) for point in points)))
    inner = _SIZE - 2 * _EDGE

    def place(value: float) -> float:
        return (math.log10(value) - low) / (high - low) * inner

    def x(value: float) -> str:
        return f"{_EDGE + place(value):.1f}"

    def y(value: float) -> str:
        return f"{_SIZE - _EDGE - place(value):.1f}"

    begin, end = 10.0**low, 10.0**high
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE + 160} {_SIZE}" font-family="sans-serif" font-size="12">',
        f'<rect width="{_SIZE + 160}" height="{_SIZE}" fill="white"/>',
    ]
    for power in range(low, high + 1):
        at = 10.0**power
        lines += [
            f'<path d="M{x(at)} {y(begin)}V{y(end)}M{x(begin)} {y(at)}H{x(end)}" stroke="#ddd"/>',
            f'<text x="{x(at)}" y="{_SIZE - _EDGE + 18}" text-anchor="middle">{at:g}</text>',
            f'<text x="{_EDGE - 8}" y="{y(at)}" text-anchor="end" dy="4">{at:g}</text>',
        ]
    for shift, colour in ((1.0, "#000"), (1.2, "#bbb"), (1 / 1.2, "#bbb")):
        first, last = max(begin, begin / shift), min(end, end / shift)
        lines.append(
            f'<path d="M{x(first)} {y(first * shift)}L{x(last)} {y(last * shift)}" stroke="{colour}" fill="none"/>'
        )
    for number, family in enumerate(dict.fromkeys(point[0] for point in points)):
        colour = _COLOURS[number % len(_COLOURS)]
        dots = "".join(
            f'<circle cx="{x(one)}" cy="{y(other)}" r="2.5"/>'
            for name, one, other in points
            if name == family
        )
        lines.append(f'<g fill="{colour}" fill-opacity="0.6">{dots}</g>')
        lines.append(
            f'<circle cx="{_SIZE}" cy="{_EDGE + 20 * number}" r="5" fill="{colour}"/>'
            f'<text x="{_SIZE + 12}" y="{_EDGE + 20 * number + 4}">{family}</text>'
        )
    lines += [
        f'<text x="{_SIZE / 2}" y="{_SIZE - 16}" text-anchor="middle">published, microseconds</text>',
        f'<text x="16" y="{_SIZE / 2}" text-anchor="middle" transform="rotate(-90 16 {_SIZE / 2})">emulated, microseconds</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
