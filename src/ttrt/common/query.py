"""``ttrt query``: the description of a system: of the cards of this machine, or of a simulated system."""

from __future__ import annotations

from typing import Any

from tt_model.binaries.submission import get_current_system_desc
from tt_model.flatbuffer.decode import decode
from tt_model.flatbuffer.files import FlatbufferError
from tt_model.flatbuffer.schema import schema
from tt_model.flatbuffer.system_desc import encode_system_desc
from tt_model.layouts.values import LayoutError
from ttrt.binary import SystemDesc
from ttrt.common.card import described, real_ttnn
from ttrt.common.command import ARTIFACT_FLAGS, Command, Flag
from ttrt.common.problems import NoCard, wrong_option
from ttrt.common.util import Logger, result_entry, save_results

SIM_FLAG = Flag(
    name="--sim",
    default="",
    help="the simulated system: n150, n300, t3000, p150 or another one that `ttl doctor --system` takes, or the path of a .ttsys file",
)


def current_system(simulated: str, logger: Logger) -> tuple[str, SystemDesc]:
    """Return the name and the description of a system: the simulated one that is named, else the cards of this machine.

    Raises ``NoCard`` without a card, and ``ProgramError`` if no simulated system has the name.
    """
    if simulated:
        try:
            return simulated, get_current_system_desc(simulated)[0]
        except (LayoutError, FlatbufferError) as problem:
            raise wrong_option(f"--sim {simulated}: {problem}") from None

    card = described(real_ttnn())
    if card.missing:
        logger.warning(f"ttnn does not say {', '.join(card.missing)}: taken from {card.source}")
    content = encode_system_desc(card.system)
    return "the cards of this machine", SystemDesc(content, decode(schema("Common/system_desc.fbs"), content))


class Query(Command):
    """Show the description of a system."""

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
            name, desc = current_system(self.options["sim"], self.logger)
        except NoCard as problem:
            self.logger.report(problem.diagnostic)
            results = [
                result_entry(None, "error", problem.diagnostic.message, code=problem.code, **self.entry())
            ]
        else:
            self.logger.debug(f"described: {name}")
            if not self.options["quiet"]:
                print(desc.as_json())
            if self.options["save-artifacts"]:
                path = self.artifacts.folder / "system_desc.ttsys"
                self.artifacts.save(path, desc.content)
                self.logger.info(f"system description written to {path}")
            results = [result_entry(None, "pass", "", **self.entry())]
        save_results(results, self.options["result-file"])
        return results
