"""A process of ``ttl run --schedules N`` with ``--jobs`` or ``--cluster``: runs a program under its share of seeds."""

from __future__ import annotations

import os
from typing import Any

from ttl import settings
from ttl.cli.program import load
from ttl.cli.run import execute
from ttl.cli.status import Status
from ttl.diag import json as diag_json
from ttl.session import CHOSEN
from ttl.sim.schedules import SHARE, SeedShare


def tried(task: dict[str, Any], item: list[int]) -> dict[str, Any] | None:
    """The first failure of a share of the seeds: the number of the launch, the seed and the findings; None without one.

    ``item`` is the first seed of the share and the number of its seeds.
    """
    chosen = settings.from_json(task["settings"])
    if os.path.isdir(task["folder"]):  # on a cluster, a process begins in the folder of its worker
        os.chdir(task["folder"])
    share = SeedShare(first=item[0], count=item[1])
    with CHOSEN.given(chosen), SHARE.given(share):
        status = execute(load(task["program"]), task["program"], task["arguments"], chosen)
    if status == Status.OK or share.failed is None:
        return None
    launch, seed, diagnostics = share.failed
    return {"failed": [launch, seed], "findings": [diag_json.to_object(finding) for finding in diagnostics]}
