"""Operations of TTNN as kernels on the emulated chip: how many cycles they take with their operands where they are."""
