// The test GPU states every field of the schema.
#include "tests/sim/support/test_config.h"

#include <google/protobuf/message.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "configs/schema/gpu.pb.h"
#include "sim/isa/op_class.h"

namespace heddle::simtest {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void find_unset(const Message& m, const std::string& path, std::vector<std::string>& out) {
  const auto* d = m.GetDescriptor();
  const auto* r = m.GetReflection();
  for (int i = 0; i < d->field_count(); ++i) {
    const FieldDescriptor* f = d->field(i);
    std::string here = path + f->name();
    if (f->options().GetExtension(config::may_be_absent) || here == "provenance") {
      continue;
    }
    if (f->is_repeated()) {
      if (r->FieldSize(m, f) == 0) {
        out.push_back(here);
      }
      for (int k = 0; f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && k < r->FieldSize(m, f); ++k) {
        find_unset(r->GetRepeatedMessage(m, f, k), here + ".", out);
      }
    } else if (!r->HasField(m, f)) {
      out.push_back(here);
    } else if (f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      find_unset(r->GetMessage(m, f), here + ".", out);
    }
  }
}

TEST_CASE("no field of the schema is left out") {
  for (uint32_t sms : {1u, 2u, 4u}) {
    std::vector<std::string> unset;
    find_unset(test_config(sms), "", unset);
    CHECK(unset == std::vector<std::string>{});  // give these fields a value in test_config.cc
  }
}

TEST_CASE("every instruction class has a pipe and a latency") {
  const spec::GpuConfig g = test_gpu();
  std::set<std::string> named;
  for (const spec::OpTiming& o : g.sm().op()) {
    named.insert(o.op());
  }
  for (std::string_view name : isa::kOpClassNames) {
    CAPTURE(std::string(name));
    CHECK(named.count(std::string(name)));
  }
}

TEST_CASE("the topology adds up") {
  for (uint32_t sms : {1u, 2u, 4u}) {
    spec::GpuConfig g = test_gpu(sms);
    uint32_t tpcs = 0;
    for (uint32_t n : g.topology().tpcs_per_gpc()) {
      tpcs += n;
    }
    CHECK(tpcs * g.topology().sms_per_tpc() == sms);
  }
}

}  // namespace
}  // namespace heddle::simtest
