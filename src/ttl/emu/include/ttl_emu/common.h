// What every kernel sees: types and constants of the hardware, arguments, coordinates.
// The names are those of TT-Metalium; what they do is in the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "ttl_emu/abi.h"

#define FORCE_INLINE inline __attribute__((always_inline))
#define ALWI FORCE_INLINE
#define SKIP_ALWI_INLINE
#define tt_l1_ptr
#define tt_reg_ptr
#define TT_ALWAYS_INLINE FORCE_INLINE
#define TTL_EMU_AT ::ttl_emu::Place place = ::ttl_emu::Place::here()
#ifndef ASSERT
#define ASSERT(condition, ...) \
  ((condition) ? (void)0 \
               : ttl_emu_assert(::ttl_emu::told(#condition, ::ttl_emu::Seen{} <= condition), ::ttl_emu::Place::here()))
namespace ttl_emu {
// Keeps what is on the left of a failed `value < limit && "text"`, for the report.
struct Compared {
  long long value;
  bool holds;
  operator bool() const { return holds; }
  Compared operator&&(const char *) const { return *this; }
};
template <typename T>
struct SeenValue {
  T value;
  operator T() const { return value; }
  template <typename U>
  auto operator<(U limit) const {
    if constexpr (std::is_integral_v<T>)
      return Compared{static_cast<long long>(value), value < limit};
    else
      return value < limit;
  }
  template <typename U>
  auto operator>=(U limit) const {
    if constexpr (std::is_integral_v<T>)
      return Compared{static_cast<long long>(value), value >= limit};
    else
      return value >= limit;
  }
};
struct Seen {
  template <typename T>
  SeenValue<T> operator<=(T value) const {
    return {value};
  }
};
template <typename T>
inline const char *told(const char *condition, T) {
  return condition;
}
inline const char *told(const char *condition, Compared compared) {
  static thread_local char text[512];
  __builtin_snprintf(text, sizeof text, "%s = %lld", condition, compared.value);
  return text;
}
}  // namespace ttl_emu
#endif
#define WAYPOINT(name)

void __attribute__((visibility("default"))) kernel_main();

enum class DataFormat : uint8_t {
  Float32 = 0, Float16 = 1, Bfp8 = 2, Bfp4 = 3, Tf32 = 4, Float16_b = 5, Bfp8_b = 6, Bfp4_b = 7, Int32 = 8, UInt16 = 9,
  Lf8 = 10, Bfp2 = 11, Int8 = 14, Bfp2_b = 15, UInt32 = 24, Fp8_e4m3 = 26, UInt8 = 30, Invalid = 0xff,
};
enum class PoolType { SUM, AVG, MAX, MIN };
enum ReduceDim { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class ReluType { NO_RELU, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };
enum class VectorMode { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xff };
enum class SrcOrder { Regular, Reverse };

namespace ckernel {
using ::PoolType;
using ::ReduceDim;
using ::ReluType;
using ::SrcOrder;
using ::VectorMode;
constexpr ReduceDim REDUCE_ROW = ::REDUCE_ROW, REDUCE_COL = ::REDUCE_COL, REDUCE_SCALAR = ::REDUCE_SCALAR;
enum EltwiseBinaryType { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum BroadcastType { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };
enum class DstRoundingMode { Default, Truncate, RoundNearestEven = 1 };
enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class DstSync : uint8_t { SyncHalf, SyncFull };
template <typename T>
inline T load_blocking(volatile T *from) {
  return *from;
}
enum class ThreadId { UnpackThreadId, MathThreadId, PackThreadId, BriscThreadId };
// Mailboxes are not emulated: a kernel that uses them does not load.
uint32_t mailbox_read(ThreadId);
void mailbox_write(ThreadId, uint32_t);
}  // namespace ckernel
using ckernel::BroadcastType;
using ckernel::EltwiseBinaryReuseDestType;
using ckernel::EltwiseBinaryType;
using ckernel::MathFidelity;

namespace tt {
using ::DataFormat;
enum CBIndex : uint8_t {
  c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15, c_16, c_17, c_18, c_19, c_20, c_21,
  c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31, c_32, c_33, c_34, c_35, c_36, c_37, c_38, c_39, c_40, c_41,
  c_42, c_43, c_44, c_45, c_46, c_47, c_48, c_49, c_50, c_51, c_52, c_53, c_54, c_55, c_56, c_57, c_58, c_59, c_60, c_61,
  c_62, c_63, SIZE
};
enum CB : uint8_t {
  c_in0 = 0, c_in1, c_in2, c_in3, c_in4, c_in5, c_in6, c_in7, dataflow0 = 8, dataflow1, dataflow2, dataflow3, dataflow4,
  dataflow5, dataflow6, dataflow7, c_out0 = 16, c_out1, c_out2, c_out3, c_out4, c_out5, c_out6, c_out7, c_intermed0 = 24,
  c_intermed1, c_intermed2, c_intermed3, c_intermed4, c_intermed5, c_intermed6, c_intermed7
};
namespace constants {
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = 1024, FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = 256;
}
}  // namespace tt

// --- arguments

namespace ttl_emu {
extern const uint32_t kCompileTimeArgs[], kCompileTimeArgCount;  // those of the kernel, in `given.h`
struct NamedArg {
  const char *name;
  uint32_t value;
};
constexpr bool same(const char *a, const char *b) {
  for (; *a && *a == *b; ++a, ++b) {
  }
  return *a == *b;
}
template <typename T>
inline T from_word(uint32_t word) {
  static_assert(sizeof(T) <= 4);
  T value;
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}
}  // namespace ttl_emu

template <uint32_t index>
constexpr uint32_t get_ct_arg() {
  static_assert(index < ttl_emu::kCompileTimeArgCount, "there is no compile-time argument with this index");
  return ttl_emu::kCompileTimeArgs[index];
}
#define get_compile_time_arg_val(index) get_ct_arg<index>()
constexpr uint32_t get_named_compile_time_arg_val(const char *name);
template <typename T>
inline T get_arg_val(int index, TTL_EMU_AT) {
  return ttl_emu::from_word<T>(ttl_emu_arg(false, static_cast<uint32_t>(index), place));
}
template <typename T>
inline T get_common_arg_val(int index, TTL_EMU_AT) {
  return ttl_emu::from_word<T>(ttl_emu_arg(true, static_cast<uint32_t>(index), place));
}
inline uintptr_t get_arg_addr(int index) { return ttl_emu_arg_address(false, static_cast<uint32_t>(index)); }
inline uintptr_t get_common_arg_addr(int index) { return ttl_emu_arg_address(true, static_cast<uint32_t>(index)); }

// --- where the kernel runs

inline uint8_t get_absolute_logical_x() { return ttl_emu_self->logical_x; }
inline uint8_t get_absolute_logical_y() { return ttl_emu_self->logical_y; }
inline uint8_t get_relative_logical_x() { return ttl_emu_self->relative_x; }
inline uint8_t get_relative_logical_y() { return ttl_emu_self->relative_y; }
inline uint32_t get_my_thread_id() { return 0; }
inline uint32_t get_num_threads() { return 1; }
namespace ttl_emu {
template <uint8_t (Self::*coordinates)[2]>
struct Coordinates {
  uint8_t operator[](uint32_t noc) const { return (ttl_emu_self->*coordinates)[noc]; }
};
}  // namespace ttl_emu
inline constexpr ttl_emu::Coordinates<&ttl_emu::Self::noc_x> my_x{};
inline constexpr ttl_emu::Coordinates<&ttl_emu::Self::noc_y> my_y{};

// --- circular buffers

// Formats and sizes of the circular buffers, given to the compiler with the kernel.
namespace ttl_emu {
struct Formats {
  uint8_t format[64] = {};
};
constexpr Formats formats();  // those of the kernel, in `given.h`
constexpr uint32_t format_bytes(uint8_t format) {
  switch (format) {
    case 0: case 4: case 8: case 24: return 4096;
    case 1: case 5: case 9: return 2048;
    case 2: case 6: return 1088;
    case 3: case 7: return 576;
    case 14: case 30: return 1024;
    default: return 0;
  }
}
struct FormatArray {
  constexpr uint8_t operator[](uint32_t buffer) const { return formats().format[buffer & 63]; }
};
struct SizeArray {
  constexpr uint32_t operator[](uint32_t buffer) const { return format_bytes(formats().format[buffer & 63]); }
};
template <uint32_t value>
struct SameArray {
  constexpr uint32_t operator[](uint32_t) const { return value; }
};
}  // namespace ttl_emu
inline constexpr ttl_emu::FormatArray unpack_src_format{}, unpack_dst_format{}, pack_src_format{}, pack_dst_format{};
inline constexpr ttl_emu::SizeArray unpack_tile_size{}, pack_tile_size{};
inline constexpr ttl_emu::SameArray<32> unpack_tile_r_dim{}, unpack_tile_c_dim{}, pack_tile_r_dim{}, pack_tile_c_dim{};
inline constexpr ttl_emu::SameArray<4> unpack_tile_num_faces{}, pack_tile_num_faces{};
inline constexpr ttl_emu::SameArray<16> unpack_tile_face_r_dim{}, pack_tile_face_r_dim{};

constexpr uint32_t get_tile_size(uint32_t buffer) { return unpack_tile_size[buffer]; }
constexpr uint32_t get_tile_hw(uint32_t) { return 1024; }
constexpr uint32_t get_tile_num_faces(uint32_t) { return 4; }
constexpr DataFormat get_dataformat(uint32_t buffer) { return static_cast<DataFormat>(unpack_src_format[buffer]); }

inline void cb_reserve_back(uint32_t buffer, uint32_t pages, TTL_EMU_AT) { ttl_emu_reserve(buffer, pages, place); }
inline void cb_push_back(uint32_t buffer, uint32_t pages, TTL_EMU_AT) { ttl_emu_push(buffer, pages, place); }
inline void cb_wait_front(uint32_t buffer, uint32_t pages, TTL_EMU_AT) { ttl_emu_wait(buffer, pages, place); }
inline void cb_pop_front(uint32_t buffer, uint32_t pages, TTL_EMU_AT) { ttl_emu_pop(buffer, pages, place); }
using LocalCBInterface = ttl_emu::LocalBuffer;
using CBInterface = ttl_emu::LocalBuffer;
inline LocalCBInterface &get_local_cb_interface(uint32_t buffer) { return ttl_emu_self->buffers[buffer & 63]; }

namespace ttl_emu {
struct Moved {
  uint32_t buffer, pushed, popped;
};
// What a function of the user's does to buffers, as far as their pointers show, against what is declared. Of a compute kernel,
// UNPACK has the pointer for reading and PACK that for writing.
class DeclaredEffects {
 public:
  DeclaredEffects(const char *callee, std::initializer_list<Moved> declared, Place place = Place::here())
      : callee_(callee), place_(place) {
    for (uint32_t buffer = 0; buffer < kMaxBuffers; ++buffer)
      before_[buffer] = {buffer, ttl_emu_self->buffers[buffer].fifo_wr_ptr, ttl_emu_self->buffers[buffer].fifo_rd_ptr};
    for (const Moved &moved : declared) moved_[moved.buffer] = {moved.buffer, moved.pushed, moved.popped};
  }
  ~DeclaredEffects() {
    for (uint32_t buffer = 0; buffer < kMaxBuffers; ++buffer) {
      const LocalBuffer &now = ttl_emu_self->buffers[buffer];
      const Role role = ttl_emu_self->role;
      const bool writes = role != kUnpack && role != kMath, reads = role != kPack && role != kMath;
      if ((writes && differs(now, before_[buffer].pushed, now.fifo_wr_ptr, moved_[buffer].pushed)) ||
          (reads && differs(now, before_[buffer].popped, now.fifo_rd_ptr, moved_[buffer].popped)))
        ttl_emu_assert(callee_, place_);
    }
    if (touches_) ttl_emu_touches(nullptr, place_);
  }
  // Pages from `first` on, `count` of them in each dimension, of a tensor of so many pages.
  using Pages = std::initializer_list<int64_t>;
  template <typename Accessor>
  void part(const Accessor &accessor, bool written, Pages extents, Pages first, Pages count) {
    const int64_t *size = count.begin(), *start = first.begin(), *of = extents.begin();
    int64_t pages = 1;
    for (size_t axis = 0; axis < count.size(); ++axis) pages *= size[axis];
    for (int64_t number = 0; number < pages; ++number) {
      int64_t page = 0, left = number, stride = 1;
      for (size_t axis = count.size(); axis-- > 0; left /= size[axis], stride *= of[axis])
        page += (start[axis] + left % size[axis]) * stride;
      ttl_emu_touch(accessor.get_noc_addr(static_cast<uint32_t>(page)), accessor.get_aligned_page_size(), written, place_);
    }
  }
  // The parts so far are all that the function reads and writes of tensors.
  void no_more(const char *text) {
    touches_ = true;
    ttl_emu_touches(text, place_);
  }

 private:
  static bool differs(const LocalBuffer &buffer, uint32_t before, uint32_t now, uint32_t pages) {
    if (buffer.fifo_size == 0) return false;
    return (now + buffer.fifo_size - before) % buffer.fifo_size != pages * buffer.fifo_page_size % buffer.fifo_size;
  }
  const char *callee_;
  Place place_;
  bool touches_ = false;
  Moved before_[kMaxBuffers], moved_[kMaxBuffers] = {};
};
}  // namespace ttl_emu

constexpr uint32_t INVALID = 0, VALID = 1;
// A part of L1 that stays zero.
#ifndef TTL_EMU_ZEROS_BASE  // where a system description says where firmware has its memory
#define TTL_EMU_ZEROS_BASE ttl_emu::kZerosBase
#endif
constexpr uint32_t MEM_ZEROS_BASE = TTL_EMU_ZEROS_BASE, MEM_ZEROS_SIZE = ttl_emu::kZerosSize;

constexpr uint32_t NUM_CIRCULAR_BUFFERS = TTL_EMU_BUFFERS, NOC_MAX_BURST_SIZE = TTL_EMU_PACKET_BYTES;
constexpr uint32_t L1_ALIGNMENT = TTL_EMU_L1_ALIGNMENT, DRAM_ALIGNMENT = TTL_EMU_DRAM_ALIGNMENT;
