"""JAX where there is one; without it, what needs it is not collected."""

from importlib.util import find_spec

collect_ignore = (
    []
    if find_spec("jax")
    else [
        "operations.py",
        "test_operations.py",
        "test_models.py",
        "test_tt_lang.py",
        "test_at_random.py",
        "test_mesh.py",
    ]
)
