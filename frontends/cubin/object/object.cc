#include "frontends/cubin/object/object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "frontends/cubin/object/elf.h"
#include "frontends/cubin/object/nv_info.h"
#include "frontends/input/limits.h"

namespace heddle::cubin {
namespace {

constexpr std::string_view kText = ".text.", kInfo = ".nv.info.", kShared = ".nv.shared.";
constexpr uint8_t kEntry = 0x10;  // Symbol::other: a kernel
constexpr uint32_t kSystemShared =
    1024;  // below a block's own shared memory, from 9.0 on; the linker adds it
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of variables

bool begins(std::string_view name, std::string_view with) { return name.substr(0, with.size()) == with; }

Fixup::Kind kind_of(uint32_t type) {
  switch (type) {  // NVIDIA's R_CUDA_*, found by what nvcc makes of a relocatable program
    case 2:        // 64
    case 4:        // G64
    case 35:       // of a kernel
    case 102:      // FUNC_DESC_64
      return Fixup::Kind::kWord64;
    case 1:  // 32
    case 3:  // G32
      return Fixup::Kind::kWord32;
    case 55:   // of shared memory
    case 56:   // ABS32_LO_32
    case 62:   // of a kernel
    case 112:  // FUNC_DESC32_LO_32
      return Fixup::Kind::kFieldLow;
    case 57:   // ABS32_HI_32
    case 63:   // of a kernel
    case 113:  // FUNC_DESC32_HI_32
      return Fixup::Kind::kFieldHigh;
    case 75:  // ABS47_34: of code that nvlink has put together
      return Fixup::Kind::kCall;
    default:
      return Fixup::Kind::kUnknown;
  }
}

class Reader {
 public:
  Reader(std::string file, std::span<const uint8_t> bytes) : elf_(file, bytes) {
    out_.file = std::move(file);
    if (elf_.machine() != Elf::kCuda) {
      elf_.fail(18, fmt::format("code of machine {} (legal: {}, NVIDIA CUDA)", elf_.machine(), Elf::kCuda));
    }
    out_.capability = elf_.capability();
  }

  Object read() {
    functions();
    attributes();
    call_graph();
    shared();
    data();
    names();
    return std::move(out_);
  }

 private:
  void functions();
  void attributes();
  void attribute(const AttributeValue& v, Function* f);
  void call_graph();
  void shared();
  void data();
  void names();
  Data data_of(std::string_view section);
  std::vector<Fixup> fixups(std::string_view section);
  Function* of_symbol(const AttributeValue& v);
  Function* find(std::string_view name);
  // Of copies: a small file may name something long again and again.
  void count_name(uint64_t at, size_t bytes);

  const Elf elf_;
  uint64_t names_bytes_ = 0;
  std::map<std::string, size_t, std::less<>> by_name_;  // of functions
  Object out_;
};

Function* Reader::find(std::string_view name) {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &out_.functions[it->second];
}

void Reader::count_name(uint64_t at, size_t bytes) {
  names_bytes_ += bytes;
  if (names_bytes_ > input::limits().section_bytes.value) {
    elf_.fail(at, fmt::format("names of {} bytes up to here (legal: {})", names_bytes_,
                              input::limits().section_bytes.legal()));
  }
}

// Null: of a function within another one's section.
Function* Reader::of_symbol(const AttributeValue& v) {
  const uint32_t symbol = v.word(0);
  if (symbol >= elf_.symbols().size()) {
    elf_.fail(v.at, fmt::format("an attribute of symbol {} of {}", symbol, elf_.symbols().size()));
  }
  return find(elf_.symbols()[symbol].name);
}

std::vector<Fixup> Reader::fixups(std::string_view section) {
  std::vector<Fixup> out;
  for (const char* kind : {".rela", ".rel"}) {
    const Section* s = elf_.section(kind + std::string(section));
    if (s == nullptr) {
      continue;
    }
    for (const Relocation& r : elf_.relocations(*s)) {
      const std::string& name = elf_.symbols()[r.symbol].name;
      count_name(s->at, name.size());
      out.push_back({kind_of(r.type), r.type, r.at, name, r.addend});
    }
  }
  return out;
}

void Reader::functions() {
  for (const Section& s : elf_.sections()) {
    if (!begins(s.name, kText)) {
      continue;
    }
    Function f;
    f.name = s.name.substr(kText.size());
    f.file_at = s.at;
    if (!by_name_.emplace(f.name, out_.functions.size()).second) {
      elf_.fail(s.at, fmt::format("a second section {}", s.name));
    }
    constexpr uint64_t kBytes = sizeof(Word);
    if (s.data.size() % kBytes != 0) {
      elf_.fail(s.at, fmt::format("{} of {} bytes (legal: multiples of 16)", s.name, s.data.size()));
    }
    if (s.data.size() / kBytes > input::limits().instructions.value) {
      elf_.fail(s.at, fmt::format("{} of {} instructions (legal: {})", s.name, s.data.size() / kBytes,
                                  input::limits().instructions.legal()));
    }
    f.code.resize(s.data.size() / kBytes);
    if (!f.code.empty()) {
      std::memcpy(f.code.data(), s.data.data(), s.data.size());
    }
    f.fixups = fixups(s.name);
    out_.functions.push_back(std::move(f));
  }
  for (const Symbol& s : elf_.symbols()) {
    if (s.type == Elf::kFunction && (s.other & kEntry) != 0) {
      if (Function* f = find(s.name)) {
        f->kernel = true;
      }
    }
  }
}

void Reader::attributes() {
  for (const Section& s : elf_.sections()) {
    if (s.name == ".nv.info") {
      for_attributes(elf_, s, [&](const AttributeValue& v) { attribute(v, nullptr); });
    } else if (begins(s.name, kInfo)) {
      if (Function* f = find(s.name.substr(kInfo.size()))) {
        for_attributes(elf_, s, [&](const AttributeValue& v) { attribute(v, f); });
      }
    }
  }
  for (Function& f : out_.functions) {
    std::sort(f.parameters.begin(), f.parameters.end(),
              [](const KernelParameter& a, const KernelParameter& b) { return a.index < b.index; });
  }
}

void Reader::attribute(const AttributeValue& v, Function* f) {
  constexpr uint32_t kBytesFrom = 18;  // of a parameter's record
  switch (v.attribute) {
    case Attribute::kRegisterCount:
      if (Function* of = of_symbol(v)) {
        of->registers = v.word(1);
      }
      return;
    case Attribute::kFrameSize:
    case Attribute::kMinStackSize:
    case Attribute::kMaxStackSize:
      if (Function* of = of_symbol(v); of != nullptr && v.word(1) != UINT32_MAX) {
        of->stack_bytes = std::max(of->stack_bytes, v.word(1));
      }
      return;
    default:
      break;
  }
  if (f == nullptr) {
    return;
  }
  switch (v.attribute) {
    case Attribute::kMaxThreads:
      f->most_threads = v.word(0) * std::max(1U, v.word(1)) * std::max(1U, v.word(2));
      break;
    case Attribute::kRequiredThreads:
      f->required_threads = {v.word(0), v.word(1), v.word(2)};
      break;
    case Attribute::kClusterBlocks:
      f->required_cluster = {v.word(0), v.word(1), v.word(2)};
      break;
    case Attribute::kMaxClusterRank:
      f->most_cluster_blocks = v.data.empty() ? v.value : v.word(0);
      break;
    case Attribute::kExplicitCluster:
      f->explicit_cluster = true;
      break;
    case Attribute::kBarrierCount:
      f->barriers = v.value;
      break;
    case Attribute::kParameterBank:
      f->parameter_offset = v.word(1) & 0xffff;
      f->parameter_bytes = v.word(1) >> 16;
      break;
    case Attribute::kParameter:
      f->parameters.push_back({v.word(1) & 0xffff, v.word(1) >> 16, v.word(2) >> kBytesFrom});
      break;
    default:
      break;
  }
}

// Pairs of symbols: 0 and a number that says what comes, up to the next such pair. Calls by name, calls
// through pointers with whom they may mean; the others are types of functions.
void Reader::call_graph() {
  constexpr uint32_t kByName = UINT32_MAX, kThroughPointers = UINT32_MAX - 3;
  const Section* s = elf_.section(".nv.callgraph");
  if (s == nullptr) {
    return;
  }
  out_.call_graph = true;
  uint32_t what = 0;
  for (size_t at = 0; at + 8 <= s->data.size(); at += 8) {
    uint32_t pair[2];
    std::memcpy(pair, s->data.data() + at, sizeof pair);
    if (pair[0] == 0) {
      what = pair[1];
    } else if (what == kByName || what == kThroughPointers) {
      if (pair[0] >= elf_.symbols().size() || pair[1] >= elf_.symbols().size()) {
        continue;
      }
      if (Function* f = find(elf_.symbols()[pair[0]].name)) {
        const std::string& name = elf_.symbols()[pair[1]].name;
        count_name(s->at, name.size());
        if (!name.empty()) {
          f->calls.push_back(name);
        }
      }
    }
  }
}

void Reader::shared() {
  for (const Section& s : elf_.sections()) {
    if (!begins(s.name, kShared)) {
      continue;
    }
    if (Function* f = find(s.name.substr(kShared.size()))) {
      const uint32_t system = out_.capability >= 90 && !elf_.relocatable() ? kSystemShared : 0;
      if (s.bytes > (1U << 20)) {
        elf_.fail(s.at, fmt::format("{} of {} bytes (legal: up to 1 MiB)", s.name, s.bytes));
      }
      const auto bytes = static_cast<uint32_t>(s.bytes);
      f->static_shared = bytes - std::min(bytes, system);
      f->shared_align = static_cast<uint32_t>(std::clamp<uint64_t>(s.align, 16, 1024));
    }
  }
}

Data Reader::data_of(std::string_view name) {
  Data d;
  if (const Section* s = elf_.section(name)) {
    if (s->bytes > kMostBytes) {
      elf_.fail(s->at, fmt::format("{} of {} bytes (legal: up to {})", name, s->bytes, kMostBytes));
    }
    d.bytes = s->bytes;
    d.align = s->align;
    d.initial.assign(s->data.begin(), s->data.end());
    d.fixups = fixups(name);
  }
  return d;
}

void Reader::data() {
  out_.global = data_of(".nv.global");
  out_.global_init = data_of(".nv.global.init");
  out_.constant3 = data_of(".nv.constant3");
  out_.constant4 = data_of(".nv.constant4");
  for (Function& f : out_.functions) {
    f.constant2 = data_of(".nv.constant2." + f.name);
  }
}

void Reader::names() {
  for (const Symbol& s : elf_.symbols()) {
    if (s.name.empty() || s.type == Elf::kSectionType) {
      continue;
    }
    Named n;
    n.value = s.value;
    n.bytes = s.bytes;
    if (s.section != 0 && s.section < elf_.sections().size()) {
      const std::string& in = elf_.sections()[s.section].name;
      if (begins(in, kText)) {
        n.where = Named::Where::kFunction;
        n.function = in.substr(kText.size());
        count_name(elf_.sections()[s.section].at, in.size());
      } else if (in == ".nv.global") {
        n.where = Named::Where::kGlobal;
      } else if (in == ".nv.global.init") {
        n.where = Named::Where::kGlobalInit;
      } else if (in == ".nv.constant3") {
        n.where = Named::Where::kConstant3;
      } else if (begins(in, kShared)) {
        n.where = Named::Where::kShared;
      }
    }
    count_name(0, s.name.size());
    out_.names.emplace(s.name, std::move(n));
  }
}

}  // namespace

const Function* Object::find(std::string_view function) const {
  const auto it =
      std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == function; });
  return it == functions.end() ? nullptr : &*it;
}

Object read_object(std::string file, std::span<const uint8_t> bytes) {
  return Reader(std::move(file), bytes).read();
}

}  // namespace heddle::cubin
