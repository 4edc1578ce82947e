// Kernels of row segments, compiled for avx512.
#if defined(__x86_64__)
#define TTL_ISA_NAMESPACE avx512
#include "kernels.inc.cpp"
#endif
