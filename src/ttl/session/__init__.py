"""The state of one run of the tool: what it reads, what was chosen, and what it keeps because of them."""

from ttl.session.session import Part, Same, Session, cached, current
from ttl.session.sources import SOURCES, Sources, Text
from ttl.session.switches import CHOSEN

__all__ = ["CHOSEN", "SOURCES", "Part", "Same", "Session", "Sources", "Text", "cached", "current"]
