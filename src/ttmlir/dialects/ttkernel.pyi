"""The operations of ``ttkernel``. Written by scripts/update_ttmlir_stubs.py from the rows."""

from collections.abc import Sequence
from typing import Any

from ttmlir.bindings import ttkernel_ir
from ttmlir.bindings.operations import Operation, OpResultList, OpView, Value
from ttmlir.bindings.registration import register_dialect as register_dialect
from ttmlir.bindings.scope import InsertionPoint, Location
from ttmlir.bindings.types import Type

_Value = Value | Operation | OpView
ir = ttkernel_ir
