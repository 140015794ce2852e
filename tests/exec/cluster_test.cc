// Clusters: blocks that run together, their shared memory, their barrier.
#include <catch2/catch.hpp>

#include "tests/exec/exec_case.h"

namespace heddle::exec::test {
namespace {

constexpr const char* kShared =
    ".shared .align 16 .u32 buf[64]; .shared .align 8 .b64 bar; .shared .align 8 .b64 bar2;\n";
constexpr const char* kMeet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n";

std::vector<uint32_t> clustered(const std::string& statements, isa::Dim3 grid, isa::Dim3 block,
                                isa::Dim3 cluster, int threads = 2) {
  Case c(storing(statements, kShared));
  c.cluster = cluster;
  c.options.threads = threads;
  const uint64_t out = c.buffer(std::vector<uint32_t>(grid.count() * block.count()));
  c.run("k", grid, block, {out});
  return c.get<uint32_t>(out, grid.count() * block.count());
}

std::string wrong(const std::string& statements, isa::Dim3 grid, isa::Dim3 block, isa::Dim3 cluster) {
  Case c(storing(statements, kShared));
  c.cluster = cluster;
  return c.error("k", grid, block, {0});
}

}  // namespace

TEST_CASE("where a block is in its cluster") {
  // A grid of 4 x 2 in clusters of 2 x 2: block (3, 1) is rank 3 of cluster (1, 0).
  const std::string number =
      "mov.u32 %r29, %ctaid.y; mov.u32 %r28, %nctaid.x; mov.u32 %r27, %ctaid.x; mad.lo.u32 %r30, %r29, %r28, "
      "%r27;\n";
  const auto value = [&](const std::string& registers) {
    return clustered(number + registers, {4, 2}, {1}, {2, 2});
  };
  CHECK(value("mov.u32 %r0, %cluster_ctarank;") == std::vector<uint32_t>{0, 1, 0, 1, 2, 3, 2, 3});
  CHECK(value("mov.u32 %r0, %clusterid.x;") == std::vector<uint32_t>{0, 0, 1, 1, 0, 0, 1, 1});
  CHECK(value("mov.v4.u32 {%r0, %r1, %r2, %r3}, %cluster_ctaid; mad.lo.u32 %r0, %r1, 10, %r0;") ==
        std::vector<uint32_t>{0, 1, 0, 1, 10, 11, 10, 11});
  CHECK(
      value(
          "mov.u32 %r0, %nclusterid.x; mov.u32 %r1, %nclusterid.y; mov.u32 %r2, %cluster_nctarank;\n"
          "mad.lo.u32 %r0, %r0, 10, %r1; mad.lo.u32 %r0, %r0, 10, %r2; mov.pred %p0, %is_explicit_cluster;\n"
          "@%p0 add.u32 %r0, %r0, 1000;")[5] == 1214);
}

TEST_CASE("blocks read and write each other's shared memory") {
  // Each writes its number into the next one's memory, through the space and through a generic address.
  const std::string code =
      "mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3; mov.u32 %r3, buf;\n"
      "mapa.shared::cluster.u32 %r4, %r3, %r2; st.shared::cluster.u32 [%r4], %r1;\n"
      "mov.u64 %rd0, buf; cvta.shared.u64 %rd0, %rd0; mapa.u64 %rd1, %rd0, %r2; st.u32 [%rd1+4], %r29;\n"
      "atom.shared::cluster.add.u32 %r9, [%r4+8], 5; red.shared::cluster.add.u32 [%r4+8], 6;\n" +
      std::string(kMeet) +
      "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [buf]; mad.lo.u32 %r0, %r6, 10, %r5; mad.lo.u32 %r0, %r7, "
      "1000, "
      "%r0;\n"
      "getctarank.shared::cluster.u32 %r10, %r4; mad.lo.u32 %r0, %r10, 100000, %r0;\n"
      "getctarank.u64 %r10, %rd0; mad.lo.u32 %r0, %r10, 1000000, %r0;\n"
      "isspacep.shared::cluster %p1, %rd1; @%p1 add.u32 %r0, %r0, 10000000;\n"
      "isspacep.shared::cta %p1, %rd1; @%p1 add.u32 %r0, %r0, 20000000;\n"
      "isspacep.shared::cta %p1, %rd0; @%p1 add.u32 %r0, %r0, 40000000;" +
      kMeet;
  const auto out = clustered(code, {8}, {1}, {4});
  CHECK(out[0] == 50000000 + 100000 + 11000 + 3 * 10 + 3);
  CHECK(out[6] == 52000000 + 300000 + 11000 + 5 * 10 + 1);
}

TEST_CASE("the cluster's barrier: threads that ended count, and arriving does not wait") {
  const auto out = clustered(
      "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r31, 5; @%p1 exit; barrier.cluster.arrive.release;\n"
      "mov.u32 %r0, 0; l: add.u32 %r0, %r0, 1; setp.lt.u32 %p2, %r0, 10; @%p2 bra l;\n"
      "setp.eq.u32 %p3, %r1, 1; setp.gt.u32 %p4, %r31, 40; and.pred %p3, %p3, %p4; @%p3 exit;\n"
      "barrier.cluster.wait.acquire; mov.u32 %r3, buf; mapa.shared::cluster.u32 %r3, %r3, 0;\n"
      "red.shared::cluster.add.u32 [%r3], 1; barrier.cluster.arrive; barrier.cluster.wait;\n"
      "ld.shared.u32 %r0, [buf];",
      {2}, {64}, {2});
  CHECK(out[0] == 63 + 40);  // block 1: 0 to 40 without 5
  CHECK(out[5] == 0);
  CHECK(out[64 + 50] == 0);
}

TEST_CASE("objects and copies between blocks") {
  // Block 0 sends each block 16 bytes and their barrier object the count; all wait for their own.
  const std::string code =
      "mov.u32 %r1, %cluster_ctarank; mbarrier.init.shared.b64 [bar], 1; mbarrier.init.shared.b64 [bar2], "
      "4;\n"
      "fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared.b64 %rd0, [bar], 24;\n" +
      std::string(kMeet) +
      "mov.u32 %r2, buf; mov.u32 %r3, bar; mov.u32 %r4, bar2; setp.ne.u32 %p0, %r1, 0; @%p0 bra wait;\n"
      "st.shared.v4.u32 [buf+32], {1, 2, 3, 4}; mov.u32 %r5, 0;\n"
      "send: mapa.shared::cluster.u32 %r6, %r2, %r5; mapa.shared::cluster.u32 %r7, %r3, %r5;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r6], [buf+32], 16, [%r7];\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r6+16], %r5, [%r7];\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r6+16], 7, [%r7];\n"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 4; @%p1 bra send;\n"
      "wait: mbarrier.try_wait.shared.b64 %p2, [bar], %rd0; @!%p2 bra wait;\n"
      "mapa.shared::cluster.u32 %r7, %r4, 2; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\n"
      "ld.shared.u32 %r0, [buf+12]; ld.shared.u32 %r8, [buf+16]; mad.lo.u32 %r0, %r8, 10, %r0;\n"
      "setp.ne.u32 %p3, %r1, 2; @%p3 bra meet;\n"
      "last: mbarrier.try_wait.parity.shared.b64 %p2, [bar2], 0; @!%p2 bra last; add.u32 %r0, %r0, 1000;\n"
      "meet: " +
      kMeet;
  CHECK(clustered(code, {4}, {1}, {4}) == std::vector<uint32_t>{74, 84, 1094, 104});
}

TEST_CASE("blocks that take turns many times are not taken for stuck") {
  // Each waits for its own object and arrives at the other's, 30000 times; block 0 begins.
  const auto out = clustered(
      "mov.u32 %r1, %cluster_ctarank; mbarrier.init.shared.b64 [bar], 1; "
      "fence.mbarrier_init.release.cluster;\n" +
          std::string(kMeet) +
          "xor.b32 %r2, %r1, 1; mov.u32 %r3, bar; mapa.shared::cluster.u32 %r3, %r3, %r2; mov.u32 %r0, 0;\n"
          "setp.eq.u32 %p1, %r1, 0;\n"
          "turn: @%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3]; and.b32 %r4, %r0, 1;\n"
          "w: mbarrier.try_wait.parity.shared.b64 %p2, [bar], %r4; @!%p2 bra w;\n"
          "@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r3];\n"
          "add.u32 %r0, %r0, 1; setp.lt.u32 %p3, %r0, 30000; @%p3 bra turn;\n" +
          kMeet,
      {2}, {1}, {2});
  CHECK(out == std::vector<uint32_t>{30000, 30000});
}

TEST_CASE("multicast: the same place in each block, and each block's object") {
  const std::string code =
      "mov.u32 %r1, %cluster_ctarank; mbarrier.init.shared.b64 [bar], 1; "
      "mbarrier.arrive.expect_tx.shared.b64 %rd0, "
      "[bar], 16;\n" +
      std::string(kMeet) +
      "setp.ne.u32 %p0, %r1, 1; @%p0 bra wait; mov.u16 %rs0, 0xb; ld.param.u64 %rd1, [out];\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buf+16], "
      "[%rd1], 16, "
      "[bar], %rs0;\n"
      "wait: setp.eq.u32 %p1, %r1, 2; mov.u32 %r0, 99; @%p1 bra skip;\n"
      "w: mbarrier.try_wait.shared.b64 %p2, [bar], %rd0; @!%p2 bra w; ld.shared.u32 %r0, [buf+20];\n"
      "add.u32 %r0, %r0, %r1;\n"
      "skip: " +
      kMeet;
  Case c(storing(code, kShared));
  c.cluster = {4};
  const uint64_t out = c.buffer(std::vector<uint32_t>{50, 60, 70, 80});
  c.run("k", {4}, {1}, {out});
  CHECK(c.get<uint32_t>(out, 4) == std::vector<uint32_t>{60, 61, 99, 63});
  // To nobody: nothing comes, not even to the block's own object.
  CHECK(
      clustered("mov.u32 %r0, 7; st.shared.u32 [buf], 3; mov.u16 %rs0, 0; ld.param.u64 %rd1, [out];\n"
                "mbarrier.init.shared.b64 [bar], 1;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buf], "
                "[%rd1], 16, [bar], %rs0; ld.shared.u32 %r0, [buf];",
                {4}, {1}, {2}) == std::vector<uint32_t>(4, 3));
}

TEST_CASE("the kernel's own cluster, and what it allows") {
  const std::string head = ".entry e(.param .u64 out) .reqnctapercluster 2 {\n";
  const std::string body =
      ".reg .b32 %r<4>; .reg .b64 %rd<4>; mov.u32 %r0, %ctaid.x; mov.u32 %r1, %cluster_nctarank;\n"
      "ld.param.u64 %rd0, [out]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1; st.global.u32 [%rd0], "
      "%r1;\n"
      "ret; }\n";
  Case c(head + body);
  const uint64_t out = c.buffer(std::vector<uint32_t>(8));
  c.run("e", {4}, {1}, {out});
  CHECK(c.get<uint32_t>(out, 4) == std::vector<uint32_t>(4, 2));
  CHECK(c.error("e", {5}, {1}, {out}).find("in clusters of 2 x 1 x 1 (legal: multiples)") !=
        std::string::npos);
  c.cluster = {4};
  CHECK(c.error("e", {4}, {1}, {out}).find("clusters of 4 x 1 x 1 blocks (legal: 2 x 1 x 1)") !=
        std::string::npos);
  Case clusters(".entry e(.param .u64 out) .reqntid 1 .reqnctapercluster 2 .blocksareclusters {\n" + body);
  const uint64_t wide = clusters.buffer(std::vector<uint32_t>(8));
  clusters.run("e", {3}, {1}, {wide});
  CHECK(clusters.get<uint32_t>(wide, 8) == std::vector<uint32_t>{2, 2, 2, 2, 2, 2, 0, 0});
  CHECK(Case(".entry e(.param .u64 out) .explicitcluster {\n" + body)
            .error("e", {2}, {1}, {out})
            .find("is launched with clusters only") != std::string::npos);
  Case few(".entry e(.param .u64 out) .maxclusterrank 4 {\n" + body);
  few.cluster = {4};
  CHECK(few.error("e", {4}, {1}, {few.buffer(std::vector<uint32_t>(4))}).empty());
  few.cluster = {8};
  CHECK(few.error("e", {8}, {1}, {0}).find("clusters of 8 x 1 x 1 blocks (legal: 1 to 4 together)") !=
        std::string::npos);
  CHECK(wrong("mov.u32 %r0, 0;", {32}, {1}, {32})
            .find("clusters of 32 x 1 x 1 blocks (legal: 1 to 16 together)") != std::string::npos);
}

TEST_CASE("what is wrong in a cluster") {
  CHECK(wrong("mov.u32 %r1, buf; mapa.shared::cluster.u32 %r1, %r1, 3; st.shared::cluster.u32 [%r1], 1;", {2},
              {1}, {2})
            .find("(of block 3 of a cluster of 2)") != std::string::npos);
  CHECK(
      wrong("mov.u32 %r1, buf; mapa.shared::cluster.u32 %r1, %r1, 1; st.shared.u32 [%r1], 1;", {2}, {1}, {2})
          .find("(it is of the cluster's block 1, the thread's is 0; legal: .shared::cluster)") !=
      std::string::npos);
  CHECK(wrong("mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r2, 0; @%p1 exit; mov.u32 %r1, buf;\n"
              "mapa.shared::cluster.u32 %r1, %r1, 0; st.shared::cluster.u32 [%r1], 1;",
              {2}, {1}, {2})
            .find("(the cluster's block 0 has ended)") != std::string::npos);
  CHECK(wrong("barrier.cluster.wait;", {2}, {1}, {2}).find("the thread has not arrived") !=
        std::string::npos);
  CHECK(wrong("barrier.cluster.arrive; barrier.cluster.arrive;", {2}, {1}, {2})
            .find("has not waited since it last arrived") != std::string::npos);
  const std::string stuck = wrong(
      "mov.u32 %r2, %cluster_ctarank; setp.eq.u32 %p1, %r2, 0; @%p1 bra wait; bar.sync 1, 64;\n"
      "wait: barrier.cluster.arrive; barrier.cluster.wait;",
      {2}, {32}, {2});
  CHECK(stuck.find(
            "no thread of the cluster that begins with block (0, 0, 0) of kernel k can go on; block (0, 0, "
            "0): warp 0: lanes 0xffffffff at t.ptx:9 (at the cluster's barrier); block (1, 0, 0): warp 0: "
            "lanes 0xffffffff at t.ptx:8 (at barrier 1)") != std::string::npos);
}

TEST_CASE("a cluster begins with all of its blocks or not at all") {
  Case c(storing(kMeet, kShared));
  c.cluster = {4};
  c.options.resident = 6;  // one cluster, and not half of the next
  const uint64_t out = c.buffer(std::vector<uint32_t>(16));
  CHECK(c.error("k", {16}, {1}, {out}).empty());
  c.options.resident = 3;
  CHECK(c.error("k", {16}, {1}, {out}).find("clusters of 4 blocks, of which 3 at most") != std::string::npos);
}

}  // namespace heddle::exec::test
