// What the processors did with their time, kept when somebody wants to know.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ttl::emu {

struct Fiber;

// Why a processor did not go on, where it is none of `Waits`: it had asked for a transfer to be finished.
enum Reason : uint8_t { kWorks = 0, kReadsDone = 32, kWritesDone = 33, kAtomicsDone = 34, kSemaphoreArrives = 35, kChipArrives = 36 };

constexpr int32_t kNobody = -1, kFromChip = -2;  // of packet n from another chip: kFromChip - n

// Something one processor did, or waited for, without a break. `ttl.emu.record` reads it as it lies here.
struct Span {
  uint64_t begins, ends;
  uint64_t since;  // of a wait: when that happened which ended it, on the clock of who did it
  uint32_t line;   // of `Record::lines`
  int32_t by;      // of a wait: the processor that ended it, or the transfer
  uint32_t reason;
  uint32_t what;  // of a wait for pages or space: the buffer; for a semaphore: its number; else `kNothingNamed`
};
constexpr uint32_t kNothingNamed = ~uint32_t{0};

enum TransferKind : uint8_t { kReadTransfer, kWriteTransfer, kMulticastTransfer, kWordTransfer, kAtomicTransfer };

// One way over the network.
struct Transfer {
  uint64_t issued, served, entered, left, arrives;  // issued; begins to leave its source; to enter its target; whole; there
  uint32_t size, fiber, line;
  uint8_t kind, noc, dram, hops;  // dram: it reads or writes a bank
  uint16_t from, to;              // column and row on the chip: x << 8 | y
  uint32_t there, here;           // offset in the memory of the other end, and in the L1 of who issued it
  uint32_t receivers;             // nodes that a multicast reaches
};

// A stretch of a kernel that it has a name for, once: `depth` others were open. `ttl.emu.record` reads it as it lies here.
struct Zone {
  uint64_t begins, ends;
  uint32_t name, fiber, depth, unused;  // name: of `Record::names`
};

// Pages of a circular buffer that were pushed, or popped (less than zero). `ttl.emu.record` reads it as it lies here.
struct BufferStep {
  uint64_t clock;
  uint16_t core, buffer;
  int32_t pages;
};

// Sections of DST that a packer released at a line: how many, and how many tiles there were in them all. `room`: of one section.
struct Sections {
  uint32_t line, room;
  uint64_t count, tiles;
};

// A packet from chip to chip, and its way over one link. `ttl.emu.record` reads them as they lie here.
struct SentPacket {
  uint64_t issued, lands;
  uint32_t fiber, line, size, link, device, unused;
};
struct Hop {
  uint64_t entered, begins, ends, arrives;  // in a slot of the router; on the wire; whole at its other end
  uint32_t link, packet, size, unused;
};
// What a link carried: `blocked`, cycles in which something was to be sent and no slot was free at its other end.
struct LinkWork {
  uint64_t busy, bytes, packets, blocked;
};

struct Record {
  struct Line {
    uint32_t kernel, role;
    const char *file;
    uint32_t line;
  };
  std::vector<Line> lines;
  std::unordered_map<uint64_t, uint32_t> index;
  std::vector<Transfer> transfers;
  struct Name {
    uint32_t kernel;
    const char *text, *file;
    uint32_t line;
  };
  std::vector<Name> names;
  std::vector<Zone> zones;
  std::vector<BufferStep> steps;
  std::vector<Sections> sections;
  // When the run has ended.
  struct OfFiber {
    uint32_t core, role, kernel;
    uint64_t started, ended;
    std::vector<Span> spans;
  };
  std::vector<OfFiber> diaries;
  std::vector<uint64_t> links, banks;
  std::vector<SentPacket> packets;
  std::vector<Hop> hops;
  std::vector<LinkWork> fabric;
};

// What the record has of one processor.
struct Diary {
  Record *record = nullptr;
  std::vector<Span> spans;
  const char *file = nullptr;  // of the line that was looked up last
  uint32_t line = 0, number = 0;
  std::vector<Zone> open;  // zones, from the outside
  bool cut = false;        // what comes next is not of one piece with what was before: a zone begins or ends in between
};

void note_work(Fiber &fiber, uint64_t cycles);
void note_wait(Fiber &fiber, uint64_t until, uint8_t reason, int32_t by, uint64_t since);
// A zone begins, and the last one that has begun ends.
void note_zone(Fiber &fiber, const char *name, const char *file, uint32_t line);
void note_zone_end(Fiber &fiber);
void note_step(Fiber &fiber, uint32_t buffer, int32_t pages);
void note_section(Fiber &fiber, uint32_t room, uint32_t tiles);
// Its number among the packets.
uint32_t note_packet(Fiber &fiber, uint32_t size, uint32_t link, uint32_t device);
// Its number, or `kNobody` when nothing is recorded.
int32_t note_transfer(Fiber &fiber, Transfer transfer);

}  // namespace ttl::emu
