"""``ttrt query``: the description of the system that there is."""

from __future__ import annotations

from typing import Any

from ttmlir.flatbuffer.system_desc import SystemDescFileError
from ttmlir.layouts.values import LayoutError
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.util import result_entry, save_results
from ttrt.runtime.api import DEFAULT_SYSTEM, get_current_system_desc

SIM_FLAG = Flag(
    name="--sim",
    default="",
    help="the simulated system: n150, n300, or the path of a .ttsys file",
)


class Query(Command):
    """Query the system for its description."""

    NAME = "query"
    SUMMARY = "describe the system, and write system_desc.ttsys with --save-artifacts"
    TAKES = ""
    FLAGS = (
        SIM_FLAG,
        *ARTIFACT_FLAGS,
        Flag(name="--quiet", default=False, help="do not print the description"),
        Flag(name="--result-file", default="query_results.json", help="where the results are written"),
    )

    def execute(self) -> list[dict[str, Any]]:
        try:
            desc, _ = get_current_system_desc(self.options["sim"] or DEFAULT_SYSTEM)
        except (LayoutError, SystemDescFileError) as problem:
            self.logger.error(str(problem))
            results = [result_entry(None, "error", str(problem), **self.entry())]
        else:
            if not self.options["quiet"]:
                print(desc.as_json())
            if self.options["save-artifacts"]:
                path = self.artifacts.folder / "system_desc.ttsys"
                self.artifacts.save(path, desc.content)
                self.logger.info(f"system description written to {path}")
            results = [result_entry(None, "pass", "", **self.entry())]
        save_results(results, self.options["result-file"])
        return results
