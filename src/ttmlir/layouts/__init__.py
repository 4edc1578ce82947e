"""Where each element of a tensor lies: layouts, devices and systems as plain data, with no IR."""
