"""``.ttm`` files on the emulated chip: memory at the addresses of the file, its commands, its kernels' C++."""
