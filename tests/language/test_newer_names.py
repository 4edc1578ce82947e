"""Names of the newer language that are not here: each is refused with a reason, by runs and checks alike (TTL0247)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest

import ttl
from support.programs import run_program, run_ttl
from ttl.rules.newer_names import ARGUMENTS, NAMES

PROGRAM = """
import ttl
import ttnn
{0}


@ttl.operation(grid=(1, 1){1})
def double(x):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    {2}

    @ttl.datamovement()
    def read():
        {3}
        with x_dfb.reserve() as blk:
            ttl.copy(x[0, 0], blk).wait()

    @ttl.datamovement()
    def write():
        with x_dfb.wait() as blk:
            ttl.copy(blk, x[0, 0]).wait()


double(ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
PLACES = {
    "ttl.DFBReconfiguration": ("point = ttl.DFBReconfiguration(participants=())", "", "pass", "pass"),
    "ttl.reconfigure_dfbs": ("", "", "pass", "ttl.reconfigure_dfbs(None)"),
    "ttl.KernelDefine": ("from ttl import KernelDefine", "", "pass", "pass"),
    "ttl.DFBAddressScope": ("", "", "ttl.make_dfb('bf16', (1, 1), address_scope=ttl.DFBAddressScope.LOCAL)", "pass"),
    "runtime_resource_factory= of ttl.operation": ("", ", runtime_resource_factory=None", "pass", "pass"),
    "kernel= of ttl.copy": ("K = ttl.Kernel(ttl.KernelKind.DATA_MOVEMENT)", "", "pass", "ttl.copy(x[0, 0], x_dfb, kernel=K)"),
}  # fmt: skip


@pytest.mark.parametrize("spelled", PLACES)
def test_a_name_is_refused_with_its_reason(spelled: str, tmp_path: Path) -> None:
    """Alike by a run and by the check, wherever it stands."""
    text = PROGRAM.format(*PLACES[spelled])
    said = []
    for source in ("run", "check"):
        if source == "run":
            lines = run_program(text, folder=tmp_path, flags=["--format", "json"]).stderr.splitlines()
            findings = [json.loads(line) for line in lines]
        else:
            found = run_ttl(["check", "--format", "json", "example.py"], folder=tmp_path).stdout
            findings = json.loads(found)["diagnostics"]
        finding = next(item for item in findings if item.get("code") == "TTL0247")
        assert finding["message"] == f"{spelled} is not in TT-Lang"
        said.append((finding["primary"], finding["notes"][0], finding["help"]))
    assert said[0] == said[1]


def test_names_that_are_here_are_not_in_the_table() -> None:
    """Who adds one takes it out of the table; and each says why, and what to write."""
    assert not NAMES.keys() & {*ttl.__all__}
    for known in (*NAMES.values(), *ARGUMENTS.values()):
        assert known.why and known.instead
    with pytest.raises(AttributeError, match="is not in TT-Lang"):
        ttl.KernelDefine  # type: ignore[attr-defined]
    assert not hasattr(ttl, "DFBReconfiguration")


def test_a_name_that_a_program_can_do_without(tmp_path: Path) -> None:
    """Behind ``except ImportError`` nothing is said; a misspelt name of an import is, with what is near."""
    check: Literal["auto", "off"]
    fallback = "try:\n    from ttl import KernelDefine\nexcept ImportError:\n    KernelDefine = None"
    for check in ("off", "auto"):
        said = run_program(PROGRAM.format(fallback, "", "pass", "pass"), folder=tmp_path, check=check)
        assert (said.status, said.stderr) == (0, "")
    said = run_program(PROGRAM.format("from ttl import comput", "", "pass", "pass"), folder=tmp_path)
    assert "error[TTL0228]: TT-Lang has no ttl.comput" in said.stderr and "ttl.compute" in said.stderr
    assert "error[TTL0228]" in run_ttl(["check", "example.py"], folder=tmp_path).stdout
