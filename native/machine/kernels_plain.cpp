// Kernels of row segments, for the compiler's baseline.
#define TTL_ISA_NAMESPACE plain
#include "kernels.inc.cpp"
