"""The state of one run of the tool: the texts that it reads, the settings, and results that depend on them."""

from ttl.session.patience import CANCELLED, Cancelled, go_on
from ttl.session.session import Part, SameObject, Session, cached, current
from ttl.session.sources import SOURCES, FileText, Sources
from ttl.session.switches import CHOSEN

__all__ = [
    "CANCELLED",
    "CHOSEN",
    "SOURCES",
    "Cancelled",
    "FileText",
    "Part",
    "SameObject",
    "Session",
    "Sources",
    "cached",
    "current",
    "go_on",
]
