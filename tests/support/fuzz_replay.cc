// main() of a fuzz target where there is no libFuzzer: runs each file named on the command line, then a fixed
// number of pseudo-random mutations of them. The same inputs at every run; a crash is the failure.
//
// HEDDLE_FUZZ_RUNS=N sets the number of mutations (default 2000), HEDDLE_FUZZ_SAVE=PATH writes each input
// there before it is run, so that after a crash the file holds the culprit.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Rng = std::mt19937_64;

std::size_t Below(Rng& rng, std::size_t n) { return static_cast<std::size_t>(rng() % n); }

void RunOne(const std::string& input) {
  if (const char* path = std::getenv("HEDDLE_FUZZ_SAVE")) {
    std::ofstream(path, std::ios::binary) << input;
  }
  // An exact-size copy on the heap: sanitizers see a read past the end.
  std::vector<std::uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string Mutate(std::string s, const std::vector<std::string>& corpus, Rng& rng) {
  const std::size_t steps = 1 + Below(rng, 8);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t at = s.empty() ? 0 : Below(rng, s.size());
    switch (Below(rng, 7)) {
      case 0:  // flip a bit
        if (!s.empty()) {
          s[at] = static_cast<char>(s[at] ^ (1 << Below(rng, 8)));
        }
        break;
      case 1:  // an arbitrary byte
        if (!s.empty()) {
          s[at] = static_cast<char>(rng());
        }
        break;
      case 2:  // insert a byte, half the time a telling one
        s.insert(at, 1, Below(rng, 2) ? static_cast<char>(rng()) : "\0\xff\n{}:-09"[Below(rng, 9)]);
        break;
      case 3:  // cut out a piece
        s.erase(at, 1 + Below(rng, 16));
        break;
      case 4:  // cut off the end
        s.resize(at);
        break;
      case 5:  // repeat a piece
        if (s.size() < (1u << 16)) {
          s.insert(at, s.substr(at, 1 + Below(rng, 32)));
        }
        break;
      default: {  // a piece of another input
        const std::string& other = corpus[Below(rng, corpus.size())];
        if (!other.empty() && s.size() < (1u << 16)) {
          s.insert(at, other.substr(Below(rng, other.size()), 1 + Below(rng, 64)));
        }
      }
    }
  }
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 2;
    }
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    RunOne(corpus.back());
  }
  const std::size_t files = corpus.size();
  if (corpus.empty()) {
    corpus.emplace_back();
  }
  const char* runs = std::getenv("HEDDLE_FUZZ_RUNS");
  const unsigned long mutations = runs != nullptr ? std::strtoul(runs, nullptr, 10) : 2000;
  Rng rng(20240229);
  for (unsigned long i = 0; i < mutations; ++i) {
    RunOne(Mutate(corpus[i % corpus.size()], corpus, rng));
  }
  std::printf("%zu files and %lu mutations of them run\n", files, mutations);
  return 0;
}
