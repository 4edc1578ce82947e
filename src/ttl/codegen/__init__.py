"""Programs of `ttkernel` in the forms that a chip, or a person, can use: C++, descriptions, projects."""
