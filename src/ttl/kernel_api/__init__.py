"""The kernel API of TT-Metalium: one row per function that generated kernels call, with its spelling in each generation."""

from ttl.kernel_api.function_rows import Call, CallParameter, Const, Kind, Thread
from ttl.kernel_api.table import CALLS, call

__all__ = ["CALLS", "Call", "CallParameter", "Const", "Kind", "Thread", "call"]
