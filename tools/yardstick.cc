// What a machine can do at the moment, by two fixed pieces of work that resemble the simulator's: integer
// steps with branches that nothing predicts, and loads of which each waits for the one before, over more
// memory than most caches hold. Prints the processor time of both; tools/bench sets speeds in proportion to
// their sum.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <numeric>
#include <utility>
#include <vector>

namespace {

constexpr uint64_t kSteps = 120'000'000;
constexpr uint64_t kLoads = 2'000'000;
constexpr uint32_t kNodes = 1u << 20;  // of 64 bytes: 64 MiB

double seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

uint64_t next(uint64_t& x) {  // xorshift64
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return x;
}

uint64_t integers() {
  uint64_t x = 0x9e3779b97f4a7c15, sum = 0;
  for (uint64_t i = 0; i < kSteps; ++i) {
    const uint64_t r = next(x);
    if (r & 1) {
      sum += r % 1021;
    } else {
      sum ^= r >> 5;
    }
  }
  return sum;
}

struct alignas(64) Node {
  uint32_t next;
};

// One cycle through all nodes, in an order that no prefetcher knows (Sattolo's shuffle).
std::vector<Node> nodes() {
  std::vector<uint32_t> order(kNodes);
  std::iota(order.begin(), order.end(), 0u);
  uint64_t x = 88172645463325252;
  for (uint32_t i = kNodes - 1; i > 0; --i) {
    std::swap(order[i], order[next(x) % i]);
  }
  std::vector<Node> out(kNodes);
  for (uint32_t i = 0; i < kNodes; ++i) {
    out[order[i]].next = order[(i + 1) % kNodes];
  }
  return out;
}

uint64_t chase(const std::vector<Node>& all) {
  uint32_t at = 0;
  for (uint64_t i = 0; i < kLoads; ++i) {
    at = all[at].next;
  }
  return at;
}

}  // namespace

int main() {
  const std::vector<Node> all = nodes();
  const double begin = seconds();
  const uint64_t sum = integers();
  const double between = seconds();
  const uint64_t last = chase(all);
  const double end = seconds();
  std::printf(
      "{\"integer_seconds\": %.4f, \"steps\": %llu, \"chase_seconds\": %.4f, \"loads\": %llu, \"check\": "
      "\"%llx\"}\n",
      between - begin, static_cast<unsigned long long>(kSteps), end - between,
      static_cast<unsigned long long>(kLoads), static_cast<unsigned long long>(sum ^ last));
}
