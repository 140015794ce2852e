// A cubin of nvcc's: what a launch has to know, and damaged ones.
#include "frontends/cubin/object/object.h"

#include <catch2/catch.hpp>

#include "frontends/cubin/disassemble.h"
#include "frontends/cubin/object/elf.h"
#include "tests/cubin/object_case.h"

namespace heddle::cubin::test {
namespace {

using Catch::Contains;
using Where = Named::Where;

std::string error_of_object(const Bytes& bytes) {
  return error_of([&] { read_object("f", bytes); });
}

}  // namespace

TEST_CASE("a kernel's resources and parameters") {
  const Object o = read_object("parts.cubin", data("parts.cubin"));
  CHECK(o.capability == 90);
  REQUIRE(o.functions.size() == 1);
  const Function* f = o.find("parts");
  REQUIRE(f != nullptr);
  CHECK(f->kernel);
  CHECK(f->registers == 14);
  CHECK(f->static_shared == 256 * sizeof(float));  // 0x800 in the file, with the system's
  CHECK(f->stack_bytes == 0);
  CHECK(f->most_threads == 256);
  CHECK(f->required_cluster == isa::Dim3{2, 1, 1});
  CHECK(f->parameter_offset == 0x210);
  CHECK(f->parameter_bytes == 24);
  REQUIRE(f->parameters.size() == 3);
  const uint32_t expected[3][2] = {{0, 1}, {8, 8}, {16, 8}};
  for (uint32_t i = 0; i < 3; ++i) {
    CHECK(f->parameters[i].index == i);
    CHECK(f->parameters[i].offset == expected[i][0]);
    CHECK(f->parameters[i].bytes == expected[i][1]);
  }
  CHECK(f->code.size() == 0x300 / sizeof(Word));
  CHECK(disassembled(f->code.at(0), 0) == "LDC R1, c[0x0][0x28]");
  CHECK(o.find("step") == nullptr);
}

TEST_CASE("variables and relocations") {
  const Object o = read_object("parts.cubin", data("parts.cubin"));
  CHECK(o.global.bytes == 64 * sizeof(float));
  CHECK(o.global.initial.empty());
  CHECK(o.global_init.initial.size() == 12);
  CHECK(o.global_init.initial.at(8) == 7);
  CHECK(o.constant3.initial.size() == 16);
  CHECK(o.names.at("counter").where == Where::kGlobalInit);
  CHECK(o.names.at("counter").value == 8);
  CHECK(o.names.at("results").where == Where::kGlobal);
  CHECK(o.names.at("factors").where == Where::kConstant3);
  CHECK(o.names.at("parts").where == Where::kFunction);
  REQUIRE(o.global_init.fixups.size() == 1);
  CHECK(o.global_init.fixups[0].symbol == "counter");
  CHECK(o.global_init.fixups[0].kind == Fixup::Kind::kWord64);
  std::vector<std::string> named;
  for (const Fixup& f : o.constant4.fixups) {
    CHECK(f.kind == Fixup::Kind::kWord64);
    named.push_back(f.symbol);
  }
  CHECK(named == std::vector<std::string>{"results", "pointer", "counter"});
}

TEST_CASE("a cubin that ends early is an error, wherever it ends") {
  const Bytes all = data("parts.cubin");
  REQUIRE(all.size() > 5000);
  for (size_t n = 0; n < all.size(); ++n) {
    const std::string said =
        error_of_object(Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)));
    if (!Contains("f: byte ").match(said)) {
      CAPTURE(n, said);
      FAIL_CHECK("not refused");
    }
  }
}

TEST_CASE("damaged cubins") {
  const Bytes good = data("parts.cubin");
  const Elf elf("f", good);
  const Section* text = elf.section(".text.parts");
  REQUIRE(text != nullptr);
  const auto index = static_cast<uint64_t>(text - elf.sections().data());
  uint64_t table = 0;
  std::memcpy(&table, good.data() + 40, sizeof table);
  const uint64_t header = table + 64 * index;

  Bytes bad = good;
  bad[18] = 62;
  CHECK_THAT(error_of_object(bad), Contains("f: byte 18: code of machine 62 (legal: 190"));

  bad = good;
  put<uint64_t>(bad, header + 32, text->bytes - 8);
  CHECK_THAT(error_of_object(bad), Contains("legal: multiples of 16"));

  bad = good;
  put<uint64_t>(bad, header + 24, uint64_t{1} << 63);
  CHECK_THAT(error_of_object(bad), Contains("of a file of"));

  // Three sections that are each nearly the whole file.
  bad = good;
  for (uint64_t i = 4; i < 7; ++i) {
    put<uint64_t>(bad, table + 64 * i + 24, 16);
    put<uint64_t>(bad, table + 64 * i + 32, good.size() - 16);
  }
  CHECK_THAT(error_of_object(bad), Contains("legal: twice the file's"));

  // A second section of the same name.
  bad = good;
  std::memcpy(bad.data() + table + 64 * 4, good.data() + header, 64);
  CHECK_THAT(error_of_object(bad), Contains("a second section .text.parts"));
}

}  // namespace heddle::cubin::test
