// The parts of tools/tracer that need no GPU: selection, NVTX ranges, what is read of a module.
#include <elf.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tools/tracer/blocks.h"
#include "tools/tracer/cubin.h"
#include "tools/tracer/node_order.h"
#include "tools/tracer/nvtx.h"
#include "tools/tracer/selection.h"

using namespace heddle::capture;

namespace {

Selection selection(const std::map<std::string, std::string>& variables) {
  return Selection([&variables](const char* name) {
    const auto v = variables.find(name);
    return v == variables.end() ? nullptr : v->second.c_str();
  });
}

Seen seen(uint64_t number, const std::string& name = "_Z6vecaddPf", uint32_t blocks = 1) {
  Seen s;
  s.number = number;
  s.name = name;
  s.readable = "vecadd(float*)";
  s.grid = {blocks, 1, 1};
  return s;
}

std::vector<uint64_t> taken(Selection s, const std::vector<Seen>& launches) {
  std::vector<uint64_t> out;
  for (const Seen& l : launches) {
    if (s.take(l)) {
      out.push_back(l.number);
    }
  }
  return out;
}
using Numbers = std::vector<uint64_t>;

// A module with one section of code and one of attributes for it.
std::string cubin(const std::string& name, const std::string& code, const std::string& info) {
  const std::string names = std::string("\0.text.", 7) + name + std::string("\0.nv.info.", 10) + name + '\0';
  Elf64_Ehdr e = {};
  std::memcpy(e.e_ident, ELFMAG, SELFMAG);
  e.e_shoff = sizeof e;
  e.e_shnum = 3;
  e.e_shstrndx = 0;
  Elf64_Shdr s[3] = {};
  uint64_t at = sizeof e + sizeof s;
  const std::string parts[3] = {names, code, info};
  for (int i = 0; i < 3; ++i) {
    s[i].sh_type = SHT_PROGBITS;
    s[i].sh_offset = at;
    s[i].sh_size = parts[i].size();
    at += parts[i].size();
  }
  s[1].sh_name = 1;
  s[2].sh_name = static_cast<uint32_t>(8 + name.size());
  return std::string(reinterpret_cast<char*>(&e), sizeof e) +
         std::string(reinterpret_cast<char*>(s), sizeof s) + names + code + info;
}
std::string attribute(uint8_t how, uint8_t which, const std::vector<uint32_t>& words) {
  const auto bytes = static_cast<uint16_t>(4 * words.size());
  std::string out = {static_cast<char>(how), static_cast<char>(which), static_cast<char>(bytes), 0};
  return out + std::string(reinterpret_cast<const char*>(words.data()), bytes);
}

}  // namespace

TEST_CASE("all launches are taken unless something is said") {
  CHECK(taken(selection({}), {seen(1), seen(2)}) == Numbers{1, 2});
}

TEST_CASE("launches are taken by name, number, order and how many") {
  const std::vector<Seen> all = {seen(1), seen(2, "_Z5otherv"), seen(3), seen(4, "_Z6vecaddPf", 7), seen(5)};
  CHECK(taken(selection({{"HEDDLE_CAPTURE_KERNEL", "^_Z6vec"}}), all) == Numbers{1, 3, 4, 5});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_KERNEL", "float\\*"}}), all) ==
        Numbers{1, 2, 3, 4, 5});  // the readable name
  CHECK(taken(selection({{"HEDDLE_CAPTURE_KERNEL", "gemm"}}), all).empty());
  CHECK(taken(selection({{"HEDDLE_CAPTURE_LAUNCHES", "3"}}), all) == Numbers{3});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_LAUNCHES", "2-4"}}), all) == Numbers{2, 3, 4});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_MOST", "2"}}), all) == Numbers{1, 2});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_FIRST_OF_EACH", "1"}}), all) == Numbers{1, 2, 4});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_FIRST_OF_EACH", "1"}, {"HEDDLE_CAPTURE_LAUNCHES", "3-9"}}), all) ==
        Numbers{3, 4});
}

TEST_CASE("launches are taken while the profiler is on, and in a range") {
  Seen profiled = seen(2), ranged = seen(3);
  profiled.profiling = true;
  ranged.in_range = true;
  const std::vector<Seen> all = {seen(1), profiled, ranged};
  CHECK(taken(selection({{"HEDDLE_CAPTURE_PROFILER", "1"}}), all) == Numbers{2});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_PROFILER", ""}}), all) == Numbers{1, 2, 3});
  CHECK(taken(selection({{"HEDDLE_CAPTURE_NVTX", "forward"}}), all) == Numbers{3});
}

TEST_CASE("kernels of graphs are instrumented by their names alone") {
  const Selection s = selection({{"HEDDLE_CAPTURE_KERNEL", "^_Z6vec"}, {"HEDDLE_CAPTURE_LAUNCHES", "7"}});
  CHECK(s.names(seen(1)));
  CHECK_FALSE(s.names(seen(7, "_Z5otherv")));
  CHECK(selection({{"HEDDLE_CAPTURE_PROFILER", "1"}}).names(seen(1)));
}

TEST_CASE("blocks are taken by range, in whole clusters, as far as the grid goes") {
  using Taken = std::pair<uint64_t, uint64_t>;
  const auto taken = [](const char* text, uint64_t blocks, uint64_t cluster) {
    Taken t = {0, 0};
    return blocks_of(block_range(text), blocks, cluster, t.first, t.second) ? t : Taken{0, 0};
  };
  CHECK(taken(nullptr, 100, 1) == Taken{0, 100});
  CHECK(taken("", 100, 1) == Taken{0, 100});
  CHECK(taken("64", 100, 1) == Taken{0, 64});
  CHECK(taken("64", 10, 1) == Taken{0, 10});
  CHECK(taken("1", 10, 4) == Taken{0, 4});
  CHECK(taken("5-6", 64, 4) == Taken{4, 4});
  CHECK(taken("3-4", 64, 4) == Taken{0, 8});
  CHECK(taken("90-200", 100, 1) == Taken{90, 10});
  CHECK(taken("99-99", 100, 1) == Taken{99, 1});
  CHECK(taken("100-200", 100, 1) == Taken{0, 0});
}

TEST_CASE("a graph's kernels are told by name and grid, those that are alike by their order") {
  NodeOrder n;
  n.add("a", {8, 1, 1});
  n.add("b", {8, 1, 1});
  n.add("a", {4, 1, 1});
  n.add("a", {8, 1, 1});
  CHECK(n.take("a", {4, 1, 1}) == 3);
  CHECK(n.take("a", {8, 1, 1}) == 1);
  CHECK(n.take("a", {8, 1, 1}) == 4);
  CHECK(n.take("b", {0, 0, 0}) == 2);  // a grid that is not known
  CHECK(n.take("a", {8, 1, 1}) == 0);
  CHECK(n.take("c", {8, 1, 1}) == 0);
  CHECK(n.state() == "6 kernels announced of 4, 2 of them unknown");
  n.clear();
  CHECK(n.take("a", {8, 1, 1}) == 0);
}

TEST_CASE("ranges of a name are counted, however they are opened") {
  nvtx::wanted = "forward";
  CHECK(nvtx::push_text("other") == 0);
  CHECK(nvtx::open == 0);
  CHECK(nvtx::push_text("forward") == 1);
  CHECK(nvtx::open == 1);
  nvtx::Attributes a = {};
  a.message_type = 1;
  a.message = "forward";
  const uint64_t id = nvtx::start_domain(nullptr, &a);
  CHECK(nvtx::open == 2);
  nvtx::pop();
  CHECK(nvtx::open == 1);
  nvtx::end(id);
  nvtx::end(id);
  CHECK(nvtx::open == 0);
  CHECK(nvtx::pop() == 0);
  CHECK(nvtx::pop() == -1);
}

TEST_CASE("a module tells encodings and where parameters lie") {
  const heddle::test::TempDir dir;
  std::string code(32, '\0');
  code[16] = 7;
  code[24] = 9;
  const std::string info = attribute(3, 0x19, {}) + attribute(4, 0x0a, {2, 0x00180210}) +
                           attribute(4, 0x17, {0, 0x00080001, 0x10u << 18}) +
                           attribute(4, 0x17, {0, 0x00000000, 0x8u << 18});
  const std::string bytes = cubin("_Z1kv", code, info);
  std::ofstream(dir / "k.cubin", std::ios::binary) << bytes;
  const Cubin c((dir / "k.cubin").string(), "_Z1kv");
  uint64_t low = 0, high = 0;
  REQUIRE(c.encoding(16, low, high));
  CHECK(low == 7);
  CHECK(high == 9);
  CHECK_FALSE(c.encoding(32, low, high));
  CHECK(c.parameter_base() == 0x210);
  REQUIRE(c.parameters().size() == 2);
  CHECK(c.parameters().at(0).bytes == 8);
  CHECK(c.parameters().at(1).offset == 8);
  CHECK(c.parameters().at(1).bytes == 16);
  CHECK_FALSE(Cubin((dir / "k.cubin").string(), "_Z1g").encoding(0, low, high));
  for (size_t n = 0; n < bytes.size(); ++n) {  // cut anywhere: nothing is read behind the end
    std::ofstream(dir / "cut.cubin", std::ios::binary | std::ios::trunc) << bytes.substr(0, n);
    const Cubin cut((dir / "cut.cubin").string(), "_Z1kv");
    CHECK((cut.parameters().size() <= 2));
  }
}
