#include "frontends/accelsim/trace_header.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "frontends/accelsim/parameters.h"
#include "frontends/accelsim/text_error.h"
#include "frontends/accelsim/text_fields.h"
#include "frontends/input/limits.h"

namespace heddle::accelsim {

namespace {

struct Value {
  std::string text;
  uint64_t line = 0;
};

class Keys {
 public:
  explicit Keys(LineReader& in) : file_(in.name()) {
    std::string_view line;
    uint64_t bytes = 0;
    const input::Limit& most = input::limits().header_bytes;
    while (true) {
      if (!in.peek(line)) {
        fail_at(file_, in.line() + 1,
                "file ends inside the header (legal: '-key = value' lines, then a '#' line)");
      }
      if (line.starts_with("#BEGIN_TB")) {
        break;
      }
      in.next(line);
      if (line.starts_with('#')) {
        break;
      }
      bytes += line.size() + 1;
      if (bytes > most.value) {
        fail_at(file_, in.line(),
                "a header of more than " + std::to_string(most.value) + " bytes (legal: " + most.legal() +
                    "; a '#' line ends it)");
      }
      if (!trim(line).empty()) {
        add(line, in.line());
      }
    }
    end_line_ = in.line();
  }

  const Value* find(const std::string& key) const {
    const auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }

  const Value& need(const std::string& key) const {
    const Value* v = find(key);
    if (!v) {
      fail_at(file_, end_line_, "the header has no '-" + key + " = ...' line");
    }
    return *v;
  }

  std::string name(const std::string& key) const {
    const Value& v = need(key);
    const input::Limit& most = input::limits().name_bytes;
    if (v.text.empty() || v.text.size() > most.value) {
      fail(key, v, "a mangled name; bytes: " + most.legal());
    }
    return v.text;
  }

  uint64_t number(const std::string& key, const Value& v, int64_t lo, int64_t hi, int base = 10) const {
    const std::optional<int64_t> n = parse_field<int64_t>(v.text, base);
    if (!n || *n < lo || *n > hi) {
      fail(key, v, base == 16 ? "a hexadecimal address" : std::to_string(lo) + ".." + std::to_string(hi));
    }
    return static_cast<uint64_t>(*n);
  }

  uint64_t number_or(const std::string& key, int64_t fallback, int64_t lo, int64_t hi, int base = 10) const {
    const Value* v = find(key);
    return v ? number(key, *v, lo, hi, base) : static_cast<uint64_t>(fallback);
  }

  isa::Dim3 dims(const std::string& key, const Value& v, isa::Dim3 max) const {
    std::string_view s = trim(v.text);
    isa::Dim3 d;
    const auto bad = [&]() {
      fail(key, v,
           "(x,y,z) with x 1.." + std::to_string(max.x) + ", y 1.." + std::to_string(max.y) + ", z 1.." +
               std::to_string(max.z));
    };
    if (!s.starts_with('(') || !s.ends_with(')')) {
      bad();
    }
    s = s.substr(1, s.size() - 2);
    const std::pair<uint32_t*, uint32_t> parts[3] = {{&d.x, max.x}, {&d.y, max.y}, {&d.z, max.z}};
    for (int i = 0; i < 3; ++i) {
      const size_t comma = s.find(',');
      if ((comma == std::string_view::npos) != (i == 2)) {
        bad();
      }
      const std::optional<int64_t> n = parse_field<int64_t>(s.substr(0, comma));
      if (!n || *n < 1 || *n > parts[i].second) {
        bad();
      }
      *parts[i].first = static_cast<uint32_t>(*n);
      s = i == 2 ? std::string_view() : s.substr(comma + 1);
    }
    return d;
  }

  [[noreturn]] void fail(const std::string& key, const Value& v, const std::string& legal) const {
    fail_at(file_, v.line, "-" + key + " = " + quote(v.text) + " (legal: " + legal + ")");
  }

  std::vector<uint8_t> parameters(uint32_t base) const {
    try {
      return parameter_bytes(params_, base);
    } catch (const std::invalid_argument& e) {
      fail_at(file_, end_line_, std::string("the header has ") + e.what());
    }
  }

 private:
  void add(std::string_view line, uint64_t number) {
    const size_t eq = line.find('=');
    if (!line.starts_with('-') || eq == std::string_view::npos) {
      fail_at(file_, number,
              "not a header line: " + quote(line) +
                  " (legal: '-key = value', or a line starting with '#' to end the header)");
    }
    std::string key(trim(line.substr(1, eq - 1)));
    Value v{std::string(trim(line.substr(eq + 1))), number};
    if (key.starts_with("param ")) {
      params_.push_back(std::move(v.text));
      return;
    }
    const auto [it, added] = values_.emplace(std::move(key), std::move(v));
    if (!added) {
      fail_at(file_, number,
              "-" + it->first + " given a second time, first in line " + std::to_string(it->second.line));
    }
  }

  std::string file_;
  std::map<std::string, Value> values_;
  std::vector<std::string> params_;
  uint64_t end_line_ = 0;
};

void check_tracer_version(const Keys& keys, TraceHeader& h) {
  const std::string key = "accelsim tracer version";
  const Value& v = keys.need(key);
  const std::optional<int64_t> n = parse_field<int64_t>(v.text);
  if (!n || *n < 3 || *n > 5) {
    keys.fail(key, v, "3, 4, 5");
  }
  h.tracer_version = static_cast<uint32_t>(*n);
}

void read_shape(const Keys& keys, isa::LaunchShape& s) {
  constexpr int64_t kMaxShared = int64_t{1} << 24;  // any real limit is an architecture's, checked at launch
  constexpr int64_t kMaxLocal = int64_t{1} << 19;   // of every GPU
  const std::string grid = "grid dim", block = "block dim", cluster = "cluster dim", shmem = "shmem";
  s.grid = keys.dims(grid, keys.need(grid), {0x7fffffff, 65535, 65535});
  s.block = keys.dims(block, keys.need(block), {1024, 1024, 64});
  if (s.block.count() > 1024) {
    keys.fail(block, keys.need(block), "at most 1024 threads");
  }
  if (const Value* v = keys.find(cluster)) {
    s.cluster = keys.dims(cluster, *v, {32, 32, 32});
    if (!is_cluster_of(s.cluster, s.grid)) {
      keys.fail(cluster, *v, kLegalCluster);
    }
  }
  s.registers_per_thread = static_cast<uint32_t>(keys.number("nregs", keys.need("nregs"), 1, 256));
  const Value& total = keys.need(shmem);
  const uint64_t bytes = keys.number(shmem, total, 0, kMaxShared);
  const Value* stat = keys.find("shmem static");
  const Value* dyn = keys.find("shmem dynamic");
  const int64_t limit = static_cast<int64_t>(bytes);
  if (dyn) {
    s.dynamic_shared_bytes = static_cast<uint32_t>(keys.number("shmem dynamic", *dyn, 0, limit));
    s.static_shared_bytes = static_cast<uint32_t>(bytes) - s.dynamic_shared_bytes;
  }
  if (stat) {
    s.static_shared_bytes = static_cast<uint32_t>(keys.number("shmem static", *stat, 0, limit));
    s.dynamic_shared_bytes = static_cast<uint32_t>(bytes) - s.static_shared_bytes;
    if (dyn && keys.number("shmem dynamic", *dyn, 0, limit) != s.dynamic_shared_bytes) {
      keys.fail(shmem, total, "-shmem static plus -shmem dynamic");
    }
  } else if (!dyn) {
    s.static_shared_bytes = static_cast<uint32_t>(bytes);
  }
  s.local_bytes_per_thread = static_cast<uint32_t>(keys.number_or("local bytes per thread", 0, 0, kMaxLocal));
  s.cooperative = keys.number_or("cooperative", 0, 0, 1) != 0;
  s.carveout_percent = static_cast<int32_t>(keys.number_or("shmem carveout", -1, -1, 100));
  s.shared_base = keys.number_or("shmem base_addr", 0, 0, INT64_MAX, 16);
  s.local_base = keys.number_or("local mem base_addr", 0, 0, INT64_MAX, 16);
  s.stream = keys.number_or("cuda stream id", 0, 0, INT64_MAX);
}

}  // namespace

bool is_cluster_of(const isa::Dim3& c, const isa::Dim3& grid) {
  const auto fits = [](uint32_t part, uint32_t whole) {
    return part >= 1 && part <= 32 && whole % part == 0;
  };
  return fits(c.x, grid.x) && fits(c.y, grid.y) && fits(c.z, grid.z) && c.count() <= 32;
}

TraceHeader read_trace_header(LineReader& in) {
  const Keys keys(in);
  TraceHeader h;
  // The version first: what else is in the header depends on it.
  check_tracer_version(keys, h);
  h.kernel_name = keys.name("kernel name");
  h.kernel_id = keys.number_or("kernel id", 0, 0, INT64_MAX);
  h.binary_version =
      static_cast<uint32_t>(keys.number("binary version", keys.need("binary version"), 20, 999));
  h.lineinfo = keys.number_or("enable lineinfo", 0, 0, 1) != 0;
  read_shape(keys, h.shape);
  if (const Value* v = keys.find("nvbit version")) {
    h.nvbit_version = v->text;
  }
  h.parameters = keys.parameters(parameter_base(h.binary_version));
  return h;
}

}  // namespace heddle::accelsim
