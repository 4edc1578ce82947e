"""The kernel API of TT-Metalium: one row per function that generated kernels call, with its spelling in each generation."""

from ttl.kernel_api.model import Argument, Call, Const, Kind, Thread
from ttl.kernel_api.table import CALLS, call

__all__ = ["CALLS", "Argument", "Call", "Const", "Kind", "Thread", "call"]
