// Where transfers get in each other's way: ports of nodes, banks of memory, and the links between routers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ttl::emu {

struct Machine;
struct Node;

// Something that one transfer at a time can use. Whoever asks first is served first, and one that fits in front of
// those that wait for something else goes in front of them.
struct Port {
  struct Gap {
    uint64_t begins = 0, ends = 0;
  };
  static constexpr uint32_t kGaps = 4;
  uint64_t free = 0, busy = 0;
  uint32_t stamp = 0;  // of the last transfer to several targets that it carried
  Gap gaps[kGaps];

  // When a transfer begins that is ready at a time and takes so many cycles.
  uint64_t take(uint64_t ready, uint64_t cycles) {
    busy += cycles;
    Gap *best = nullptr;
    uint64_t start = std::max(ready, free);
    for (Gap &gap : gaps) {
      const uint64_t first = std::max(ready, gap.begins);
      if (first < start && first + cycles <= gap.ends) start = first, best = &gap;
    }
    if (best) {  // the longer part of what is left of the gap stays
      const uint64_t before = start - best->begins, after = best->ends - start - cycles;
      *best = before > after ? Gap{best->begins, start} : Gap{start + cycles, best->ends};
      return start;
    }
    if (start > free) {
      Gap *oldest = &gaps[0];
      for (Gap &gap : gaps)
        if (gap.ends < oldest->ends) oldest = &gap;
      *oldest = {free, start};
    }
    free = start + cycles;
    return start;
  }
};

// The routers of the chip, one torus for each NoC: NoC 0 goes east and then south, NoC 1 north and then west.
struct Torus {
  uint32_t width = 0, height = 0;
  std::vector<Port> links[2];  // two of each router, along the row and along the column

  void clear();
};

// When a transfer begins to leave its source, begins to enter its target, and has entered it.
struct Passage {
  uint64_t served, entered, ends;
  uint32_t hops, back;  // routers on the way there, and back on the same NoC
};
// One that nothing gets in the way of, and that takes no time to enter.
Passage flight(const Node &from, const Node &to, uint32_t noc, uint64_t ready);
// When what has entered its target is there, and when its sender knows.
uint64_t arrival(const Machine &machine, const Passage &passage);
uint64_t acknowledgement(const Machine &machine, const Passage &passage, bool dram);
Passage travel(Machine &machine, Node &from, Node &to, uint32_t noc, uint64_t ready, uint32_t size);
// The same to several targets. Links that lead to more than one of them carry it once.
Passage spread(Machine &machine, Node &from, const std::vector<Node *> &to, uint32_t noc, uint64_t ready, uint32_t size,
               bool linked);

}  // namespace ttl::emu
