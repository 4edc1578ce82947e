"""``.ttm`` files on the emulated chip: memory at the file's addresses, its commands, and its kernels' C++."""
