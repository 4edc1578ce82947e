"""``ttrt read``: the contents of a binary or a system description."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tt_model.flatbuffer.stored_inputs import StoredInput
from ttrt.binary import Binary, Flatbuffer, FlatbufferError, SystemDesc, as_dict, load_from_path, stats
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.util import BINARIES, binaries_at, result_entry, save_results


def _version(file: Flatbuffer) -> str:
    return f"version: {file.version}\ntt-mlir git hash: {file.ttmlir_git_hash}"


def _system_desc(file: Flatbuffer) -> str:
    return json.dumps(as_dict(file).get("system_desc", {}), indent=2)


def _texts(name: str) -> Callable[[Flatbuffer], str]:
    def texts(file: Flatbuffer) -> str:
        parts = []
        for index, program in enumerate(_programs(file)):
            debug = program.get("debug_info", {})
            text = (
                debug.get("mlir", {}).get("source", "")
                if name == "mlir"
                else debug.get("cpp", "") or _kernels(program)
            )
            parts.append(f"program[{index}]: {program.get('name', '')}\n{text}")
        return "\n".join(parts)

    return texts


def _kernels(program: Mapping[str, Any]) -> str:
    """The C++ of a TTMetal program, each kernel below its command."""
    return "\n".join(
        f"// command {number}, kernel {index}\n{kernel.get('kernel', {}).get('source', '')}"
        for number, command in enumerate(stats.commands_of(program))
        for index, kernel in enumerate(command.get("type", {}).get("program", {}).get("kernels", []))
    )


def _tensors(name: str) -> Callable[[Flatbuffer], str]:
    def tensors(file: Flatbuffer) -> str:
        parts = []
        for index, program in enumerate(_programs(file)):
            text = json.dumps(_with_names(file, index, program.get(name, []), name), indent=2)
            parts.append(f"program[{index}]: {program.get('name', '')}\n{text}")
        return "\n".join(parts)

    return tensors


def _with_names(file: Flatbuffer, program: int, tensors: list[Any], name: str) -> list[Any]:
    """Inputs with their names in the file, and whether the file stores their elements."""
    known = {
        one.index: one
        for one in (file.stored_inputs if isinstance(file, Binary) and name == "inputs" else ())
        if one.program == program
    }
    return [
        {
            "name": known[index].name,
            "is_stored": known[index].elements is not None,
            **_limits(known[index]),
            **tensor,
        }
        if index in known
        else tensor
        for index, tensor in enumerate(tensors)
    ]


def _limits(known: StoredInput) -> dict[str, list[int]]:
    return {} if known.limits is None else {"limits": list(known.limits)}


def _programs(file: Flatbuffer) -> list[Mapping[str, Any]]:
    if isinstance(file, SystemDesc):
        raise FlatbufferError(
            "a system description has no programs; its sections are version, system_desc and all"
        )
    programs: list[Mapping[str, Any]] = as_dict(file).get("programs", [])
    return programs


def _op_stats(file: Flatbuffer) -> str:
    _programs(file)
    return json.dumps(stats.collect_op_stats(file), indent=2)  # type: ignore[arg-type]


_SECTIONS: Mapping[str, Callable[[Flatbuffer], str]] = MappingProxyType(
    {
        "all": lambda file: file.as_json(),
        "version": _version,
        "system_desc": _system_desc,
        "mlir": _texts("mlir"),
        "cpp": _texts("cpp"),
        "inputs": _tensors("inputs"),
        "outputs": _tensors("outputs"),
        "op_stats": _op_stats,
    }
)


class Read(Command):
    """Read sections of a binary file."""

    NAME = "read"
    SUMMARY = "read sections of a binary, or of all binaries in a folder"
    FLAGS = (
        Flag(name="--section", default="all", help="which section", choices=tuple(_SECTIONS)),
        *ARTIFACT_FLAGS,
        Flag(name="--result-file", default="read_results.json", help="where the results are written"),
    )

    def execute(self) -> list[dict[str, Any]]:
        section = self.options["section"]
        results = []
        paths = binaries_at(self.options["binary"], (*BINARIES, ".ttsys"))
        for path in paths:
            try:
                file = load_from_path(path)
                text = _SECTIONS[section](file)
                if len(paths) > 1:
                    self.logger.info(f"{path}:")
                print(text)
                self.logger.debug(f"{path}: section {section}\n{text}")
                if self.options["save-artifacts"]:
                    self._save(path, file)
                results.append(result_entry(path, "pass", "", **self.entry()))
            except FlatbufferError as problem:
                results.append(self.failed(path, problem))
        save_results(results, self.options["result-file"])
        return results

    def _save(self, path: Path, file: Flatbuffer) -> None:
        if isinstance(file, Binary):
            self.artifacts.save_binary(path, file)
        else:
            self.artifacts.save(self.artifacts.folder / path.name, file.content)
