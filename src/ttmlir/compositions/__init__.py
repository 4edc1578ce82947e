"""What models use and TTIR has no operation for, made of operations that it has: once, for every road into the compiler."""
