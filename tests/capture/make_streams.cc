// Writes what a tracer would send into a directory: inputs for fuzz_session, and for capture_command_test.
//
//   make_streams DIR
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/capture/stream.h"

using namespace heddle::capture;
using namespace heddle::capture::test;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_streams DIR\n");
    return 2;
  }
  const auto put = [&](const char* name, const std::string& bytes) {
    std::ofstream(std::filesystem::path(argv[1]) / name, std::ios::binary) << bytes;
  };
  const std::string start = hello() + frame(kContext, "NVIDIA H200");
  const std::string code = function(0, "_Z6vecaddPf",
                                    {{"LDG.E R2, [R4.64] ;", 12, "a.cu"},
                                     {"LDGSTS.E.BYPASS.128 [R3], desc[UR4][R4.64] ;"},
                                     {"SYNCS.EXCH.64 URZ, [UR8], UR4 ;"},
                                     {"UTMALDG.2D [UR8], [UR4] ;"},
                                     {"EXIT ;"}});
  std::string records;
  for (uint32_t b = 0; b < 2; ++b) {
    records += record(b, 0, 0, ~0u, 1 | kStrided, words({0x7f0000000000u + 128 * b, 4})) +
               record(b, 0, 0, 0b101, 1, words({0x1000, 0x1010})) +
               record(b, 0, 1, 0xf, 2 | kStrided | kSecondStrided, words({0x7f00, 16, 0x400, 16})) +
               record(b, 0, 2, 1, 2 | kOperands | kStrided | kSecondStrided, words({0x408, 0, 0x1ffffe, 0})) +
               record(b, 0, 3, 1, kUniform | kTensorMap,
                      halves(std::vector<uint32_t>(12, 5)) + words({0x7f40}) + std::string(128, 'm')) +
               record(b, 0, 3, 0) + record(b, 0, 4, ~0u);
  }
  const std::string one = launch(launch_head(2), {0}, records, "parameters");
  // Three launches: two of a graph, and blocks 2 and 3 of a grid of 8.
  LaunchHead node = launch_head(2), part = launch_head(8);
  node.graph = node.graph_launch = 1;
  node.stream = 0x7f01;
  std::string nodes, mixed;
  for (uint16_t n = 0; n < 2; ++n) {
    node.number = node.node = n;
    nodes += begin_launch(node, {0}, 4 * sizeof(Record));
    for (uint32_t b = 0; b < 2; ++b) {
      mixed += record(b, 0, 4, ~0u, 0, "", n);
    }
  }
  part.first_block = part.blocks = 2;
  const std::string some = launch(part, {0}, record(2, 0, 4, ~0u) + record(3, 0, 4, ~0u));
  Dropped full;
  full.number = 6;
  full.needs = uint64_t{5} << 30;
  full.has = uint64_t{1} << 30;
  const std::string drop = frame(kDropped, text(Payload().add(full).text("_Z4hugev")));
  Listed listed = {};
  listed.number = 5;
  listed.grid[0] = listed.grid[1] = listed.grid[2] = listed.block[0] = listed.block[1] = listed.block[2] = 1;
  put("two", start + frame(kMemcpy, words({0x7f0000000000, 4096})) + code + one + one + bye(9, 2));
  put("dropped", start + code + one + drop + bye(9, 2));
  put("graph_and_part", start + code + nodes + end_launch(mixed) + some + bye(3, 3));
  put("none", start + bye(4, 0));
  put("no_context", hello() + bye(0, 0));
  put("list", start + frame(kListed, text(Payload().add(listed).text("_Z6vecaddPf"))) +
                  frame(kNote, "graphs") + bye(9, 1));
  put("error", start + frame(kError, "no room on the GPU"));
  put("cut", (start + code + one).substr(0, start.size() + code.size() + 300));
  return 0;
}
