"""``ttrt perf --report``: one page of HTML that needs no other files and no network."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tt_model.cost.rates import HOST_RATE
from ttrt.common.l1_time import L1Step, picture
from ttrt.common.perf_files import ProfiledCall

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222; background: #fff }
h1 { font-size: 1.4em } .verdict { font-size: 1.1em } .note { color: #666 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums } th { text-align: left; cursor: pointer }
th, td { padding: .25em .6em; border-bottom: 1px solid #ddd; vertical-align: top } td.number { text-align: right } svg.l1 { max-width: 100%; border-bottom: 1px solid #888 } h2 { font-size: 1.1em }
.bar { display: flex; height: 1em; background: #eee; width: 16em } .bar span { display: block; height: 100% }
.all { width: 100%; height: 1.6em; margin: .5em 0 } .key span { display: inline-block; width: .9em; height: .9em; margin: 0 .3em 0 1em }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } th, td { border-color: #444 } .bar { background: #333 } }
"""
_SCRIPT = """
for (const [column, head] of document.querySelectorAll("th").entries()) head.onclick = () => {
  const body = document.querySelector("tbody"), up = head.dataset.up = head.dataset.up === "1" ? "" : "1";
  const key = row => { const cell = row.cells[column]; return cell.dataset.value === undefined ? cell.textContent : +cell.dataset.value };
  const rows = [...body.rows].sort((a, b) => { const x = key(a), y = key(b); return x < y ? -1 : x > y ? 1 : 0 });
  body.append(...(up ? rows : rows.reverse()));
};
"""
_COLORS: Mapping[str, str] = {
    "arithmetic": "#3b7dd8",
    "DRAM": "#d8743b",
    "network": "#8a5bc7",
    "latency": "#c75b9b",
    "launch": "#8c8c8c",
    "ethernet": "#3bb8c7",
    "PCIe": "#c7a53b",
    "emulated": "#3ba86b",
    "host": "#bbbbbb",
}
_COLUMNS = ("call", "operation", "result", "cores", "bytes", "cycles", "of all", "bound by", "where")


def page(
    name: str,
    chip: str,
    calls: Sequence[ProfiledCall],
    l1: Mapping[str, Sequence[L1Step]] = MappingProxyType({}),
    capacity: int = 0,
    measured: Mapping[int, float] = MappingProxyType({}),
) -> str:
    """Return the page of a binary. The JSON at its end (``id="estimates"``) has the same data.

    ``l1`` is the use of L1 over time, by program; ``capacity`` is the L1 of a core in bytes; ``measured`` has the
    cycles of calls on a card, without the launch, by the numbers of the calls.
    """
    on_chip, transfers = cycles_of(calls)
    total = on_chip + transfers
    shares = shares_by_bound(calls)
    title = f"{name}: {on_chip:,} cycles on the chip, an estimate"
    data = {
        "name": name,
        "chip": chip,
        "cycles": on_chip,
        "transfer_cycles": transfers,
        "by_bound": shares,
        "l1_capacity": capacity,
        "l1": {program: [step.as_dict() for step in steps] for program, steps in l1.items()},
        "calls": [
            call.estimate.as_dict()
            | {"call": call.number, "program": call.program}
            | ({"measured_cycles": measured[call.number]} if call.number in measured else {})
            for call in calls
        ],
    }
    # The data must not end the element that contains them.
    embedded = json.dumps(data).replace("<", "\\u003c")
    pictures = "".join(picture(program, steps, capacity) for program, steps in l1.items())
    heads = "".join(f"<th>{head}</th>" for head in (*_COLUMNS, *(("measured",) if measured else ())))
    rows = "\n".join(_row(call, max(total, 1), measured) for call in calls)
    source = "the measured column is from a card" if measured else "nothing was measured on a card"
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style></head>
<body>
<h1>{html.escape(title)}</h1>
<p class="verdict">{html.escape(verdict(calls))}</p>
<div class="bar all">{"".join(_part(bound, cycles / max(total, 1)) for bound, cycles in shares.items())}</div>
<p class="key">{"".join(f'<span style="background:{_COLORS[bound]}"></span>{bound}' for bound in shares)}</p>
<p class="note">Estimated for {html.escape(chip)} from the table of the chip; {source}.</p>
<table><thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody></table>
{pictures}
<script type="application/json" id="estimates">{embedded}</script>
<script>{_SCRIPT}</script>
</body>
</html>
"""


def shares_by_bound(calls: Sequence[ProfiledCall]) -> dict[str, int]:
    """The cycles of calls by the bound of each call, the largest first."""
    cycles: dict[str, int] = {}
    for call in calls:
        if call.estimate.cycles:
            cycles[call.estimate.bound] = cycles.get(call.estimate.bound, 0) + call.estimate.cycles
    return dict(sorted(cycles.items(), key=lambda pair: -pair[1]))


def cycles_of(calls: Sequence[ProfiledCall]) -> tuple[int, int]:
    """Return the cycles of the chip's operations, and those of the host's transfers beside them."""
    on_chip = sum(call.estimate.cycles for call in calls if not call.estimate.on_host)
    return on_chip, sum(call.estimate.cycles for call in calls) - on_chip


def verdict(calls: Sequence[ProfiledCall]) -> str:
    """Return a sentence with the bound of most of the chip's time, the longest operation, and the time of transfers."""
    on_chip = [call for call in calls if not call.estimate.on_host]
    shares = shares_by_bound(on_chip)
    total, transfers = cycles_of(calls)
    said = "nothing here takes time on the chip"
    if total:
        bound, most = next(iter(shares.items()))
        longest = max((call.estimate for call in on_chip), key=lambda one: one.cycles)
        place = f" at {longest.location}" if longest.location else ""
        said = (
            f"{100 * most / total:.0f} % of the chip's time goes to operations that are bound by {bound}; the longest, "
            f"{longest.operation}{place}, takes {100 * longest.cycles / total:.0f} %"
        )
    if transfers:
        said += f"; transfers to and from the host take {transfers:,} cycles ({HOST_RATE})"
    return said


def _part(bound: str, share: float) -> str:
    return f'<span style="width:{100 * share:.2f}%;background:{_COLORS[bound]}" title="{bound}: {100 * share:.1f} %"></span>'


def _row(call: ProfiledCall, total: int, measured: Mapping[int, float]) -> str:
    one = call.estimate
    said = one.as_dict()
    note = f' <span class="note">{html.escape(one.note)}</span>' if one.note else ""
    cells = [
        _number(call.number),
        f"<td>{html.escape(one.operation)}</td>",
        f"<td>{html.escape('; '.join(said['outputs']))}</td>",
        _number(one.cores),
        _number(one.read + one.written),
        _number(one.cycles),
        f'<td data-value="{one.cycles}"><div class="bar">{_part(one.bound, one.cycles / total)}</div></td>',
        f"<td>{one.bound}{note}</td>",
        f"<td>{html.escape(one.location)}</td>",
    ]
    if measured:
        cells.append(_number(round(measured[call.number])) if call.number in measured else "<td></td>")
    return f"<tr>{''.join(cells)}</tr>"


def _number(value: int) -> str:
    return f'<td class="number" data-value="{value}">{value:,}</td>'
