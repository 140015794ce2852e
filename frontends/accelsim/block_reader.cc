#include "frontends/accelsim/block_reader.h"

#include <algorithm>
#include <array>
#include <bit>

#include "frontends/accelsim/text_error.h"
#include "frontends/accelsim/text_fields.h"
#include "frontends/accelsim/warp_bytes.h"

namespace heddle::accelsim {

namespace {

std::string to_text(const isa::Dim3& d) {
  return std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z);
}

}  // namespace

BlockReader::BlockReader(LineReader& in, const isa::LaunchShape& shape, WarpReader& warps, ExtraReader* extra)
    : in_(in), shape_(shape), warps_(warps), extra_(extra) {}

void BlockReader::fail(const std::string& what) const {
  fail_at(in_.name(), std::max<uint64_t>(in_.line(), 1), what);
}

std::string_view BlockReader::need_line(std::string_view legal) {
  std::string_view line;
  if (!in_.next_content(line)) {
    fail("the file ends inside a thread block, the " + std::to_string(blocks_ + 1) + ". of " +
         std::to_string(shape_.grid.count()) + " (legal: " + std::string(legal) + ")");
  }
  return line;
}

// The value of "key = value"; nothing when the line is another one.
std::optional<std::string_view> BlockReader::value_of(std::string_view line, std::string_view key) const {
  if (!line.starts_with(key)) {
    return std::nullopt;
  }
  line = trim(line.substr(key.size()));
  if (!line.starts_with('=')) {
    return std::nullopt;
  }
  return trim(line.substr(1));
}

uint64_t BlockReader::number(std::string_view text, std::string_view key, uint64_t max) const {
  const std::optional<uint64_t> v = parse_field<uint64_t>(text);
  if (!v || *v > max) {
    fail(std::string(key) + " = " + quote(text) + " (legal: 0.." + std::to_string(max) + ")");
  }
  return *v;
}

isa::Dim3 BlockReader::read_index() {
  constexpr std::string_view kKey = "thread block";
  const std::string_view line = need_line("'thread block = x,y,z'");
  const std::optional<std::string_view> value = value_of(line, kKey);
  if (!value) {
    fail(quote(line) + " behind #BEGIN_TB (legal: 'thread block = x,y,z')");
  }
  std::array<uint32_t, 3> v{};
  std::string_view rest = *value;
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const size_t comma = rest.find(',');
    const std::optional<uint32_t> n = parse_field<uint32_t>(rest.substr(0, comma));
    good = good && n && (comma == std::string_view::npos) == (i == 2);
    v[i] = n.value_or(0);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (!good || v[0] >= shape_.grid.x || v[1] >= shape_.grid.y || v[2] >= shape_.grid.z) {
    fail("thread block = " + quote(*value) + " (legal: x,y,z inside the grid (" + to_text(shape_.grid) +
         "))");
  }
  return {v[0], v[1], v[2]};
}

bool BlockReader::next(isa::BlockTrace& out) {
  if (blocks_ == shape_.grid.count()) {
    return finish();
  }
  std::string_view line;
  if (!in_.next_content(line)) {
    fail("the file ends after " + std::to_string(blocks_) + " of the " + std::to_string(shape_.grid.count()) +
         " thread blocks of grid (" + to_text(shape_.grid) + ")");
  }
  if (line != "#BEGIN_TB") {
    fail(quote(line) + " between thread blocks (legal: '#BEGIN_TB')");
  }
  out.index = read_index();
  out.linear = blocks_;
  const isa::Dim3& g = shape_.grid;
  const uint64_t linear = out.index.x + uint64_t{g.x} * (out.index.y + uint64_t{g.y} * out.index.z);
  if (!order_.add(linear)) {
    fail("thread block " + to_text(out.index) + " a second time");
  }
  out.warps.resize(shape_.warps());
  bytes_ = 0;
  uint32_t seen = 0;
  while (true) {
    line = need_line("'warp = N' or '#END_TB'");
    if (line == "#END_TB") {
      break;
    }
    const std::optional<std::string_view> id = value_of(line, "warp");
    if (!id) {
      fail(quote(line) +
           " inside a thread block (legal: 'warp = N' or '#END_TB'; a line more than insts says?)");
    }
    read_warp(*id, linear, out, seen);
  }
  check_complete(seen);
  if (extra_) {
    extra_->end_block(linear);
  }
  ++blocks_;
  return true;
}

void BlockReader::read_warp(std::string_view id_text, uint64_t linear, isa::BlockTrace& out, uint32_t& seen) {
  const auto id = static_cast<uint32_t>(number(id_text, "warp", shape_.warps() - 1));
  if (seen >> id & 1) {
    fail("warp = " + std::to_string(id) + " a second time in thread block " + to_text(out.index));
  }
  seen |= uint32_t{1} << id;
  const std::string_view line = need_line("'insts = N'");
  const std::optional<std::string_view> count = value_of(line, "insts");
  if (!count) {
    fail(quote(line) + " behind 'warp = " + std::to_string(id) + "' (legal: 'insts = N')");
  }
  const uint64_t n = number(*count, "insts", UINT32_MAX);
  if (n > warp_limit_.value) {
    fail("insts = " + std::to_string(n) + " in one warp (legal: " + warp_limit_.legal() + ")");
  }
  const uint64_t ordinal = extra_ ? extra_->begin_warp(linear, id) : ExtraReader::kNone;
  isa::WarpTrace& w = out.warps[id];
  w.warp = id;
  warps_.read(n, w, extra_, ordinal, block_limit_.value - bytes_);
  bytes_ += bytes_of(w);
  if (bytes_ > block_limit_.value) {
    warps_.fail_block_bytes();
  }
  if (extra_) {
    extra_->end_warp(n);
  }
}

void BlockReader::check_complete(uint32_t seen) const {
  const uint32_t n = shape_.warps();
  const auto found = static_cast<uint32_t>(std::popcount(seen));
  if (found != n) {
    fail("#END_TB after " + std::to_string(found) + " of " + std::to_string(n) + " warps: warp " +
         std::to_string(std::countr_one(seen)) + " is missing (block dim " + to_text(shape_.block) + ")");
  }
}

bool BlockReader::finish() {
  std::string_view line;
  uint64_t comments = 0;
  while (in_.next_content(line)) {
    if (line == "#BEGIN_TB") {
      fail("more thread blocks than the " + std::to_string(blocks_) + " of grid (" + to_text(shape_.grid) +
           ")");
    }
    if (line[0] != '#') {
      fail(quote(line) + " behind the last thread block");
    }
    comments += line.size() + 1;
    if (comments > input::limits().blank_bytes.value) {
      fail(std::to_string(comments) + " bytes of comments behind the last thread block (legal: " +
           input::limits().blank_bytes.legal() + ")");
    }
  }
  if (extra_) {
    extra_->end();
  }
  return false;
}

}  // namespace heddle::accelsim
