// Times that were measured on one GPU, in a run on another: that is said.
#include "frontends/workload/measured.h"

#include <catch2/catch.hpp>
#include <string>

namespace heddle::workload {
namespace {

using Catch::Matchers::Contains;

std::string said(const std::string& measured, const std::string& gpu, uint32_t sms) {
  spec::GpuConfig g;
  g.set_name(gpu);
  g.mutable_topology()->set_sms(sms);
  return measured_elsewhere(
      parse_workload(
          measured + R"( kernel { name: "k" us: 5 } thread { name: "main" call { launch { kernel: "k" } } })",
          "w.textproto"),
      g);
}

TEST_CASE("kernels that were measured on another GPU") {
  const std::string h200 = R"(measured { gpu: "NVIDIA H200" sms: 132 })";
  CHECK(said(h200, "h200", 132).empty());
  CHECK(said("", "b200", 148).empty());  // nobody has measured these
  CHECK(said(h200, "b200", 148) ==
        "w.textproto: kernels last as measured on NVIDIA H200, whatever the GPU: only calls and copies take "
        "the "
        "times of b200");
  CHECK_THAT(said(h200, "h20", 132), Contains("on NVIDIA H200"));  // no part of a word
  CHECK_THAT(said(h200, "h100", 132), Contains("on NVIDIA H200"));
  CHECK_THAT(said("measured { }", "h200", 132), Contains("(the profile does not say on which GPU)"));
}

TEST_CASE("names of GPUs as CUDA has them") {
  const auto measured = [](const std::string& name, uint32_t sms) {
    return "measured { gpu: \"" + name + "\" sms: " + std::to_string(sms) + " }";
  };
  CHECK(said(measured("NVIDIA H100 80GB HBM3", 132), "h100", 132).empty());
  CHECK(said(measured("NVIDIA H100 PCIe", 114), "h100_pcie", 114).empty());
  CHECK_FALSE(said(measured("NVIDIA H100 80GB HBM3", 132), "h100_pcie", 114).empty());  // fewer SMs
  CHECK(said(measured("NVIDIA A100-SXM4-40GB", 108), "a100", 108).empty());
  CHECK(said(measured("NVIDIA GeForce RTX 4090", 128), "rtx4090", 128).empty());
  CHECK(said(measured("NVIDIA GeForce GTX 1080 Ti", 28), "gtx1080ti", 28).empty());
  CHECK_FALSE(said(measured("NVIDIA GeForce GTX 1080 Ti", 28), "gtx1080", 20).empty());
  CHECK(said(R"(measured { gpu: "NVIDIA H200" })", "h200", 132).empty());
}

}  // namespace
}  // namespace heddle::workload
