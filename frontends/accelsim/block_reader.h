// The body of a trace: #BEGIN_TB groups, each with all warps of one block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frontends/accelsim/block_order.h"
#include "frontends/accelsim/extra_reader.h"
#include "frontends/accelsim/line_reader.h"
#include "frontends/accelsim/warp_reader.h"
#include "frontends/input/limits.h"
#include "sim/isa/recording.h"

namespace heddle::accelsim {

class BlockReader {
 public:
  // All three outlive the reader; `extra` may be null. `in` is behind the header.
  BlockReader(LineReader& in, const isa::LaunchShape& shape, WarpReader& warps, ExtraReader* extra);

  // isa::BlockSource::next().
  bool next(isa::BlockTrace& out);

 private:
  std::string_view need_line(std::string_view legal);
  std::optional<std::string_view> value_of(std::string_view line, std::string_view key) const;
  uint64_t number(std::string_view text, std::string_view key, uint64_t max) const;
  isa::Dim3 read_index();
  void read_warp(std::string_view id_text, uint64_t linear, isa::BlockTrace& out, uint32_t& seen);
  void check_complete(uint32_t seen) const;
  bool finish();
  [[noreturn]] void fail(const std::string& what) const;

  LineReader& in_;
  const isa::LaunchShape shape_;
  WarpReader& warps_;
  ExtraReader* extra_;
  BlockOrder order_;
  const input::Limit warp_limit_ = input::limits().warp_instructions;
  const input::Limit block_limit_ = input::limits().block_bytes;
  uint64_t blocks_ = 0;  // produced
  uint64_t bytes_ = 0;   // of the block's streams so far
};

}  // namespace heddle::accelsim
