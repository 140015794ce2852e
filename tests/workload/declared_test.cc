// Workload files and declarations of calls (sim/host/calls) say the same.
#include <google/protobuf/descriptor.h>

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "frontends/workload/workload.pb.h"
#include "sim/host/calls/call_types.h"

namespace heddle::workload {
namespace {

using google::protobuf::FieldDescriptor;

// Fields that stand for one or another declared call, by what they are given.
const std::set<std::string> kChoosing = {"malloc_buffer", "free_buffer", "stream_get_capture_info_v2"};

const google::protobuf::OneofDescriptor& calls() {
  return *proto::Call::descriptor()->FindOneofByName("what");
}

}  // namespace

TEST_CASE("every call of workload.proto has one declaration, and every declaration's field is there") {
  std::set<std::string> fields;
  for (int i = 0; i < calls().field_count(); ++i) {
    const std::string name(calls().field(i)->name());
    fields.insert(name);
    CHECK_FALSE((host::type_named(name) == nullptr) != kChoosing.contains(name));
  }
  for (const host::CallType* t : host::call_types()) {
    INFO(t->name);
    CHECK((std::string_view(t->field).empty() || fields.contains(t->field)));
  }
}

TEST_CASE("the reader has code of its own for launches and loops alone") {
  std::set<std::string> apart;
  for (const host::CallType* t : host::call_types()) {
    if (t->read_apart) {
      apart.insert(t->field);
    }
  }
  CHECK(apart == std::set<std::string>{"launch", "repeat"});
}

TEST_CASE("what files give a call is what its declaration asks for") {
  using K = host::Argument::Kind;
  for (int i = 0; i < calls().field_count(); ++i) {
    const FieldDescriptor& call = *calls().field(i);
    const host::CallType* type = host::type_named(call.name());
    if (!type || type->read_apart) {
      continue;
    }
    INFO(call.name());
    size_t given = 0;
    for (const host::Argument& a : type->arguments) {
      if (!a.name) {
        continue;
      }
      ++given;
      const bool message = call.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
      if (a.kind == K::kOneOf) {
        CHECK(call.message_type()->FindOneofByName(a.name) != nullptr);
        continue;
      }
      const FieldDescriptor* f = message ? call.message_type()->FindFieldByName(a.name) : &call;
      REQUIRE(f != nullptr);
      const bool number = a.kind == K::kNumber || a.kind == K::kDevice;
      CHECK((f->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) == (a.kind == K::kSwitch));
      CHECK((f->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) == (a.kind == K::kChoice));
      CHECK((f->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) == (a.kind == K::kMicroseconds));
      CHECK((f->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) ==
            (a.kind == K::kWindow || a.kind == K::kAccesses || a.kind == K::kChange));
      CHECK((f->cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
             f->cpp_type() == FieldDescriptor::CPPTYPE_UINT64) == number);
    }
    CHECK((call.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ||
           call.cpp_type() == FieldDescriptor::CPPTYPE_BOOL || given == 1));
  }
}

}  // namespace heddle::workload
