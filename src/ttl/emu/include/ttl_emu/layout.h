// Tiles out of rows of elements, and rows out of tiles: the functions of `api/compute/{tilize,untilize,pack_untilize}.h`.
#pragma once

#include "ttl_emu/common.h"

namespace ckernel {

// --- rows to tiles, by the unpacker

template <auto...>
inline void tilize_init(uint32_t in, uint32_t width, uint32_t, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTilize, in, width, 0, place); }
template <auto...>
inline void tilize_init_short_with_dt(uint32_t, uint32_t in, uint32_t width, uint32_t, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatA, in, 0, 0, place);
  ttl_emu_init(ttl_emu::kInitTilize, in, width, 0, place);
}
template <auto...>
inline void tilize_block(uint32_t in, uint32_t width, uint32_t out, uint32_t from = 0, uint32_t to = 0, TTL_EMU_AT) {
  ttl_emu_tilize(in, width, out, from, to, false, place);
}
inline void tilize_uninit(uint32_t in, uint32_t, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTilizeEnd, in, 0, 0, place); }
inline void tilize_uninit_with_dt(uint32_t old, uint32_t in, uint32_t, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitTilizeEnd, old, 0, 0, place);
  ttl_emu_init(ttl_emu::kFormatA, in, 0, 0, place);
}
// The generations differ in who may leave out what: `skip_remap` is about a switch that only Blackhole has.
template <auto...>
inline void fast_tilize_init(uint32_t in, uint32_t width, uint32_t out, TTL_EMU_AT) { tilize_init(in, width, out, place); }
template <auto...>
inline void fast_tilize_init_skip_remap(uint32_t in, uint32_t width, uint32_t out, TTL_EMU_AT) { tilize_init(in, width, out, place); }
template <auto...>
inline void fast_tilize_init_with_dt(uint32_t in, uint32_t width, uint32_t, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kFormatAB, in, in, 0, place);
  ttl_emu_init(ttl_emu::kInitTilize, in, width, 0, place);
}
template <auto...>
inline void fast_tilize_init_with_dt_skip_remap(uint32_t in, uint32_t width, uint32_t out, TTL_EMU_AT) {
  fast_tilize_init_with_dt(in, width, out, place);
}
template <auto...>
inline void fast_tilize_block(uint32_t in, uint32_t width, uint32_t out, uint32_t from = 0, uint32_t to = 0, TTL_EMU_AT) {
  ttl_emu_tilize(in, width, out, from, to, true, place);
}
template <auto...>
inline void fast_tilize_uninit(uint32_t in, uint32_t, uint32_t = 0, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitTilizeEnd, in, 0, 0, place); }

// --- tiles to rows, by the unpacker

template <auto...>
inline void untilize_init(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitUntilize, in, 0, 0, place); }
template <uint32_t together = 1, auto...>
inline void untilize_block(uint32_t in, uint32_t width, uint32_t out, TTL_EMU_AT) { ttl_emu_untilize(in, width, out, together, place); }
inline void untilize_uninit(uint32_t in, TTL_EMU_AT) { ttl_emu_init(ttl_emu::kInitUntilizeEnd, in, 0, 0, place); }

// --- tiles to rows, by the packer: `width` of `full` tiles side by side

#if TTL_EMU_API_VERSION < 81
#define TTL_EMU_FACES uint32_t = 16, uint32_t = 4,
#else
#define TTL_EMU_FACES
#endif
template <uint32_t width = 8, uint32_t full = width, bool narrow = false, uint32_t columns = 32, bool dense = false, auto...>
inline void pack_untilize_dest_init(uint32_t out, TTL_EMU_FACES TTL_EMU_AT) {
  static_assert(!narrow && columns == 32 && !dense, "rows of parts of tiles are not emulated");
  ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place);
  ttl_emu_init(ttl_emu::kInitPackUntilize, out, width | full << 8, 0, place);
}
template <uint32_t width = 8, uint32_t full = width, auto...>
inline void pack_untilize_init(uint32_t in, uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitCopy, in, 0, 0, place);
  ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place);
  ttl_emu_init(ttl_emu::kInitPackUntilize, out, width | full << 8, 0, place);
}
template <uint32_t width = 8, uint32_t full = width, auto...>
inline void pack_untilize_init_skip_remap(uint32_t in, uint32_t out, TTL_EMU_AT) { pack_untilize_init<width, full>(in, out, place); }
// The first of its tiles for each height: what was packed before is what `cb_pop_front` has not taken away.
template <uint32_t width = 8, uint32_t full = width, bool fast = false>
inline void untilize_by_packer(uint32_t in, uint32_t height, uint32_t out, uint32_t column, ttl_emu::Place place) {
  for (uint32_t row = 0; row < height; ++row) {
    ttl_emu_acquire(place);
    for (uint32_t tile = 0; tile < width; ++tile) ttl_emu_copy(in, tile, tile, place);
    ttl_emu_commit(place);
    ttl_emu_dst_wait(place);
    ttl_emu_pack_untilize(0, out, width, full, 1, column, fast, place);
    ttl_emu_release(place);
  }
}
template <uint32_t width = 8, uint32_t full = width, auto...>
inline void pack_untilize_block(uint32_t in, uint32_t height, uint32_t out, uint32_t column = 0, TTL_EMU_AT) {
  untilize_by_packer<width, full>(in, height, out, column, place);
}
template <uint32_t width = 8, uint32_t full = width, bool diagonal = false, bool narrow = false, uint32_t columns = 32, uint32_t tile = 0,
          bool dense = false>
inline void pack_untilize_dest(uint32_t out, uint32_t height = 1, uint32_t column = 0, TTL_EMU_FACES uint32_t first = 0, TTL_EMU_AT) {
#undef TTL_EMU_FACES
  static_assert(!diagonal && !narrow && columns == 32 && !dense, "rows of parts of tiles are not emulated");
  ttl_emu_pack_untilize(tile + first, out, width, full, height, column, false, place);
}
template <auto...>
inline void pack_untilize_uninit(uint32_t out, TTL_EMU_AT) {
  ttl_emu_init(ttl_emu::kInitPackUntilizeEnd, out, 0, 0, place);
  ttl_emu_init(ttl_emu::kFormatPack, out, 0, 0, place);
}

// Blackhole only, and as wide as the row: as many tiles at a time as DST has.
template <uint32_t full, auto...>
inline void fast_untilize_init(uint32_t in, uint32_t out, TTL_EMU_AT) { pack_untilize_init<1, full>(in, out, place); }
template <uint32_t full, auto...>
inline void fast_untilize_init_skip_remap(uint32_t in, uint32_t out, TTL_EMU_AT) { pack_untilize_init<1, full>(in, out, place); }
template <uint32_t full, auto...>
inline void fast_untilize_block(uint32_t in, uint32_t out, TTL_EMU_AT) {
  for (uint32_t tile = 0; tile < full; ++tile) {
    ttl_emu_acquire(place);
    ttl_emu_copy(in, tile, 0, place);
    ttl_emu_commit(place);
    ttl_emu_dst_wait(place);
    ttl_emu_pack_untilize(0, out, 1, full, 1, tile, true, place);
    ttl_emu_release(place);
  }
}
template <uint32_t full, auto...>
inline void fast_untilize_uninit(uint32_t out, TTL_EMU_AT) { pack_untilize_uninit(out, place); }

}  // namespace ckernel
