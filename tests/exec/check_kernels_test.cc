// What --check sync and --check race find in kernels that nvcc made (data/checks.cu), as PTX and as machine
// code: each kind of mistake, and the sound neighbour in which nothing is found.
#include <catch2/catch.hpp>
#include <string>

#include "frontends/modules/described_launch.h"
#include "sim/base/error.h"
#include "sim/exec/execute.h"

namespace heddle::exec::test {
namespace {

constexpr const char* kPtx = "tests/exec/data/checks.ptx.fatbin";
constexpr const char* kCode = "tests/exec/data/checks.fatbin";
constexpr Checks kSync{false, false, true}, kRace{false, true, false};

// What execution says is wrong, "" when nothing is. Blocks of 128 threads.
std::string found(const char* file, const std::string& kernel, const Checks& checks) {
  modules::DescribedLaunch l(
      {.file = file, .kernel = kernel, .grid = {1}, .block = {128}, .arguments = {"buffer:4096"}}, checks);
  try {
    ExecuteOptions options;
    options.threads = 1;
    execute(l.launch(), options);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

struct Row {
  const char* kernel;
  const char* ptx;         // what the message has; null: nothing is found
  const char* code = ptx;  // in machine code
};

void check(const Checks& checks, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    for (const bool machine : {false, true}) {
      const char* file = machine ? kCode : kPtx;
      const char* want = machine ? row.code : row.ptx;
      INFO(row.kernel << (machine ? ", machine code" : ", PTX"));
      CHECK(found(file, row.kernel, {}).empty());
      const std::string what = found(file, row.kernel, checks);
      if (want == nullptr) {
        CHECK(what.empty());
      } else {
        CHECK_THAT(what, Catch::Contains(want));
      }
    }
  }
}

}  // namespace

TEST_CASE("sync: sound uses of barriers and masks") {
  check(kSync, {{"all_lanes", nullptr},
                {"lanes_end_before", nullptr},
                {"lanes_store_and_end_before", nullptr},
                {"warps_end_before", nullptr},
                {"lanes_end_between", nullptr},
                {"named_for_one_warp", nullptr},
                {"unaligned_two_sides", nullptr},
                {"apart_before", nullptr},
                {"count_of_the_block", nullptr},
                {"masks_of_halves", nullptr},
                {"mask_with_ended_lanes", nullptr},
                {"object_invalidated", nullptr}});
}

TEST_CASE("sync: not all lanes of a warp come to a barrier, or not together") {
  check(kSync, {{"lanes_skip", "have ended (legal: all lanes of a warp come as often)",
                 "lanes 0xfff00000 went past it, to"},
                {"lanes_skip_a_branch", "lanes 0xfff00000 went past it, to"},
                {"two_sides", "aligned barrier 0 in diverged code: lanes 0x"},
                {"predicated", "its predicate holds in lanes 0xfffff of lanes 0xffffffff",
                 "lanes 0xfff00000 went past it, to"},
                {"loop_turns", "lanes 0x11111111 have left its loop at"},
                {"loop_turns_and_work", "lanes 0x11111111 have left its loop at"}});
}

TEST_CASE("sync: warps do not agree about a barrier") {
  check(kSync, {{"counts_differ", "(legal: the same number)"},
                {"reduction_and_none", "barrier 0 with a reduction and without it"},
                {"numbers_differ", "lanes of the warp name different barriers (legal: the same)"}});
}

TEST_CASE("sync: masks without who executes, objects that are there already") {
  check(kSync, {{"mask_without_caller", "mask 0xff00000 without lane 28, which executes it"},
                {"vote_without_caller", "mask 0xff00000 without lane 28, which executes it"},
                {"object_again", "is initialised again (legal: mbarrier.inval before)"}});
}

TEST_CASE("race: warps that something orders") {
  check(kRace, {{"with_barrier", nullptr},
                {"with_named_barrier", nullptr},
                {"with_arrival", nullptr},
                {"writer_ended_before_all", nullptr},
                {"chain_of_barriers", nullptr},
                {"float_sums", nullptr},
                {"own_compare_and_swap", nullptr},
                {"flag", nullptr},
                {"pipeline", nullptr},
                {"volatile_unlock", nullptr},
                {"lock_in_global_memory", nullptr}});
}

TEST_CASE("race: warps that nothing orders") {
  constexpr const char* kStored = "which warp 0 stores at";
  check(kRace, {{"without", kStored},
                {"writer_ended", kStored},
                {"other_barrier", kStored},
                {"earlier_phase", kStored},
                {"reader_only_arrives", "race in shared memory"},
                {"writer_after_arrival", "race in shared memory"},
                {"atomic_and_store", "which warp 0 changes by an atomic operation at"},
                {"atomic_and_load", "which warp 0 changes by an atomic operation at"},
                {"unrelated_atomics", kStored},
                {"phase_before", "race in shared memory"},
                {"sum_of_others", "race in shared memory"},
                {"other_bytes_in_between", kStored},
                {"tiles", kStored}});
}

}  // namespace heddle::exec::test
