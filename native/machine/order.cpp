#include "order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace ttl::machine {

namespace {

// Two passes over so many bits each: addresses are told apart as far as 22 bits do.
constexpr int kDigit = 11;
constexpr size_t kBuckets = size_t{1} << kDigit;

// Of the cache of a core, for operands that shall stay there.
constexpr int64_t kCacheBytes = 512 << 10;

// The first product whose operands lie in memory of the task, if any.
const Product *deciding(const Program &program) {
  for (const Product &product : program.products)
    if (product.operands[0].b >= 0) return &product;
  return nullptr;
}

int64_t bytes_of_row(const std::vector<int32_t> &k, const std::vector<Format> &formats) {
  int64_t bytes = 0;
  for (size_t f = 0; f < k.size(); ++f) bytes += k[f] * size_of(formats[f]);
  return bytes;
}

}  // namespace

const uint32_t *Order::of(const Program &program, const Task *tasks, size_t count) {
  const Product *product = deciding(program);
  const Product::Operands *operands = product ? &product->operands[0] : nullptr;
  keys_.clear();
  bool sorted = true;
  for (size_t i = 0; i < count; ++i) {
    Key key{reinterpret_cast<uintptr_t>(tasks[i].out.data), 0, static_cast<uint32_t>(i)};
    if (operands) {
      key.first = reinterpret_cast<uintptr_t>(tasks[i].leaves[operands->b].data);
      if (operands->a >= 0) key.second = reinterpret_cast<uintptr_t>(tasks[i].leaves[operands->a].data);
    }
    if (i > 0) {
      const Key &before = keys_.back();
      sorted &= before.first < key.first || (before.first == key.first && before.second <= key.second);
    }
    keys_.push_back(key);
  }
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  if (!operands) {
    if (!sorted) sort_by_address(count);
    return order_.data();
  }
  if (!sorted) {
    std::sort(keys_.begin(), keys_.end(), [](const Key &a, const Key &b) {
      return a.first != b.first ? a.first < b.first : a.second != b.second ? a.second < b.second : a.index < b.index;
    });
  }
  take_turns(*product);
  return order_.data();
}

void Order::take_turns(const Product &product) {
  const size_t count = keys_.size();
  size_t run = 1;  // tasks with the first second operand
  while (run < count && keys_[run].first == keys_[0].first) ++run;
  const int64_t left = bytes_of_row(product.k, product.a_format) * product.m * static_cast<int64_t>(run);
  const int64_t right = bytes_of_row(product.k, product.b_format) * product.n;
  const size_t turns = left > kCacheBytes ? static_cast<size_t>(std::max<int64_t>(1, kCacheBytes / right)) : 1;
  size_t place = 0;
  for (size_t start = 0; start < count; start += turns * run)
    for (size_t i = start; i < std::min(start + run, count); ++i)
      for (size_t turn = i; turn < std::min(start + turns * run, count); turn += run) order_[place++] = keys_[turn].index;
}

// By buckets, since there may be many small tasks: comparing them would cost as much as running them.
void Order::sort_by_address(size_t count) {
  uintptr_t least = UINTPTR_MAX, most = 0;
  for (const Key &key : keys_) {
    least = std::min(least, key.first);
    most = std::max(most, key.first);
  }
  int shift = 0;
  while ((most - least) >> shift >= kBuckets * kBuckets) ++shift;
  ranks_.resize(count);
  for (size_t i = 0; i < count; ++i) ranks_[i] = static_cast<uint32_t>((keys_[i].first - least) >> shift);
  other_.resize(count);
  for (int pass = 0; pass < 2; ++pass) {
    std::array<uint32_t, kBuckets> starts{};
    const auto bucket = [&](uint32_t index) { return ranks_[index] >> (pass * kDigit) & (kBuckets - 1); };
    for (uint32_t index : order_) ++starts[bucket(index)];
    uint32_t start = 0;
    for (uint32_t &each : starts) {
      const uint32_t size = each;
      each = start;
      start += size;
    }
    for (uint32_t index : order_) other_[starts[bucket(index)]++] = index;
    order_.swap(other_);
  }
}

}  // namespace ttl::machine
