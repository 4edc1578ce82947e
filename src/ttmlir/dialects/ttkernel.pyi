"""The operations of ``ttkernel``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from ttmlir.bindings import ttkernel_ir
from ttmlir.bindings.operations import Operation, OpView, Value
from ttmlir.bindings.registration import register_dialect as register_dialect

_Value = Value | Operation | OpView
ir = ttkernel_ir
