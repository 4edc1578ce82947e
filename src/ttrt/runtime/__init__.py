"""The runtime: devices, tensors, programs that run on them. Without a card the devices are simulated.

The names are those of the real runtime. A simulated program has finished when ``submit`` returns.
"""

from __future__ import annotations

from tt_model.binaries.hooks import (
    DebugEnv,
    DebugHooks,
    WorkaroundEnv,
    get_op_debug_str,
    get_op_output_tensor,
)
from tt_model.binaries.submission import (
    Device,
    DeviceRuntime,
    Event,
    Tensor,
    close_device,
    create_multi_device_tensor,
    create_tensor,
    get_available_runtimes,
    get_current_runtime,
    get_current_system_desc,
    get_num_available_devices,
    open_device,
    set_compatible_runtime,
    submit,
    wait,
)
from tt_model.layouts.enums import DataType
from ttrt.runtime.stitching import (
    DeviceTensor,
    deallocate_tensor,
    get_input_layouts,
    has_layout,
    submit_on_device,
    to_host,
    to_layout,
)

__all__ = [
    "DataType",
    "DebugEnv",
    "DebugHooks",
    "Device",
    "DeviceRuntime",
    "DeviceTensor",
    "Event",
    "Tensor",
    "WorkaroundEnv",
    "close_device",
    "create_multi_device_tensor",
    "create_tensor",
    "deallocate_tensor",
    "get_available_runtimes",
    "get_current_runtime",
    "get_current_system_desc",
    "get_input_layouts",
    "get_num_available_devices",
    "get_op_debug_str",
    "get_op_output_tensor",
    "has_layout",
    "open_device",
    "set_compatible_runtime",
    "submit",
    "submit_on_device",
    "to_host",
    "to_layout",
    "wait",
]
