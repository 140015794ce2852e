#include "analysis/validate/csv.h"

#include <catch2/catch.hpp>

#include "analysis/report/format.h"

namespace heddle::analysis {
namespace {

TEST_CASE("plain fields") {
  CsvTable t = parse_csv("a,b\n1,2\n,\n", "x.csv");
  CHECK(t.columns == std::vector<std::string>{"a", "b"});
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0] == std::vector<std::string>{"1", "2"});
  CHECK(t.rows[1] == std::vector<std::string>{"", ""});
  CHECK(t.column("b") == 1);
  CHECK_FALSE(t.column("c"));
}

TEST_CASE("quoted fields") {
  CsvTable t = parse_csv("a,b,c\n\"(1, 2)\",\"say \"\"hi\"\"\",\"two\nlines\"\nx,\"\",z\n", "x.csv");
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0] == std::vector<std::string>{"(1, 2)", "say \"hi\"", "two\nlines"});
  CHECK(t.rows[1] == std::vector<std::string>{"x", "", "z"});
  CHECK(t.lines == std::vector<uint64_t>{2, 4});
}

TEST_CASE("line ends, byte-order mark, empty lines, no final line end") {
  CsvTable t = parse_csv(
      "\xef\xbb\xbf"
      "a,b\r\n\r\n1,\"2\"\r\n\n3,4",
      "x.csv");
  CHECK(t.columns == std::vector<std::string>{"a", "b"});
  REQUIRE(t.rows.size() == 2);
  CHECK(t.rows[0] == std::vector<std::string>{"1", "2"});
  CHECK(t.rows[1] == std::vector<std::string>{"3", "4"});
  CHECK(t.lines == std::vector<uint64_t>{3, 5});
}

TEST_CASE("columns given: with or without the line that names them") {
  const std::vector<std::string> columns = {"a", "b"};
  for (const char* text : {"a,b\n1,\"x,y\"\n", "1,\"x,y\"\n"}) {
    const CsvTable t = parse_csv(text, "x.csv", columns);
    CHECK(t.columns == columns);
    REQUIRE(t.rows.size() == 1);
    CHECK(t.rows[0] == std::vector<std::string>{"1", "x,y"});
  }
  CHECK_THROWS_WITH(parse_csv("1,2,3\n", "x.csv", columns), "x.csv:1: 3 fields where there should be 2");
}

TEST_CASE("errors name the file and the line") {
  CHECK_THROWS_WITH(parse_csv("a,b\n1,2\n1,2,3\n", "x.csv"), "x.csv:3: 3 fields where the header has 2");
  CHECK_THROWS_WITH(parse_csv("a,b\n1,\"2\n", "x.csv"), "x.csv:2: quote without an end");
  CHECK_THROWS_WITH(parse_csv("a,b\n1,\"2\"x\n", "x.csv"), "x.csv:2: text after a closing quote");
  CHECK_THROWS_WITH(parse_csv("a,a\n", "x.csv"), "x.csv:1: two columns are called 'a'");
  CHECK_THROWS_WITH(parse_csv("", "x.csv"), "x.csv: no header line");
  CHECK_THROWS_WITH(read_csv("/no/such.csv"), "/no/such.csv: cannot be read: No such file or directory");
  CHECK_THROWS_WITH(read_csv("/"), "/: is a directory (legal: a regular file)");
}

TEST_CASE("fields are quoted when they have to be") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("f(int, int)") == "\"f(int, int)\"");
  CHECK(csv_field("a\"b") == "\"a\"\"b\"");
  CHECK(csv_field("k\x1b[2J\r") == "k\\x1b[2J\\x0d");
  CHECK(parse_csv("c\n" + csv_field("x,\"y\"\n") + "\n", "t").rows[0][0] == "x,\"y\"\n");
}

}  // namespace
}  // namespace heddle::analysis
