"""Source files and places in them. The lowest layer: it imports nothing of ours."""
