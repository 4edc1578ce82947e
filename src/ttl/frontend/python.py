"""The meaning of each construct of Python, in one table."""

from ttl.frontend import assignments, containers, definitions, expressions, flow, matching, operators
from ttl.frontend import function_calls as calls
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
