// Blocks that run together and reach each other's shared memory. Without clusters a block is one of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/exec/block.h"

namespace heddle {
class Archive;  // sim/engine/archive.h
}

namespace heddle::exec {

class Cluster {
 public:
  // `number` of Launch::clusters().
  Cluster(const Launch& launch, uint64_t number);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Gives each block a turn, again and again, until about so many instructions are executed or all only look
  // for something. `goes_on`: as Block::run(). Throws Error for what the program may not do, and when nobody
  // can go on.
  Block::Status run(uint64_t instructions, bool goes_on = false);

  const std::vector<std::unique_ptr<Block>>& blocks() const { return blocks_; }
  uint64_t first_block() const { return blocks_.front()->linear(); }
  uint64_t executed() const;
  uint64_t progress() const;
  // Where its threads are; for messages.
  std::string waits() const;

  // For those who give warps their turns themselves: the block is done, nobody reaches its shared memory any
  // more.
  void ended(uint32_t rank);

  // For its blocks: the shared memory of each, empty when it has ended.
  std::span<const std::span<uint8_t>> shared() const { return shared_; }
  // So many threads have come to the cluster's barrier.
  void arrive(uint32_t threads);
  // So many threads have ended, of which some had come.
  void leave(uint32_t threads, uint32_t arrived);

  // But its blocks: which have ended, and who has come to the barrier.
  void serialize(Archive& ar);

 private:
  void check_barrier();
  [[noreturn]] void deadlock() const;

  const Launch& launch_;
  std::vector<std::unique_ptr<Block>> blocks_;  // by rank
  std::vector<std::span<uint8_t>> shared_, written_;
  uint32_t running_ = 0;  // blocks
  uint32_t threads_ = 0;  // that have not ended
  uint32_t arrived_ = 0;
};

}  // namespace heddle::exec
