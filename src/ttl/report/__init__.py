"""Reports of runs: the events of a launch, as data for the page of ``--report`` and for programs.

The schema is in docs/reference/report.md. The package is imported only when a report is requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ttl.report.loaded import load as load


def __getattr__(name: str) -> Any:
    if name == "load":
        from ttl.report.loaded import load

        return load
    raise AttributeError(f"module 'ttl.report' has no attribute {name!r}", name=name)
