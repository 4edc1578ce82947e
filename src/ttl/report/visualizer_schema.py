"""The tables of a report of TT-NN that ttnn-visualizer opens: their names, and the names and types of their columns.

``tests/run_reports/test_visualizer.py`` compares them with the tables that the wheel of that release makes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

RELEASE = "0.81.1"
"""The release of TT-NN."""
VERSION = "3.5"
"""The version of the schema, as that release counts it."""

_RANK = "rank int NOT NULL DEFAULT 0"
# The columns of every table; a column without a type is an int. The columns after the semicolon are unique together
# with the rank.
_TABLES = """
devices: device_id num_y_cores num_x_cores num_y_compute_cores num_x_compute_cores worker_l1_size l1_num_banks \
l1_bank_size address_at_first_l1_bank address_at_first_l1_cb_buffer num_banks_per_storage_core num_compute_cores \
num_storage_cores total_l1_memory total_l1_for_tensors total_l1_for_interleaved_buffers total_l1_for_sharded_buffers cb_limit
operations: operation_id name=text duration=float; operation_id
operation_arguments: operation_id name=text value=text
sub_device_managers: device_id sub_device_manager_id; device_id sub_device_manager_id
sub_devices: device_id sub_device_manager_id sub_device_id worker_core_ranges=text; device_id sub_device_manager_id sub_device_id
operation_executions: execution_id operation_id device_id physical_device_id runtime_id global_call_count \
command_queue_id; execution_id
execution_sub_devices: execution_id device_id sub_device_manager_id sub_device_id; \
execution_id device_id sub_device_manager_id sub_device_id
device_tensors: tensor_id device_id address
buffers: operation_id device_id address max_size_per_bank buffer_type buffer_layout
captured_graph: operation_id captured_graph=text
nodes: operation_id unique_id node_operation_id name=text
edges: operation_id source_unique_id sink_unique_id source_output_index sink_input_index key
errors: operation_id operation_name=text error_type=text error_message=text stack_trace=text timestamp=text
input_tensors: operation_id input_index tensor_id
output_tensors: operation_id output_index tensor_id
tensor_lifetime: tensor_id producer_operation_id last_use_operation_id deallocate_operation_id producer_source_file=text \
producer_source_line last_use_source_file=text last_use_source_line; tensor_id
tensor_consumers: tensor_id operation_id input_index; tensor_id operation_id input_index
tensor_producers: tensor_id operation_id output_index; tensor_id operation_id output_index
local_tensor_comparison_records: tensor_id golden_tensor_id matches desired_pcc=float actual_pcc=float; tensor_id
global_tensor_comparison_records: tensor_id golden_tensor_id matches desired_pcc=float actual_pcc=float; tensor_id
buffer_chunks: operation_id device_id address bank_id core_x core_y chunk_address chunk_size page_size num_pages buffer_type
"""
# The tables that have no rank, or do not have it as their last column.
_OTHERS = (
    "CREATE TABLE report_metadata (key text UNIQUE, value text)",
    "CREATE TABLE source_files (id INTEGER PRIMARY KEY, path text UNIQUE NOT NULL, contents text)",
    "CREATE TABLE tensors (tensor_id int, shape text, dtype text, layout text, memory_config text, device_id int, "
    f"address int, buffer_type int, {_RANK}, storage_type text, UNIQUE (tensor_id, rank))",
    f"CREATE TABLE stack_traces (operation_id int, stack_trace text, source_file_id int REFERENCES source_files (id), {_RANK})",
    "CREATE INDEX idx_stack_traces_source_file_id ON stack_traces (source_file_id)",
)

# TT-NN's options in the file beside the database, which this runtime does not set.
CONFIG: Mapping[str, object] = {
    "cache_path": "",
    "model_cache_path": "",
    "tmp_dir": "",
    "enable_model_cache": False,
    "enable_fast_runtime_mode": False,
    "validate_program_args": False,
    "throw_exception_on_fallback": False,
    "enable_logging": False,
    "enable_graph_report": False,
    "enable_graph_python_stack_traces": False,
    "enable_detailed_buffer_report": False,
    "enable_detailed_tensor_report": False,
    "enable_comparison_mode": False,
    "comparison_mode_should_raise_exception": False,
    "comparison_mode_pcc": 0.9999,
    "root_report_path": "",
    "report_name": None,
    "strict_ccl_topology": False,
}


def make_tables(database: sqlite3.Connection) -> None:
    """Make all tables, with no rows."""
    for line in _TABLES.strip().splitlines():
        name, _, content = line.partition(": ")
        columns, _, unique = content.partition("; ")
        fields = (column.partition("=") for column in columns.split())
        parts = [*(f"{column} {kind or 'int'}" for column, _, kind in fields), _RANK]
        if unique:
            parts.append(f"UNIQUE ({', '.join([*unique.split(), 'rank'])})")
        database.execute(f"CREATE TABLE {name} ({', '.join(parts)})")
    for statement in _OTHERS:
        database.execute(statement)
