"""Source files and locations in them. The lowest layer: it imports no other part of this package."""
