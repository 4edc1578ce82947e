"""Output of `ttkernel` programs: C++, descriptions, projects."""
