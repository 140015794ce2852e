// Executes the forms of generate.py and compares their results with an H200's.
//
// usage: compare FOLDER RESULTS.bin [cubin]   (FOLDER: of generate.py; RESULTS.bin: h200/results.bin.xz,
// decompressed; cubin: what ptxas made of the modules, FOLDER/00.cubin and so on, instead of the PTX)
//
// Prints a line for each form that differs or cannot be executed, with its first different case, then the
// counts. The exit status is 1 when there is any.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/modules/program.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"

namespace {

using namespace heddle;

struct Form {
  int number = 0, module = 0;
  uint32_t threads = 0, blocks = 0;
  size_t from = 0, from_bytes = 0, to = 0, to_bytes = 0;
  std::string text;
};

std::vector<Form> manifest(const std::string& path) {
  std::ifstream in(path);
  std::vector<Form> out;
  for (std::string line; std::getline(in, line);) {
    std::istringstream s(line);
    Form f;
    s >> f.number >> f.module >> f.threads >> f.blocks >> f.from >> f.from_bytes >> f.to >> f.to_bytes >>
        std::ws;
    std::getline(s, f.text);
    out.push_back(std::move(f));
  }
  return out;
}

std::vector<uint8_t> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

uint64_t word(const uint8_t* p) {
  uint64_t w = 0;
  std::memcpy(&w, p, sizeof w);
  return w;
}

// The first case that differs: operands of lanes' forms are four words, results two.
std::string difference(const Form& f, const uint8_t* operands, const uint8_t* ours, const uint8_t* theirs) {
  size_t at = 0, different = 0;
  for (size_t i = f.to_bytes / 8; i-- > 0;) {
    if (word(ours + 8 * i) != word(theirs + 8 * i)) {
      at = i;
      ++different;
    }
  }
  std::string out = fmt::format("{} of {} words, first {}: {:x}, H200 {:x}", different, f.to_bytes / 8, at,
                                word(ours + 8 * at), word(theirs + 8 * at));
  if (f.from_bytes == size_t{32} * f.threads) {
    const uint8_t* p = operands + 32 * (at / 2);
    out += fmt::format("; operands {:x} {:x} {:x} {:x}", word(p), word(p + 8), word(p + 16), word(p + 24));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: compare FOLDER RESULTS.bin [cubin]\n";
    return 2;
  }
  const std::string folder = argv[1];
  const auto operands = bytes_of(folder + "/operands.bin"), results = bytes_of(argv[2]);
  exec::Memory memory;
  const uint64_t from = memory.allocate(operands.size());
  memory.write(from, operands);
  const std::string kind = argc == 4 ? argv[3] : "ptx";
  std::map<int, std::unique_ptr<modules::Program>> programs;
  exec::ExecuteOptions options;
  options.threads = 1;
  size_t equal = 0, different = 0, missing = 0;
  for (const Form& f : manifest(folder + "/manifest.txt")) {
    auto& program = programs[f.module];
    if (!program) {
      program = modules::load(fmt::format("{}/{:02}.{}", folder, f.module, kind), memory);
    }
    try {
      const modules::Kernel& kernel = program->kernel(fmt::format("f{}", f.number));
      exec::Launch launch = program->launch(kernel);
      launch.grid = {f.blocks, 1, 1};
      launch.block = {f.threads, 1, 1};
      const uint64_t to = memory.allocate(f.to_bytes);
      memory.write(to, std::vector<uint8_t>(f.to_bytes));
      modules::set_parameter(kernel, 0, from + f.from, launch);
      modules::set_parameter(kernel, 1, to, launch);
      execute(launch, options);
      std::vector<uint8_t> ours(f.to_bytes);
      memory.read(to, ours);
      if (std::memcmp(ours.data(), results.data() + f.to, f.to_bytes) == 0) {
        ++equal;
      } else {
        ++different;
        std::cout << fmt::format("differs {} {} | {}\n", f.number, f.text,
                                 difference(f, operands.data() + f.from, ours.data(), results.data() + f.to));
      }
    } catch (const Unsupported& e) {
      ++missing;
      std::cout << fmt::format("missing {} {} | {}\n", f.number, f.text, e.lines().front());
    } catch (const Error& e) {
      ++missing;
      std::cout << fmt::format("missing {} {} | {}\n", f.number, f.text, e.what());
    }
  }
  std::cout << fmt::format("{} forms equal, {} differ, {} cannot be executed\n", equal, different, missing);
  return different + missing == 0 ? 0 : 1;
}
