// The configurations that come with Heddle.
#include <catch2/catch.hpp>
#include <iostream>

#include "configs/loader/config.h"

using namespace heddle::config;

TEST_CASE("every shipped GPU loads, with provenance for every value") {
  for (const auto& g : gpu_names()) {
    for (const auto& p : check(g)) std::cout << p << "\n";
    auto c = load(g);
    std::cout << hash(c) << "\n" << to_text(c, {.under="sm.l1"}) << to_text(c, {.flat=true,.under="l2"});
    std::cout << to_text(c);
    for (auto [k,n] : provenance_summary(c)) std::cout << Provenance::Kind_Name(k) << " " << n << "\n";
    for (auto& d : diff(c, load(g, {.fidelity="fast"}))) std::cout << d.path << " " << d.a << " " << d.b << "\n";
  }
}
