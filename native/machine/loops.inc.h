// Walking through rows: operands and results of each kind, and vectors. Part of kernels.inc.cpp.

// --- columns and rows ---------------------------------------------------------------------------------------

// The body for 0 .. n-1, 32 at a time: rows of tiles are whole multiples, and their loop has no other overhead.
// The result may be an operand, element for element; it does not overlap operands otherwise.
template <typename Body>
TTL_INLINE void columns(int64_t n, Body body) {
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    TTL_INDEPENDENT
    for (int64_t j = i; j < i + 32; ++j) body(j);
  }
  for (; i < n; ++i) body(i);
}

// How operands are read: `at(row pointer)` gives what is indexed by column.
struct Floats {
  const float *p;
  explicit Floats(const char *row) : p(reinterpret_cast<const float *>(row)) {}
  TTL_INLINE float operator[](int64_t i) const { return p[i]; }
};
struct Halves {
  const uint16_t *p;
  explicit Halves(const char *row) : p(reinterpret_cast<const uint16_t *>(row)) {}
  TTL_INLINE float operator[](int64_t i) const { return from_bfloat16(p[i]); }
};
struct Number {
  float value;
  explicit Number(const char *row) : value(*reinterpret_cast<const float *>(row)) {}
  TTL_INLINE float operator[](int64_t) const { return value; }
};

struct ToFloats {
  float *p;
  explicit ToFloats(char *row) : p(reinterpret_cast<float *>(row)) {}
  TTL_INLINE void set(int64_t i, float value) const { p[i] = value; }
};
struct ToHalves {
  uint16_t *p;
  explicit ToHalves(char *row) : p(reinterpret_cast<uint16_t *>(row)) {}
  TTL_INLINE void set(int64_t i, float value) const { p[i] = to_bfloat16(value); }
};

#define TTL_ROWS(call) for (int64_t r = 0; r < (call).rows; ++r)

// --- vectors ------------------------------------------------------------------------------------------------

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
constexpr int kVectors = 32 / kLanes;
typedef float FloatVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
typedef uint16_t HalfVector __attribute__((vector_size(kLanes * 2), aligned(2), may_alias));
typedef uint32_t BitVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));

TTL_INLINE FloatVector vector_at(const Floats &row, int64_t i) {
  return *reinterpret_cast<const FloatVector *>(row.p + i);
}
TTL_INLINE FloatVector vector_at(const Halves &row, int64_t i) {
  const HalfVector halves = *reinterpret_cast<const HalfVector *>(row.p + i);
  return reinterpret_cast<FloatVector>(__builtin_convertvector(halves, BitVector) << 16);
}

typedef float FourFloats __attribute__((vector_size(16), may_alias));

// As the processor has them: the second operand if either is NaN (or what that gives where it has others), or if both
// are zeros.
#if defined(__SSE2__)
TTL_INLINE FourFloats vector_max(FourFloats a, FourFloats b) { return _mm_max_ps(a, b); }
TTL_INLINE FourFloats vector_min(FourFloats a, FourFloats b) { return _mm_min_ps(a, b); }
#else
TTL_INLINE FourFloats vector_max(FourFloats a, FourFloats b) { return a > b ? a : b; }
TTL_INLINE FourFloats vector_min(FourFloats a, FourFloats b) { return a < b ? a : b; }
#endif
#if defined(__AVX2__)
TTL_INLINE __m256 vector_max(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
TTL_INLINE __m256 vector_min(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
#endif
#if defined(__AVX512F__)
TTL_INLINE __m512 vector_max(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
TTL_INLINE __m512 vector_min(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
#endif

// Whether there was a NaN among vectors.
struct NanSeen {
#if defined(__AVX512F__)
  __mmask16 seen = 0;
  TTL_INLINE void look_at(FloatVector a, FloatVector b) { seen |= _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q); }
  TTL_INLINE bool any() const { return seen != 0; }
#elif defined(__AVX2__)
  __m256 seen = _mm256_setzero_ps();
  TTL_INLINE void look_at(FloatVector a, FloatVector b) {
    seen = _mm256_or_ps(seen, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
  }
  TTL_INLINE bool any() const { return _mm256_movemask_ps(seen) != 0; }
#elif defined(__SSE2__)
  __m128 seen = _mm_setzero_ps();
  TTL_INLINE void look_at(FloatVector a, FloatVector b) { seen = _mm_or_ps(seen, _mm_cmpunord_ps(a, b)); }
  TTL_INLINE bool any() const { return _mm_movemask_ps(seen) != 0; }
#else
  BitVector seen = {};
  TTL_INLINE void look_at(FloatVector a, FloatVector b) {
    seen |= reinterpret_cast<BitVector>(a != a) | reinterpret_cast<BitVector>(b != b);
  }
  TTL_INLINE bool any() const { return (seen[0] | seen[1] | seen[2] | seen[3]) != 0; }
#endif
};

// f_exp, to the bit. Written out because the compiler makes twice as many instructions of the clamping and scaling.
TTL_INLINE FloatVector vector_exp(FloatVector x) {
  x = vector_max(FloatVector{} + kLeastExponent, x);
  x = vector_min(FloatVector{} + kMostExponent, x);
  const FloatVector shifted = x * kLog2e + kRounder;
  const FloatVector n = shifted - kRounder;
  const FloatVector r = (x - n * kLn2High) - n * kLn2Low;
  const FloatVector value = TTL_EXPM1_NEAR_ZERO(r) + 1.0f;
  // What is certainly zero is not computed: some processors take a hundred cycles for what is too small for a float.
#if defined(__AVX512F__)
  return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(x, FloatVector{} + kLeastExponent, _CMP_NLE_UQ), value, n);
#else
  typedef int32_t IntVector __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
  const BitVector kept = ~reinterpret_cast<BitVector>(x <= FloatVector{} + kLeastExponent);
  const IntVector whole = reinterpret_cast<IntVector>((reinterpret_cast<BitVector>(shifted) - as_bits(kRounder)) & kept);
  const IntVector half = whole >> 1;
  const BitVector first = reinterpret_cast<BitVector>(half + 127) << 23;
  const BitVector second = reinterpret_cast<BitVector>(whole - half + 127) << 23;
  const FloatVector scaled = value * reinterpret_cast<FloatVector>(first) * reinterpret_cast<FloatVector>(second);
  return reinterpret_cast<FloatVector>(reinterpret_cast<BitVector>(scaled) & kept);
#endif
}
