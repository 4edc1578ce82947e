// Tensors in memory: which bank a page is in, and where. Words: facts of the compile-time arguments of an accessor.
#pragma once

#include "ttl_emu/common.h"

namespace tensor_accessor {
constexpr size_t UNKNOWN = static_cast<size_t>(-1);
constexpr uint32_t MAX_RANK = 8;
// A tensor that the host binds to a name: where its compile-time arguments begin, and at which byte of the common
// run-time arguments its address is.
template <uint32_t cta_offset, uint32_t address_offset>
struct TensorBindingToken {};
}  // namespace tensor_accessor

template <size_t CTA_OFFSET, size_t CRTA_OFFSET = tensor_accessor::UNKNOWN>
struct TensorAccessorArgs {
  static constexpr uint32_t flags = get_ct_arg<CTA_OFFSET>();
  static constexpr bool is_sharded = flags & 1, is_dram = flags & 2, rank_is_crta = flags & 4, num_banks_is_crta = flags & 8,
                        tensor_shape_is_crta = flags & 16, shard_shape_is_crta = flags & 32, bank_coords_is_crta = flags & 64,
                        page_size_is_crta = flags & 128;

 private:
  // The word at an offset, where it is there; else 0.
  template <bool there, size_t offset>
  static constexpr uint32_t word() {
    if constexpr (there)
      return get_ct_arg<offset>();
    else
      return 0;
  }

 public:
  static constexpr uint32_t AlignedPageSize = word<!page_size_is_crta, CTA_OFFSET + 1>();
  static constexpr uint32_t RankCTAOffset = CTA_OFFSET + 2 - page_size_is_crta;
  static constexpr uint32_t NumBanksCTAOffset = RankCTAOffset + !rank_is_crta;
  static constexpr uint32_t RankCT = word<is_sharded && !rank_is_crta, RankCTAOffset>();
  static constexpr uint32_t BanksWord = word<is_sharded && !num_banks_is_crta, NumBanksCTAOffset>();
  static constexpr uint32_t NumBanksCT = BanksWord & 0x7FFFFFFF;
  static constexpr uint32_t TensorShapeCTAOffset = NumBanksCTAOffset + !num_banks_is_crta;
  static constexpr uint32_t ShardShapeCTAOffset = TensorShapeCTAOffset + (tensor_shape_is_crta ? 0 : RankCT);
  static constexpr uint32_t BankCoordsCTAOffset = ShardShapeCTAOffset + (shard_shape_is_crta ? 0 : RankCT);
  static constexpr uint32_t NumArgsCT =
      is_sharded ? BankCoordsCTAOffset + (bank_coords_is_crta ? 0 : (NumBanksCT + 1) / 2) - CTA_OFFSET : 2 - page_size_is_crta;

  constexpr TensorAccessorArgs() = default;
  constexpr explicit TensorAccessorArgs(uint32_t offset) : offset_(offset) {}
  constexpr uint32_t crta_offset() const { return CRTA_OFFSET != tensor_accessor::UNKNOWN ? CRTA_OFFSET : offset_; }
  static constexpr uint32_t num_compile_time_args() { return NumArgsCT; }
  static constexpr uint32_t next_compile_time_args_offset() { return CTA_OFFSET + NumArgsCT; }
  constexpr uint32_t get_aligned_page_size() const {
    if constexpr (page_size_is_crta)
      return get_common_arg_val<uint32_t>(static_cast<int>(crta_offset()));
    else
      return AlignedPageSize;
  }

  // Parts of the layout, each from where it is.
  constexpr uint32_t rank() const { return rank_is_crta ? common(0) : RankCT; }
  constexpr uint32_t banks_word() const { return num_banks_is_crta ? common(rank_is_crta) : BanksWord; }
  constexpr uint32_t banks() const { return banks_word() & 0x7FFFFFFF; }
  constexpr uint32_t shape_offset() const { return rank_is_crta + num_banks_is_crta; }
  constexpr uint32_t shard_offset() const { return shape_offset() + (tensor_shape_is_crta ? rank() : 0); }
  constexpr uint32_t coords_offset() const { return shard_offset() + (shard_shape_is_crta ? rank() : 0); }
  constexpr uint32_t tensor_shape(uint32_t i) const {
    return tensor_shape_is_crta ? common(shape_offset() + i) : ttl_emu::kCompileTimeArgs[TensorShapeCTAOffset + i];
  }
  uint32_t shard_volume() const {
    uint32_t volume = 1;
    for (uint32_t i = 0; i < rank(); ++i) volume *= shard_shape(i);
    return volume;
  }
  constexpr uint32_t shard_shape(uint32_t i) const {
    return shard_shape_is_crta ? common(shard_offset() + i) : ttl_emu::kCompileTimeArgs[ShardShapeCTAOffset + i];
  }
  constexpr uint32_t bank_xy(uint32_t bank) const {
    const uint32_t both = bank_coords_is_crta ? common(coords_offset() + bank / 2)
                                              : ttl_emu::kCompileTimeArgs[BankCoordsCTAOffset + bank / 2];
    return both >> (bank % 2 * 16) & 0xFFFF;
  }
  constexpr uint32_t num_common_runtime_args() const {
    if constexpr (!is_sharded) return page_size_is_crta;
    return coords_offset() + (bank_coords_is_crta ? (banks() + 1) / 2 : 0);
  }
  constexpr uint32_t next_common_runtime_args_offset() const { return crta_offset() + num_common_runtime_args(); }

 private:
  constexpr uint32_t common(uint32_t i) const { return get_common_arg_val<uint32_t>(static_cast<int>(crta_offset() + i)); }
  uint32_t offset_ = 0;
};

template <typename Args>
struct TensorAccessor {
  static constexpr bool is_dram = Args::is_dram;
  constexpr TensorAccessor(const Args &args, size_t address) : args_(args), address_(static_cast<uint32_t>(address)), page_(args.get_aligned_page_size()) {}
  template <uint32_t cta_offset, uint32_t address_offset>
  TensorAccessor(tensor_accessor::TensorBindingToken<cta_offset, address_offset>)
      : TensorAccessor(Args{}, get_common_arg_val<uint32_t>(address_offset / 4)) {}
  constexpr TensorAccessor(const Args &args, size_t address, uint32_t page_size)
      : args_(args), address_(static_cast<uint32_t>(address)), page_(page_size) {}

  uint64_t get_noc_addr(uint32_t page, uint32_t offset = 0, uint8_t = 0) const {
    if constexpr (!Args::is_sharded) {
      const uint32_t banks = ttl_emu_banks(is_dram);
      const uint32_t bytes = (page_ + (is_dram ? DRAM_ALIGNMENT : L1_ALIGNMENT) - 1) & ~((is_dram ? DRAM_ALIGNMENT : L1_ALIGNMENT) - 1);
      return ttl_emu_bank_address(is_dram, page % banks, address_ + page / banks * bytes + offset);
    } else {
      const Where where = find(page);
      return at_bank(where.bank, where.page * page_ + offset);
    }
  }
  uint64_t get_shard_noc_addr(uint32_t shard, uint32_t offset = 0, uint8_t = 0) const {
    const Where where = place(shard);
    return at_bank(where.bank, where.page * args_.shard_volume() * page_ + offset);
  }
  bool is_local_shard(uint32_t shard, uint8_t noc = 0) const {
    const uint32_t xy = args_.bank_xy(place(shard).bank);
    return !is_dram && (xy >> 8) == ttl_emu_self->noc_x[noc] && (xy & 255) == ttl_emu_self->noc_y[noc];
  }
  bool is_local_page(uint32_t page, uint8_t noc = 0) const {
    const uint32_t xy = args_.bank_xy(find(page).bank);
    return !is_dram && (xy >> 8) == ttl_emu_self->noc_x[noc] && (xy & 255) == ttl_emu_self->noc_y[noc];
  }
  bool is_local_addr(uint64_t address, uint8_t noc = 0) const {
    return (address >> 36 & 63) == ttl_emu_self->noc_x[noc] && (address >> 42 & 63) == ttl_emu_self->noc_y[noc];
  }
  constexpr uint32_t get_bank_base_address() const { return address_; }
  constexpr uint32_t get_aligned_page_size() const { return page_; }
  constexpr const Args &dspec() const { return args_; }
  uint32_t shard_bytes() const { return args_.shard_volume() * page_; }

 private:
  struct Where {
    uint32_t bank, page;
  };
  uint32_t shards() const {
    uint32_t count = 1;
    for (uint32_t i = 0; i < args_.rank(); ++i) count *= grid(i);
    return count;
  }
  uint32_t grid(uint32_t i) const { return (args_.tensor_shape(i) + args_.shard_shape(i) - 1) / args_.shard_shape(i); }
  Where place(uint32_t shard) const {
    const uint32_t banks = args_.banks();
    if (args_.banks_word() >> 31) {
      const uint32_t each = shards() / banks;
      return {shard / each, shard % each};
    }
    return {shard % banks, shard / banks};
  }
  Where find(uint32_t page) const {
    uint32_t shard = 0, within = 0, shard_stride = 1, page_stride = 1;
    for (uint32_t i = args_.rank(); i-- > 0;) {
      const uint32_t extent = args_.tensor_shape(i), part = args_.shard_shape(i), coordinate = page % extent;
      page /= extent;
      shard += coordinate / part * shard_stride;
      within += coordinate % part * page_stride;
      shard_stride *= grid(i);
      page_stride *= part;
    }
    const Where where = place(shard);
    return {where.bank, where.page * args_.shard_volume() + within};
  }
  uint64_t at_bank(uint32_t bank, uint32_t offset) const {
    const uint32_t xy = args_.bank_xy(bank);
    if constexpr (is_dram) return ttl_emu_bank_address(true, xy >> 8, address_ + offset);
    return static_cast<uint64_t>(xy & 255) << 42 | static_cast<uint64_t>(xy >> 8) << 36 | (address_ + offset);
  }

  [[no_unique_address]] Args args_;
  uint32_t address_, page_;
};
template <size_t A, size_t B>
TensorAccessor(const TensorAccessorArgs<A, B> &, size_t) -> TensorAccessor<TensorAccessorArgs<A, B>>;
template <uint32_t cta, uint32_t address>
TensorAccessor(tensor_accessor::TensorBindingToken<cta, address>) -> TensorAccessor<TensorAccessorArgs<cta, address / 4 + 1>>;
template <size_t A, size_t B>
TensorAccessor(const TensorAccessorArgs<A, B> &, size_t, uint32_t) -> TensorAccessor<TensorAccessorArgs<A, B>>;
