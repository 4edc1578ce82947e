"""``ttrt check``: whether binaries are for a system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ttrt.binary import (
    FlatbufferError,
    SystemDesc,
    as_dict,
    load_binary_from_path,
    load_system_desc_from_path,
)
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.problems import Mismatch
from ttrt.common.programs import check_version
from ttrt.common.query import SIM_FLAG, current_system
from ttrt.common.util import BINARIES, binaries_at, result_entry, save_results


class Check(Command):
    """Check binaries against a system description."""

    NAME = "check"
    SUMMARY = "check that a binary, or a folder of them, fits a system description"
    FLAGS = (
        Flag(
            name="--system-desc",
            default="",
            help="a .ttsys file, or a folder of them, of which one has to fit (default: --sim, or the cards of this machine)",
        ),
        SIM_FLAG,
        *ARTIFACT_FLAGS,
        Flag(name="--result-file", default="check_results.json", help="where the results are written"),
    )

    def execute(self) -> list[dict[str, Any]]:
        systems = self._systems()
        results = [self._check(path, systems) for path in binaries_at(self.options["binary"], BINARIES)]
        save_results(results, self.options["result-file"])
        return results

    def _systems(self) -> list[tuple[str, SystemDesc]]:
        given = self.options["system-desc"]
        if given:
            return [(str(path), load_system_desc_from_path(path)) for path in binaries_at(given, (".ttsys",))]
        return [current_system(self.options["sim"], self.logger)]

    def _check(self, path: Path, systems: list[tuple[str, SystemDesc]]) -> dict[str, Any]:
        try:
            binary = load_binary_from_path(path)
            check_version(binary)
        except (Mismatch, FlatbufferError) as problem:
            return self.failed(path, problem)
        wanted = as_dict(binary).get("system_desc")
        for name, system in systems:
            if as_dict(system).get("system_desc") == wanted:
                if self.options["save-artifacts"]:
                    self.artifacts.save_binary(path, binary)
                self.logger.info(f"{path}: is for {name}")
                return result_entry(path, "pass", "", **self.entry(system_desc=name))
        names = ", ".join(name for name, _ in systems)
        why = f"system desc for device did not match flatbuffer: it was compiled for another system than {names}"
        return self.failed(path, Mismatch(why, is_skipped=False), system_desc=names)
