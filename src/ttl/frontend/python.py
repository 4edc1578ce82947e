"""What each construct of Python means, in one table."""

from ttl.frontend import assignments, calls, containers, definitions, expressions, flow, matching, operators
from ttl.frontend.evaluator import Handlers

HANDLERS: Handlers = {
    **operators.HANDLERS,
    **containers.HANDLERS,
    **expressions.HANDLERS,
    **calls.HANDLERS,
    **assignments.HANDLERS,
    **definitions.HANDLERS,
    **flow.HANDLERS,
    **matching.HANDLERS,
}
