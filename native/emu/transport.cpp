#include "transport.h"

#include "machine.h"

namespace ttl::emu {

namespace {

enum Axis : uint32_t { kRow, kColumn };

uint64_t cycles(uint64_t bytes, uint32_t bytes_in_1024) { return (bytes * 1024 + bytes_in_1024 - 1) / bytes_in_1024; }

// Visits the links from one router to another one in order; gives their number.
template <typename Visit>
uint32_t route(Torus &torus, const Node &from, const Node &to, uint32_t noc, Visit visit) {
  const Node::Router &end = to.router[noc];
  uint32_t x = from.router[noc].column, y = from.router[noc].row, count = 0;
  const auto along_row = [&] {
    while (x != end.column) {
      visit(torus.links[noc][2 * (y * torus.width + x) + kRow]);
      x = noc ? (x ? x : torus.width) - 1 : x + 1 == torus.width ? 0 : x + 1;
      ++count;
    }
  };
  const auto along_column = [&] {
    while (y != end.row) {
      visit(torus.links[noc][2 * (y * torus.width + x) + kColumn]);
      y = noc ? (y ? y : torus.height) - 1 : y + 1 == torus.height ? 0 : y + 1;
      ++count;
    }
  };
  if (noc == 0) along_row(), along_column();
  else along_column(), along_row();
  return count;
}

uint32_t distance(const Torus &torus, const Node &from, const Node &to, uint32_t noc) {
  const Node::Router &a = (noc ? to : from).router[noc], &b = (noc ? from : to).router[noc];
  return (b.column + torus.width - a.column) % torus.width + (b.row + torus.height - a.row) % torus.height;
}

// A bank serves one transfer at a time, whichever NoC it is for.
uint64_t leave(const Machine &machine, Node &from, uint32_t noc, uint64_t ready, uint32_t size) {
  const Costs &costs = machine.costs;
  if (from.kind == Node::kDram) return from.bank.take(ready, std::max<uint64_t>(cycles(size, costs.dram_rate), costs.dram_request));
  return from.out[noc].take(ready, cycles(size, costs.niu_out_rate));
}

uint64_t enter_node(const Machine &machine, Node &to, uint32_t noc, uint64_t ready, uint32_t size) {
  const Costs &costs = machine.costs;
  if (to.kind == Node::kDram) return to.bank.take(ready, std::max<uint64_t>(cycles(size, costs.dram_rate), costs.dram_request));
  return to.in[noc].take(ready, cycles(size, costs.niu_in_rate));
}

}  // namespace

void Torus::clear() {
  for (auto &each : links) each.assign(size_t{2} * width * height, Port{});
}

Passage flight(const Node &from, const Node &to, uint32_t noc, uint64_t ready) {
  return {ready, ready, ready, distance(*from.torus, from, to, noc), distance(*from.torus, to, from, noc)};
}

uint64_t arrival(const Machine &machine, const Passage &passage) {
  return passage.ends + machine.costs.arrive_fixed + uint64_t{machine.costs.arrive_hop} * passage.hops;
}

uint64_t acknowledgement(const Machine &machine, const Passage &passage, bool dram) {
  const Costs &costs = machine.costs;
  return passage.ends + costs.write_fixed + uint64_t{costs.hop} * (passage.hops + passage.back) + (dram ? costs.dram_write : 0);
}

Passage travel(Machine &machine, Node &from, Node &to, uint32_t noc, uint64_t ready, uint32_t size) {
  const Costs &costs = machine.costs;
  Passage passage{};
  if (from.kind == Node::kDram) {
    if (from.streams.size() <= to.index) from.streams.resize(to.index + size_t{1});
    ready = std::max(ready, from.streams[to.index]);
  }
  passage.served = leave(machine, from, noc, ready, size);
  if (from.kind == Node::kDram) from.streams[to.index] = passage.served + cycles(size, costs.dram_stream_rate);
  const uint64_t carried = cycles(size, costs.link_rate);
  uint64_t time = passage.served;
  passage.hops = route(*from.torus, from, to, noc, [&](Port &link) { time = link.take(time, carried); });
  passage.back = distance(*from.torus, to, from, noc);
  passage.entered = enter_node(machine, to, noc, time, size);
  const uint32_t slow = from.kind == Node::kDram ? costs.dram_stream_rate : costs.niu_out_rate;
  const uint32_t in = to.kind == Node::kDram ? costs.dram_rate : costs.niu_in_rate;
  passage.ends = passage.entered + cycles(size, std::min(slow, in));
  return passage;
}

Passage spread(Machine &machine, Node &from, const std::vector<Node *> &to, uint32_t noc, uint64_t ready, uint32_t size,
               bool linked) {
  const Costs &costs = machine.costs;
  const uint32_t rate = to.size() > 1 ? (linked ? costs.multicast_linked_rate : costs.multicast_rate) : costs.niu_out_rate;
  Passage passage{};
  passage.served = from.out[noc].take(ready, cycles(size, rate));
  const uint64_t carried = cycles(size, rate);
  const uint32_t stamp = ++machine.stamp;
  uint64_t time = passage.served;
  for (const Node *node : to) {
    const uint32_t hops = route(*from.torus, from, *node, noc, [&](Port &link) {
      if (link.stamp == stamp) return;
      link.stamp = stamp;
      time = std::max(time, link.take(passage.served, carried));
    });
    passage.hops = std::max(passage.hops, hops);
    passage.back = std::max(passage.back, distance(*from.torus, *node, from, noc));
  }
  passage.entered = time;
  for (Node *node : to) passage.entered = std::max(passage.entered, enter_node(machine, *node, noc, time, size));
  passage.ends = passage.entered + carried;
  return passage;
}

}  // namespace ttl::emu
