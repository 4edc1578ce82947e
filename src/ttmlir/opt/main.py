"""What ``ttmlir-opt`` is made of."""

from __future__ import annotations

from ttl.ir import upstream
from ttl.ir.tool import Tool

TTMLIR_OPT = Tool(name="ttmlir-opt", dialects={}, passes=upstream.PASSES)
main = TTMLIR_OPT.main
