"""Operations of TTNN as kernels on the emulated chip: the cycles that they take for operands in given places."""
