// The replay buffer of a Tensix processor, as the header that comes with the RISC-V compiler declares it.
#pragma once

#include <cstdint>

namespace lltt {

enum ExecBool : bool { NoExec, Exec };
template <ExecBool execute = NoExec>
inline void record(std::uint32_t, std::uint32_t) {}
inline void replay(std::uint32_t, std::uint32_t) {}
constexpr std::uint32_t replay_insn(std::uint32_t start, std::uint32_t length) { return 0x04000000u | length << 4 | start << 14; }

}  // namespace lltt
