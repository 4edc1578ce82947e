"""``ttl.tunable``: parameters of an operation whose values are chosen instead of passed (principles 2.5, 3 and 6).

The conventions follow known tools: configurations and a ``key``, the arguments that the choice depends on, as in Triton's
``autotune``, values by parameter as in Helion.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ttl.diag import Diagnostic, ProgramError
from ttl.lang.check import fail, public
from ttl.lang.choices import AsLargeAsFits, Config, Tunable, declared
from ttl.lang.operation import Operation
from ttl.rules import tuning as rules
from ttl.source.spans import user_span


@public
def as_large_as_fits(*values: Any) -> AsLargeAsFits:
    """Values of a tunable parameter, smallest first: the largest with which the operation fits on a node is preferred.

    A size relative to the free memory of the chip: number of blocks in a buffer, extents of blocks in tiles. The operation must
    not need less L1 with a larger value. Principle 2.5.
    """
    return AsLargeAsFits(values)


@public
def tunable(
    *sizes: Any,
    configs: Sequence[Config] | None = None,
    key: Sequence[str] | None = None,
    where: Callable[..., object] | None = None,
    **values: Any,
) -> Any:
    """Declare parameters of an operation that a call may leave out: a configuration is chosen for it.

    Written above ``@ttl.operation``. Without any parameter, ``@ttl.tunable()``, only the schedule is chosen, which
    ``ttl tune --schedules`` looks for. Either ``configs`` lists whole configurations, or each keyword names a parameter
    and has its values: a sequence, the preferred value first, ``ttl.as_large_as_fits(...)``, or a dict with one of these for each
    chip; every combination is a configuration then. ``where`` is a function of any parameters of the operation, by their
    names, and returns whether the combination may be used; the others are left out. ``key`` names the parameters that the choice depends on:
    of a tensor its shape, element type, layout and memory, of anything else the value; without it, all that are not tunable.

    A call gets the configuration that the file of tuned configurations has for its key, the chip and the grid; without
    one, the first possible one: ``where`` returns True, and buffers and tensors fit in L1; ``ttl.as_large_as_fits`` is decided last. Parameters that the call passes
    stay.
    Errors: TTL0242 for a wrong declaration, TTL0243 if no configuration is possible.

    In a tile program, ``ttl.tunable(1, 2, 4)`` is one of these sizes, which the designer chooses.
    """
    if sizes:
        from ttl.lang.tiles import choice

        return choice(sizes)
    span = user_span()
    try:
        condition = () if where is None else tuple(inspect.signature(where).parameters)
    except (TypeError, ValueError):
        raise ProgramError(rules.no_condition(where).at(span)) from None
    described = declared(configs, key, (where, condition), values, span)
    if isinstance(described, Diagnostic):
        raise ProgramError(described.at(span))

    def declare(target: Operation) -> Operation:
        finding = attach(target, described)
        if finding is not None:
            fail(finding)
        return target

    return declare


def attach(target: Any, tunable: Tunable) -> Diagnostic | None:
    """Add a declaration to an operation, or raise the reason why that is not possible."""
    if not isinstance(target, Operation):
        return rules.not_an_operation(target)
    name = target.function.__name__
    if target.tunable is not None:
        return rules.declared_twice(name)
    parameters = target.signature.parameters
    missing = {*tunable.names, *(tunable.key or ()), *tunable.condition} - set(parameters)
    if missing:
        return rules.no_such_parameter(name, missing, tuple(parameters))
    target.choose_later(tunable)
    return None
