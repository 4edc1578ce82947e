"""A binary as an object: its content, its submission to devices, its estimated costs, and its expected results."""
