"""Conversion between ``KernelProgram``, the table of kernels that are written out, and artifacts, in both directions.

The table has a field for each member, of the same name. Words are strings there, and rectangles of cores have the form
of the format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Fields = dict[str, Any]
_WORDS = ("compile_time_args", "common_args")
_SCALARS = (
    "format_version", "name", "generation", "chip", "num_pipe_sync_semaphores", "num_pipe_global_semaphores",
    "pipe_sram_scratch_bytes", "kernel_id", "version_tag",
)  # fmt: skip
_TENSOR = ("name", "index", "shape", "dtype", "layout", "memory", "memory_layout", "page_bytes")


def program_table(artifact: Mapping[str, Any]) -> Fields:
    """The table of an artifact. Raises ``ValueError`` if members are missing or have the wrong form."""
    try:
        (left, top), (right, bottom) = (artifact["core_range"][name] for name in ("start", "end"))
        return {
            **{name: artifact[name] for name in _SCALARS if name in artifact},
            "kernels": [_kernel_table(kernel) for kernel in artifact["kernels"]],
            "core_range": {
                "loc": {"y": top, "x": left},
                "size": {"y": bottom - top + 1, "x": right - left + 1},
            },
            "cb_configs": [dict(buffer) for buffer in artifact["cb_configs"]],
            "semaphores": [dict(semaphore) for semaphore in artifact["semaphores"]],
            "tensors": [
                {**{name: tensor[name] for name in _TENSOR}, "accessor": _texts(tensor["accessor"])}
                for tensor in artifact["tensors"]
            ],
        }
    except KeyError as problem:
        raise ValueError(f"its program lacks the member {problem}") from None
    except (AttributeError, TypeError, ValueError) as problem:
        raise ValueError(f"its program has the wrong form: {problem}") from None


def _kernel_table(kernel: Mapping[str, Any]) -> Fields:
    config = dict(kernel["kernel_config"])
    config |= {name: _texts(config[name]) for name in _WORDS}
    config["defines"] = [{"name": name, "value": value} for name, value in config["defines"]]
    return {**kernel, "kernel_config": config}


def artifact_of_table(table: Mapping[str, Any]) -> Fields:
    """The artifact of a table. Fields that are absent in the file are left out."""
    artifact = dict(table)
    cores = table.get("core_range")
    if cores is not None:
        x, y = cores["loc"]["x"], cores["loc"]["y"]
        artifact["core_range"] = {
            "start": [x, y],
            "end": [x + cores["size"]["x"] - 1, y + cores["size"]["y"] - 1],
        }
    artifact["kernels"] = [_kernel_of(kernel) for kernel in table.get("kernels", ())]
    for name in ("cb_configs", "semaphores"):
        artifact[name] = table.get(name, [])
    artifact["tensors"] = [
        {"shape": [], **tensor, "accessor": _words(tensor.get("accessor", ()))}
        for tensor in table.get("tensors", ())
    ]
    return artifact


def _kernel_of(table: Mapping[str, Any]) -> Fields:
    config = dict(table.get("kernel_config", {}))
    config |= {name: _words(config.get(name, ())) for name in _WORDS}
    defines = config.get("defines", ())
    config["defines"] = [[one.get("name", ""), one.get("value", "")] for one in defines]
    return {"tensor_indices": [], **table, "kernel_config": config}


def _texts(words: Sequence[int | str]) -> list[str]:
    return [str(word) for word in words]


def _words(texts: Sequence[str]) -> list[int | str]:
    """Convert words to numbers where they are decimal numbers; no word has more than ten digits."""
    return [int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else text for text in texts]
