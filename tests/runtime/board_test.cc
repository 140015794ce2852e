// Who of several processes goes on, and how far.
#include "frontends/cuda/board.h"

#include <catch2/catch.hpp>
#include <memory>

namespace heddle::cuda {
namespace {

host::Ps us(double t) { return host::from_us(t); }

// Processes that do something at those times next.
std::unique_ptr<Board> board(std::initializer_list<host::Ps> next) {
  auto b = std::make_unique<Board>();
  uint32_t i = 0;
  for (const host::Ps at : next) {
    b->places[i].state = Board::State::kThere;
    b->places[i++].next = at;
  }
  return b;
}

}  // namespace

TEST_CASE("the process goes on that is the first to do something, to where another one does") {
  const auto b = board({us(5), us(3), us(3)});
  CHECK(b->choose().place == 1);
  CHECK(b->limit(1) == us(3));
  CHECK(b->limit(2) == us(3) - host::Ps(1));  // at the same time the first goes first
  b->places[1].next = us(8);
  CHECK(b->choose().place == 2);
  CHECK(b->limit(2) == us(5) - host::Ps(1));
  // Nobody waits for who goes on by itself, or does nothing.
  b->places[0].state = Board::State::kAway;
  CHECK(b->limit(2) == us(8) - host::Ps(1));
  b->places[1].next = host::kNever;
  CHECK(b->limit(2) == host::kNever);
  CHECK_FALSE(b->all_wait());
  b->places[2].next = host::kNever;
  CHECK(b->choose().place == Board::kNobody);
  CHECK(b->all_wait());
  b->may_happen(us(20));
  CHECK(b->choose().place == 1);
}

TEST_CASE("who waits for another process looks when one has gone on by itself") {
  const auto b = board({us(5), host::kNever});
  b->places[1].waits = true;
  CHECK(b->choose().place == 0);
  ++b->acts;
  CHECK(b->choose().place == 1);
  CHECK(b->choose().looks);
  b->places[1].looked = b->acts;
  CHECK(b->choose().place == 0);
  CHECK_FALSE(b->choose().looks);
  // What the end of one does is seen before anybody goes on.
  b->places[2].state = Board::State::kEnding;
  CHECK(b->choose().place == Board::kNobody);
}

TEST_CASE("processes that begin together wait for each other") {
  const auto b = board({us(0)});
  b->expected = 2;
  b->come = 1;
  CHECK(b->choose().place == Board::kNobody);
  b->come = 2;
  CHECK(b->choose().place == 0);
}

TEST_CASE("who has the device goes no further than its slice") {
  const auto b = board({us(0), us(900)});
  b->slices = host::Slices(us(100), us(1));
  b->slices.wants(0, us(0));
  CHECK(b->limit(0) == us(900));
  b->slices.wants(1, us(50));
  CHECK(b->limit(0) == us(100));
  CHECK(b->limit(1) == host::Ps());
}

}  // namespace heddle::cuda
