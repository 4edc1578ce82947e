"""Every example as one body: its kernels joined in the order of the text are divided into the same kernels again.

The same kernels give the same results, data flow and cycles, so that none of them has to run. Where the threads are others,
the table says why.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ttl.frontend.dividing import divided
from ttl.session import Session

EXAMPLES = Path(__file__).parents[2] / "examples"
_SEMAPHORES = "what semaphores order is on one mover"
# Examples of which the threads are others, and why.
OTHERS = {
    "flash_attention": "constants of the compute kernel stay in the body",
    "semaphores_pingpong": _SEMAPHORES,
    "spec_many_to_one_barrier": _SEMAPHORES,
    "spec_one_to_many_barrier": _SEMAPHORES,
    "spec_ring_forward": "what only sends is on a mover of its own, and writes with what receives",
}
PROGRAMS = [
    path
    for path in sorted(EXAMPLES.glob("*.py"))
    if path.name != "checking.py" and "@ttl.datamovement" in path.read_text()
]


def _kernels(operation: ast.FunctionDef) -> list[ast.FunctionDef]:
    return [
        node
        for node in operation.body
        if isinstance(node, ast.FunctionDef)
        and any(
            word in ast.unparse(item) for item in node.decorator_list for word in ("compute", "datamovement")
        )
    ]


def _operations(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _kernels(node)]


def _texts(operation: ast.FunctionDef) -> list[str]:
    return sorted(ast.unparse(ast.Module(kernel.body, [])) for kernel in _kernels(operation))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_joined_kernels_are_divided_into_the_same(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = ast.parse(program.read_text())
    wanted = {operation.name: _texts(operation) for operation in _operations(tree)}
    for operation in _operations(tree):
        kernels = _kernels(operation)
        operation.body = [
            inner
            for statement in operation.body
            for inner in (
                statement.body
                if isinstance(statement, ast.FunctionDef) and statement in kernels
                else [statement]
            )
        ]
    (tmp_path / program.name).write_text(ast.unparse(tree))
    (tmp_path / "checking.py").write_text((EXAMPLES / "checking.py").read_text())
    monkeypatch.chdir(tmp_path)
    with Session().entered():
        _, bodies = divided(str(tmp_path / program.name))
    assert [finding.message for _, result in bodies for finding in result.findings] == []
    result = {body.name: _texts(parts.operation) for body, parts in bodies if parts.operation is not None}
    assert result.keys() == wanted.keys()
    assert (result == wanted) is (program.stem not in OTHERS)
