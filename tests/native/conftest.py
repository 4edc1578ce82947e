"""A second interpreter whose control plane is the one in Python."""

from support.executions import python_core

__all__ = ["python_core"]
