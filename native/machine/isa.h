// Which instruction set the kernels of the machine use.
//
// Every kernel exists once per entry of `Isa` (in a file whose name ends in `_avx2`, `_avx512` or `_avx512bf16`,
// compiled for that set, x86-64 only) and is reached through a table; nothing outside those files may contain
// instructions the baseline processor lacks.
#pragma once

namespace ttl::machine {

// Ordered: every set includes those before it.
enum class Isa : int {
  plain = 0,       // C++ for the compiler's baseline; any processor
  avx2 = 1,        // AVX2, FMA, F16C
  avx512 = 2,      // AVX-512 F, BW, DQ, VL
  avx512bf16 = 3,  // AVX-512 BF16
};

inline constexpr int kIsaCount = 4;

// The widest set of this processor (and operating system).
Isa detected();

// The set in use: `detected()`, or what `force` chose. Cheap.
Isa active();

// Use `isa` from now on, or the widest set there is if the processor lacks it. Not while a program runs: results
// differ between sets in the last bits of matrix products. Selects the kernels of matrix products as well.
void force(Isa isa);

// "plain", "avx2", "avx512", "avx512bf16".
const char *name_of(Isa isa);

// True and `isa` set when `name` is one of those; "auto" stands for `detected()`.
bool isa_from_name(const char *name, Isa *isa);

}  // namespace ttl::machine
