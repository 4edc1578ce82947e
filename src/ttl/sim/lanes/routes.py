"""Which lanes send to which over pipes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any

from ttl.sim.numbers import TracedNumberError

# A pipe: the node that sends, and those that receive.
Ends = tuple[int, tuple[int, ...]]


class Routes:
    """The pipes between groups of lanes. The first node of each group is run."""

    def __init__(self, groups: Sequence[tuple[int, ...]]) -> None:
        self._groups = groups
        self._group_of = {node: number for number, nodes in enumerate(groups) for node in nodes}
        # By the receiving and the sending node that are run: for each lane of the receiver, the lane that it receives
        # from.
        self.lanes: dict[tuple[int, int], tuple[int, ...]] = {}

    def of_net(self, pipes: Sequence[Ends]) -> list[Ends | None]:
        """Return the pipes of a net between the nodes that are run; None in place of a pipe between others.

        Raises ``TracedNumberError`` where lanes of a group differ in their sends and receives: the launch is then run with
        smaller groups, or without any.
        """
        outgoing: dict[int, list[int]] = defaultdict(list)
        incoming: dict[int, list[int]] = defaultdict(list)
        for number, (source, destinations) in enumerate(pipes):
            outgoing[source].append(number)
            for node in destinations:
                incoming[node].append(number)
        self._part(pipes, outgoing, incoming)
        run = {nodes[0] for nodes in self._groups}
        for nodes in self._groups:
            for place, pipe in enumerate(incoming[nodes[0]]):
                source = pipes[pipe][0]
                if source not in run:
                    raise TracedNumberError  # a node that is run would receive from a node that is not
                lanes = []
                for node in nodes:
                    sender = pipes[incoming[node][place]][0]
                    if outgoing[sender].index(incoming[node][place]) != outgoing[source].index(pipe):
                        raise TracedNumberError
                    lanes.append(self._groups[self._group_of[sender]].index(sender))
                if self.lanes.setdefault((nodes[0], source), tuple(lanes)) != tuple(lanes):
                    raise TracedNumberError  # from one lane over this pipe, from another over that
        return [self._between(pipe, run) for pipe in pipes]

    def _between(self, pipe: Ends, run: set[int]) -> Ends | None:
        source, destinations = pipe
        if source not in run:
            return None
        here = tuple([node for node in destinations if node in run])
        if not here:
            raise TracedNumberError
        return source, here

    def _part(
        self, pipes: Sequence[Ends], outgoing: dict[int, list[int]], incoming: dict[int, list[int]]
    ) -> None:
        group_of: dict[int, Any] = dict(self._group_of)
        while True:
            answers: dict[int, Hashable] = {
                node: (
                    group,
                    tuple([group_of[pipes[pipe][0]] for pipe in incoming[node]]),
                    tuple([frozenset(map(group_of.__getitem__, pipes[pipe][1])) for pipe in outgoing[node]]),
                )
                for node, group in group_of.items()
            }
            numbers: dict[Hashable, int] = {}
            parted = {node: numbers.setdefault(answer, len(numbers)) for node, answer in answers.items()}
            if len(numbers) == len(set(group_of.values())):
                break
            group_of = parted
        if len(numbers) == len(self._groups):
            return
        groups: dict[int, list[int]] = defaultdict(list)
        for node, group in sorted(parted.items()):
            groups[group].append(node)
        raise TracedNumberError([tuple(nodes) for nodes in groups.values()])
