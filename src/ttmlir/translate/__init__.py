"""``ttmlir-translate``: modules to other formats."""
