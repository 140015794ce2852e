// Whose kernels a device runs, and what a context sees of the time.
#include "sim/host/kernels/slices.h"

#include <catch2/catch.hpp>

#include "sim/host/kernels/sliced_time.h"

namespace heddle::host {
namespace {

Ps us(double t) { return from_us(t); }

struct Is {
  uint32_t context;
  double from, until;  // us; until < 0: nobody waits
};
void check(const Slices& s, Is is) {
  CHECK(s.turn().context == is.context);
  CHECK(s.turn().from == us(is.from));
  CHECK(s.turn().until == (is.until < 0 ? kNever : us(is.until)));
}

}  // namespace

TEST_CASE("AX07: kernels of two contexts have the device one after the other, a slice each") {
  // A slice of 2000 us, 10 to change. Both want it for long: A from 0 on, B from 500.
  Slices s(us(2000), us(10));
  s.wants(0, us(0));
  check(s, {0, 0, -1});
  s.wants(1, us(500));
  check(s, {0, 0, 2000});
  s.advance(us(1999));
  check(s, {0, 0, 2000});
  s.advance(us(2000));
  check(s, {1, 2010, 4010});
  s.advance(us(4010));
  check(s, {0, 4020, 6020});
  // A's end: B goes on, and as long as it likes.
  s.rests(0, us(4500));
  check(s, {1, 4510, -1});
  s.rests(1, us(9000));
  CHECK(s.turn().context == Slices::kNobody);
  // What is on the SMs is B's still.
  s.wants(1, us(9100));
  check(s, {1, 9100, -1});
  s.rests(1, us(9200));
  s.wants(0, us(9300));
  check(s, {0, 9310, -1});
}

TEST_CASE("MU10: who was alone is preempted when the slice that runs is over") {
  Slices s(us(2000), us(10));
  s.wants(0, us(100));
  s.wants(1, us(4700));  // in the third slice, 4100 to 6100
  check(s, {0, 100, 6100});
  s.wants(2, us(5000));
  s.advance(us(6100));
  check(s, {1, 6110, 8110});
  s.advance(us(8110));
  check(s, {2, 8120, 10120});
  s.advance(us(20000));  // 0 from 10130, 1 from 12140, 2 from 14150, 0 from 16160
  check(s, {1, 18170, 20170});
}

TEST_CASE("a context that waits and wants the device no more") {
  Slices s(us(2000), us(10));
  s.wants(3, us(0));
  s.wants(4, us(100));
  s.rests(4, us(200));
  check(s, {3, 0, -1});
  s.advance(us(5000));
  check(s, {3, 0, -1});
}

TEST_CASE("AX07: the time of a context stands still while others have the device") {
  // Two kernels of 10 ms, alternating in slices of 2 ms without a change: the first ends after 18 ms.
  SlicedTime a;
  for (int i = 0; i < 5; ++i) {
    a.close(us(2000 + 4000 * i));
    a.reopen(us(4000 + 4000 * i));
  }
  CHECK(a.to_device(us(1000)) == us(1000));
  CHECK(a.to_device(us(3000)) == us(2000));
  CHECK(a.to_device(us(4000)) == us(2000));
  CHECK(a.to_device(us(5000)) == us(3000));
  CHECK(a.to_device(kNever) == kNever);
  CHECK(a.to_host_end(us(2000)) == us(2000));
  CHECK(a.to_host_start(us(2000)) == us(4000));
  CHECK(a.to_host_end(us(2500)) == us(4500));
  CHECK(a.to_host_end(us(10000)) == us(18000));
  // The other one waits for 2 ms first, and ends after 20.
  SlicedTime b;
  for (int i = 0; i < 5; ++i) {
    b.close(us(4000 * i));
    b.reopen(us(2000 + 4000 * i));
  }
  CHECK(b.to_host_start(us(0)) == us(2000));
  CHECK(b.to_host_end(us(10000)) == us(20000));
  // What is forgotten stays passed; without the device nothing goes on.
  a.forget();
  CHECK(a.to_device(us(30000)) == us(20000));
  CHECK(a.to_host_end(us(20000)) == us(30000));
  a.close(us(31000));
  CHECK_FALSE(a.open());
  CHECK(a.to_device(us(50000)) == us(21000));
  CHECK(a.to_device(kNever) == us(21000));
  CHECK(a.to_host_end(us(21000)) == us(31000));
}

}  // namespace heddle::host
