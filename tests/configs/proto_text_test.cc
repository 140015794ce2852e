// Protobuf text of any schema, and the place of its first error.
#include "configs/proto_text/proto_text.h"

#include <catch2/catch.hpp>

#include "configs/schema/ablation.pb.h"

namespace heddle::config {

TEST_CASE("a text is read, with the places of its fields") {
  Ablations table;
  google::protobuf::TextFormat::ParseInfoTree places;
  CHECK_FALSE(parse_proto_text("# none\nablation { name: 'a' set: 'b=1' }", table, &places));
  REQUIRE(table.ablation_size() == 1);
  CHECK(table.ablation(0).name() == "a");
  CHECK(places.GetLocation(Ablations::descriptor()->FindFieldByName("ablation"), 0).line == 1);
}

TEST_CASE("the first error is kept, with its place and without a stop at its end") {
  Ablations table;
  const auto error = parse_proto_text("ablation {\n  nme: 'a' other: 1\n}", table);
  REQUIRE(error);
  CHECK(error->line == 1);
  CHECK(error->message == "Message type \"heddle.config.Ablation\" has no field named \"nme\"");
  CHECK(text_place("f", error->line, 5) == "f:2:6: ");
}

}  // namespace heddle::config
