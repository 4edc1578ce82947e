// In which order tasks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "program.h"

namespace ttl::machine {

// Tasks of products with the same second operand follow each other: it is packed once. Where their first operands do not
// stay in the cache until the next second operand, a few of these take turns. Others go by the address of their result: blocks side by side share pages and lie in the same rows of memory. Keeps its memory.
class Order {
 public:
  // Indices of the tasks; valid until the next call.
  const uint32_t *of(const Program &program, const Task *tasks, size_t count);

 private:
  struct Key {
    uintptr_t first, second;
    uint32_t index;
  };
  std::vector<Key> keys_;
  std::vector<uint32_t> order_, other_, ranks_;

  void sort_by_address(size_t count);
  // `order_` of keys in order.
  void take_turns(const Product &product);
};

}  // namespace ttl::machine
