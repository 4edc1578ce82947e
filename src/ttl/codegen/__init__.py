"""From `ttkernel` programs to what a chip, or a person, can use: C++, descriptions, projects."""
