"""What is different in text of another date than 2024-11-21, whose dialects this tool reads, and of other dialects.

Whole texts of 2025 and later are upgraded when they are read (``ttmlir.transforms.upgrade``); these are for what is mixed.
"""

from __future__ import annotations

import re

from ttl.ir.reports import Report

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


def hint_for(report: Report) -> str | None:
    """What may be different in the text that an error is about."""
    return next((hint for pattern, hint in _HINTS if pattern.search(report.message)), None)
