"""What is different in text of another date than 2024-11-21, whose dialects this tool reads, and of other dialects.

Some of it is in the documents of that date, which their own dialects had outgrown.

Whole texts of 2025 and later are upgraded when they are read (``ttmlir.transforms.upgrade``); these are for what is mixed.
"""

from __future__ import annotations

import re
from itertools import chain

from ttl.ir.reports import Report

_NO_DEVICE = "leave tt.device out, and --ttir-implicit-device makes it of tt.system_desc"
# Parts of messages, and what to say with them. The first one that fits counts.
_HINTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"tt\.metal_layout\b"),
        "tt.layout was called metal_layout a week after 2024-11-21, whose dialects this tool reads: write #tt.layout",
    ),
    (
        re.compile(r"operation .*'(d2m|ttkernel|ttmetal)\."),
        "this operation came after 2024-11-21, whose dialects this tool reads",
    ),
    (
        re.compile(r"operation .*'(mhlo|onnx|torch|linalg)\."),
        "a module has to be in TTIR, StableHLO or TOSA: there is no conversion from other dialects",
    ),
    (
        re.compile(r"unregistered operation '(ttir|ttnn)\."),
        "operations of other dates than 2024-11-21 are not read; --allow-unregistered-dialect does not change that",
    ),
    (
        re.compile(r"'ttir\.\S+' op .*(operandSegmentSizes|operands?, but)"),
        "operations of ttir take the tensor that they write, such as a tensor.empty, as their last operand: of those of "
        "2024-11-21, which this tool reads, none makes it by itself, and elementwise ones say "
        "operandSegmentSizes = array<i32: inputs, 1>",
    ),
)


# The same of messages that say more with the line that they are about.
_HINTS_OF_LINES: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "expected '{'",
        re.compile(r"#tt\.system_desc<"),
        "this is an older form of #tt.system_desc: it has the host's processors first, [{role = host, ...}], and each chip as "
        "{arch = <...>, grid = 8x8, l1_size = ..., ...}; leave tt.system_desc out, and --ttir-load-system-desc "
        "gives the module one",
    ),
    (
        "expected 'l1Map'",
        re.compile(""),
        f"this is an older form of #tt.device: l1Map and dramMap stand between workerGrid and meshShape; {_NO_DEVICE}",
    ),
    (
        "expected 'workerGrid'",
        re.compile(""),
        "this is an older form of #tt.device: what it has is named, workerGrid = ..., l1Map = ..., dramMap = ..., "
        f"meshShape = , chipIds = [0]; {_NO_DEVICE}",
    ),
    (
        "expected an affine map",
        re.compile(r"#tt\.layout<\s*\d"),
        "this is an older form of #tt.layout, with strides: it begins with an affine map, such as (d0, d1) -> (d0, d1), or "
        "(d0, d1, d2) -> (d0 * 64 + d1, d2) for a tensor of three dimensions on a grid of two",
    ),
    (
        "requires attribute 'operand_constraints'",
        re.compile(""),
        "operations of ttir say of each operand where it may lie and how: operand_constraints = [#c, #c], one for each, with "
        "#c = #tt.operand_constraint<dram|l1|tile|any_device_tile>",
    ),
    (
        "invalid kind of type specified",
        re.compile(r"tensor\.empty"),
        "this is an older form of tensor.empty: what stands behind the colon is the type of its result alone",
    ),
)


def hint_for(report: Report, line: str) -> str | None:
    """What may be different in the text that an error is about, which is on this line."""
    of_message = (hint for pattern, hint in _HINTS if pattern.search(report.message))
    of_line = (
        hint for text, pattern, hint in _HINTS_OF_LINES if text in report.message and pattern.search(line)
    )
    return next(chain(of_message, of_line), None)
