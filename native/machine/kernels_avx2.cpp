// Kernels of row segments, compiled for avx2.
#if defined(__x86_64__)
#define TTL_ISA_NAMESPACE avx2
#include "kernels.inc.cpp"
#endif
