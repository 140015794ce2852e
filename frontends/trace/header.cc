#include "frontends/trace/header.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/accelsim/trace_header.h"
#include "frontends/input/limits.h"
#include "frontends/input/printable.h"
#include "frontends/sass/operand_check.h"
#include "frontends/trace/listing.h"
#include "sim/base/error.h"

namespace heddle::trace {

namespace {

void put(const isa::Dim3& d, pb::Dim3& out) {
  out.set_x(d.x);
  out.set_y(d.y);
  out.set_z(d.z);
}

std::string text(const isa::Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

void check_name(const std::string& field, const std::string& name, const std::string& file) {
  if (const input::Limit& most = input::limits().name_bytes; name.size() > most.value) {
    throw Error(file + ": header: " + field + " of " + std::to_string(name.size()) +
                " bytes (legal: " + most.legal() + ")");
  }
}

// A grid's limits, as CUDA's.
constexpr isa::Dim3 kMostGrid = {0x7fffffff, 65535, 65535};

class KernelReader {
 public:
  KernelReader(const pb::Kernel& kernel, const std::string& name) : k_(kernel), name_(name) {}

  void read(isa::KernelImage& image) const {
    image.name = k_.name();
    if (image.name.empty()) {
      fail("no kernel.name (legal: the mangled name)");
    }
    check_name("kernel.name", image.name, name_);
    image.id = k_.id();
    image.compute_capability = limited("kernel.compute_capability", k_.compute_capability(), 999);
    isa::LaunchShape& s = image.shape;
    s.grid = dims("kernel.grid", k_.grid(), kMostGrid);
    s.block = dims("kernel.block", k_.block(), {1024, 1024, 64});
    if (s.block.count() > 1024) {
      fail("kernel.block " + text(s.block) + " (legal: at most 1024 threads)");
    }
    if (k_.has_cluster()) {
      s.cluster = dims("kernel.cluster", k_.cluster(), {32, 32, 32});
    }
    if (!accelsim::is_cluster_of(s.cluster, s.grid)) {
      fail("kernel.cluster " + text(s.cluster) + " (legal: " + accelsim::kLegalCluster + ")");
    }
    constexpr uint32_t kBytes = 1 << 24;  // a real limit is the architecture's, checked at launch
    constexpr uint32_t kLocalBytes = 1 << 19;
    s.registers_per_thread = limited("kernel.registers_per_thread", k_.registers_per_thread(), 256, 1);
    s.static_shared_bytes = limited("kernel.static_shared_bytes", k_.static_shared_bytes(), kBytes);
    s.dynamic_shared_bytes = limited("kernel.dynamic_shared_bytes", k_.dynamic_shared_bytes(), kBytes);
    s.local_bytes_per_thread =
        limited("kernel.local_bytes_per_thread", k_.local_bytes_per_thread(), kLocalBytes);
    s.carveout_percent = k_.carveout_percent();
    if (s.carveout_percent < -1 || s.carveout_percent > 100) {
      fail("kernel.carveout_percent " + std::to_string(s.carveout_percent) + " (legal: -1..100)");
    }
    s.cooperative = k_.cooperative();
    s.shared_base = k_.shared_base();
    s.local_base = k_.local_base();
    s.stream = k_.stream();
    read_parameters(image);
  }

  std::optional<Part> part() const {
    if (!k_.has_part()) {
      return std::nullopt;
    }
    const Part p = {dims("kernel.part.grid", k_.part().grid(), kMostGrid), k_.part().first_block()};
    const uint64_t blocks = dims("kernel.grid", k_.grid(), kMostGrid).count();
    if (p.grid.count() < blocks || p.first_block > p.grid.count() - blocks) {
      fail("kernel.part from block " + std::to_string(p.first_block) + " on, " + std::to_string(blocks) +
           " of " + std::to_string(p.grid.count()) + " blocks (legal: within the grid)");
    }
    return p;
  }

 private:
  void read_parameters(isa::KernelImage& image) const {
    constexpr uint32_t kBank = 1 << 16;
    image.parameter_base = limited("kernel.parameter_base", k_.parameter_base(), kBank);
    limited("bytes in kernel.parameters",
            static_cast<uint32_t>(std::min<size_t>(k_.parameters().size(), kBank + 1)),
            kBank - image.parameter_base);
    image.parameters.assign(k_.parameters().begin(), k_.parameters().end());
    for (const pb::TensorMap& m : k_.tensor_maps()) {
      isa::RecordedMap& map = image.tensor_maps.emplace_back();
      map.address = m.address();
      map.assumed = m.assumed();
      if (m.map().size() != map.bytes.size()) {
        fail("kernel.tensor_maps[" + std::to_string(image.tensor_maps.size() - 1) + "] of " +
             std::to_string(m.map().size()) + " bytes (legal: 128)");
      }
      std::copy(m.map().begin(), m.map().end(), map.bytes.begin());
    }
  }
  isa::Dim3 dims(const std::string& field, const pb::Dim3& d, const isa::Dim3& max) const {
    const isa::Dim3 out = {d.x(), d.y(), d.z()};
    if (out.x < 1 || out.x > max.x || out.y < 1 || out.y > max.y || out.z < 1 || out.z > max.z) {
      fail(field + " " + text(out) + " (legal: from (1,1,1) to " + text(max) + ")");
    }
    return out;
  }
  uint32_t limited(const std::string& field, uint32_t v, uint32_t max, uint32_t min = 0) const {
    if (v < min || v > max) {
      fail(field + " " + std::to_string(v) + " (legal: " + std::to_string(min) + ".." + std::to_string(max) +
           ")");
    }
    return v;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Error(name_ + ": header: " + what); }

  const pb::Kernel& k_;
  const std::string& name_;
};

}  // namespace

isa::Dim3 grid_of_part(uint64_t blocks, const isa::Dim3& c) {
  return {static_cast<uint32_t>(blocks / (uint64_t{c.y} * c.z)), c.y, c.z};
}

pb::Header make_header(const isa::KernelImage& image, const accelsim::Listing& code, const Origin& origin) {
  pb::Header h;
  pb::Kernel& k = *h.mutable_kernel();
  const isa::LaunchShape& s = image.shape;
  k.set_name(image.name);
  k.set_id(image.id);
  k.set_compute_capability(image.compute_capability);
  put(s.grid, *k.mutable_grid());
  put(s.block, *k.mutable_block());
  put(s.cluster, *k.mutable_cluster());
  k.set_registers_per_thread(s.registers_per_thread);
  k.set_static_shared_bytes(s.static_shared_bytes);
  k.set_dynamic_shared_bytes(s.dynamic_shared_bytes);
  k.set_local_bytes_per_thread(s.local_bytes_per_thread);
  k.set_carveout_percent(s.carveout_percent);
  k.set_cooperative(s.cooperative);
  k.set_shared_base(s.shared_base);
  k.set_local_base(s.local_base);
  k.set_stream(s.stream);
  k.set_parameters(std::string(image.parameters.begin(), image.parameters.end()));
  k.set_parameter_base(image.parameter_base);
  for (const isa::RecordedMap& m : image.tensor_maps) {
    pb::TensorMap& out = *k.add_tensor_maps();
    out.set_address(m.address);
    out.set_assumed(m.assumed);
    out.set_map(std::string(m.bytes.begin(), m.bytes.end()));
  }
  if (!put_listing(code.side_text, image.compute_capability, *h.mutable_code()->mutable_listing())) {
    h.mutable_code()->clear_listing();
    h.mutable_code()->set_sass(code.side_text);
  }
  for (const accelsim::Columns& c : code.columns) {
    pb::Columns& out = *h.mutable_code()->add_columns();
    out.set_pc(c.pc);
    out.set_opcode(c.opcode);
    out.set_dst(std::string(c.dst.begin(), c.dst.end()));
    out.set_src(std::string(c.src.begin(), c.src.end()));
    out.set_mem_width(c.mem_width);
    out.set_source_line(c.source_line);
  }
  if (origin.part) {
    put(origin.part->grid, *k.mutable_part()->mutable_grid());
    k.mutable_part()->set_first_block(origin.part->first_block);
  }
  k.set_graph(origin.graph);
  k.set_graph_launch(origin.graph_launch);
  pb::Origin& o = *h.mutable_origin();
  o.set_trace(origin.trace);
  o.set_number(origin.number);
  o.set_source(origin.source);
  o.set_fingerprint(origin.fingerprint);
  for (const accelsim::Memcpy& m : origin.memcpys) {
    pb::Memcpy& out = *o.add_memcpys();
    out.set_address(m.address);
    out.set_bytes(m.bytes);
  }
  h.set_writer("heddle");
  return h;
}

accelsim::Listing listing_of(const pb::Header& h, const std::string& name) {
  accelsim::Listing code;
  code.side_name = name + ": code.sass";
  code.side_text = h.code().has_listing()
                       ? get_listing(h.code().listing(), h.kernel().compute_capability(), name + ": header")
                       : h.code().sass();
  if (const input::Limit& most = input::limits().code_bytes; code.side_text.size() > most.value) {
    throw Error(code.side_name + ": " + std::to_string(code.side_text.size()) +
                " bytes (legal: " + most.legal() + ")");
  }
  for (const pb::Columns& c : h.code().columns()) {
    if (const std::string shown = input::printable(c.opcode()); shown != c.opcode()) {
      throw Error(
          fmt::format("{}: header: the opcode '{}' at byte {} of the code (legal: printable characters)",
                      name, shown, c.pc()));
    }
    code.columns.push_back({c.pc(),
                            c.opcode(),
                            {c.dst().begin(), c.dst().end()},
                            {c.src().begin(), c.src().end()},
                            c.mem_width(),
                            c.source_line()});
  }
  if (code.side_text.empty() && code.columns.empty()) {
    throw Error(name + ": header: no code (legal: code.listing, code.sass or code.columns)");
  }
  return code;
}

isa::KernelImage image_of(const pb::Header& h, const std::string& name) {
  isa::KernelImage image;
  KernelReader(h.kernel(), name).read(image);
  const accelsim::Listing code = listing_of(h, name);
  try {
    accelsim::build_code(code, image);
  } catch (const Error& e) {
    const std::string what = e.what();
    throw Error(what.starts_with(name) ? what : name + ": header: " + what);
  }
  if (const std::string what = sass::register_fault(image); !what.empty()) {
    throw Error(name + ": header: " + what);
  }
  for (size_t i = 1; i < image.code.size(); ++i) {
    if (image.code[i].pc <= image.code[i - 1].pc) {
      throw Error(name + ": header: two instructions at byte " + std::to_string(image.code[i].pc) +
                  " of the code");
    }
  }
  return image;
}

Origin origin_of(const pb::Header& h, const std::string& name) {
  const pb::Origin& o = h.origin();
  check_name("origin.trace", o.trace(), name);
  check_name("origin.source", o.source(), name);
  check_name("origin.fingerprint", o.fingerprint(), name);
  Origin out = {o.trace(), o.number(), o.source(),         o.fingerprint(),
                {},        {},         h.kernel().graph(), h.kernel().graph_launch()};
  out.part = KernelReader(h.kernel(), name).part();
  for (const pb::Memcpy& m : o.memcpys()) {
    out.memcpys.push_back({m.address(), m.bytes(), 0});
  }
  return out;
}

}  // namespace heddle::trace
