"""The page of every operation of the dialect, made from its class (``scripts/dialect_operations.py``)."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from xdsl.ir import Operation

ROOT = Path(__file__).resolve().parent.parent.parent
_PATH = sys.path[:]
sys.path.append(str(ROOT / "scripts"))

from dialect_operations import page_of, pages, rules_of, section_of

# The script has a path of its own, which is none for the tests behind this one, and the processes that they start.
sys.path[:] = _PATH

from support.dialect_examples import example_of, module_with
from ttl.dialects import ttl
from ttl.opt.main import TTL_OPT

PLAN = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ttl.OPERATIONS, ids=lambda kind: kind.name)
def test_a_page_says_what_the_class_says(kind: type[Operation]) -> None:
    page = page_of(kind)
    definition = kind.get_irdl_definition()  # type: ignore[attr-defined]
    names = [name for name, _ in (*definition.operands, *definition.results, *definition.regions)]
    names += [name for name in definition.properties if name != "operandSegmentSizes"]
    assert [name for name in names if f"| `{name}` |" not in page] == []
    assert [rule for rule in rules_of(kind) if f"- {rule}" not in page] == []
    assert f"```mlir\n{example_of(kind)}\n```" in page
    section = section_of(kind)
    if section is not None:
        assert f"| {section} |" in PLAN and f"Section {section} of" in page


@pytest.mark.parametrize("kind", ttl.OPERATIONS, ids=lambda kind: kind.name)
def test_the_example_of_a_page_is_read_and_verified(kind: type[Operation]) -> None:
    errors = io.StringIO()
    given = ["--allow-unregistered-dialect"]  # values that the examples take
    assert TTL_OPT.run(given, io.StringIO(module_with(kind)), io.StringIO(), errors) == 0, errors.getvalue()


def test_rules_are_those_of_the_verifier() -> None:
    (copy,) = (kind for kind in ttl.OPERATIONS if kind.name == "ttl.copy")
    rules = rules_of(copy)
    assert "one end of a copy is a block, and the other a slice or a pipe, not `...` and `...`" in rules
    # Two of three operations have some; what the others demand is in their types.
    with_rules = [kind for kind in ttl.OPERATIONS if rules_of(kind)]
    assert len(with_rules) > 25


def test_the_list_leads_to_every_page() -> None:
    made = pages()
    linked = set(re.findall(r"\]\((\w+)\.md\)", made.pop("index")))
    assert linked == set(made) and len(made) == len(ttl.OPERATIONS)


def test_sections_of_the_plan_that_name_an_operation_are_its_own() -> None:
    """A row of the page about the plan that names an operation in its chapter 4 is the row that the operation's page names."""
    wrong = []
    for row in PLAN.splitlines():
        if match := re.match(r"\| (4\.[1-8](?:\.\d)?) \|", row):
            for kind in ttl.OPERATIONS:
                if f"`{kind.name}`" in row and section_of(kind) != match[1]:
                    wrong.append((kind.name, match[1], section_of(kind)))
    assert wrong == []
