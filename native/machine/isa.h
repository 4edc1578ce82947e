// Which instruction set the kernels of the machine use.
//
// Row segments have kernels for each of `VectorIsa`, matrix products for each of `Isa`, in files whose names end in the
// set they are compiled for; nothing outside those files may contain instructions the baseline processor lacks.
#pragma once

namespace ttl::machine {

enum class Isa : int {
  plain = 0,       // C++ for the compiler's baseline; any processor. NEON on 64-bit ARM
  avx2 = 1,        // AVX2, FMA, F16C
  avx512 = 2,      // AVX-512 F, BW, DQ, VL
  avx512bf16 = 3,  // AVX-512 BF16: products of pairs of bfloat16
  amx = 4,         // AMX: products of tiles of bfloat16
  neonbf16 = 5,    // 64-bit ARM with BFMMLA: products of 2 x 4 by 4 x 2 bfloat16
  // Of tests only: what the instructions of AMX do, in C++ for any processor.
  emulated_amx = 6,
};

// Those that a processor may have; `emulated_amx` is none of them.
inline constexpr int kIsaCount = 6;

enum class VectorIsa : int { plain = 0, avx2 = 1, avx512 = 2 };

inline constexpr int kVectorIsaCount = 3;

// Whether this processor and its operating system have the set.
bool available(Isa isa);

// The set in use: what `use` chose, else the widest one of vectors. Cheap.
Isa active();
VectorIsa active_vectors();

// Use `isa`, which is available, from now on; false where the kernel of Linux refuses the tiles of AMX. Not while a
// program runs: results differ between sets in the last bits of matrix products.
bool use(Isa isa);

// "plain", "avx2", "avx512", "avx512bf16", "amx", "neonbf16".
const char *name_of(Isa isa);

// True and `isa` set when `name` is one of those.
bool isa_from_name(const char *name, Isa *isa);

}  // namespace ttl::machine
