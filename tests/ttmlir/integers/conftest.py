"""Both frameworks where there are both; without one, what needs them is not collected."""

from importlib.util import find_spec

collect_ignore = (
    [] if find_spec("jax") and find_spec("torch") else ["test_both_frameworks.py", "test_random_models.py"]
)
