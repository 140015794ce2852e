// The tables of instructions: what may be written, one row per form. Language of the rows:
//
// Modifiers, separated by blanks, in the manual's order: FIELD=WORD,WORD... is one of these words, FIELD
// alone any word of the field, any other word itself; with '?' it may be missing. @NAME is a set of words
// (form.cc). Fields: t (a type; the first is T below, then U, V, W), rnd, cmp, bool, ss (state space), ss2
// (of the source), scope, sem, cop, l1, l2, l2b, pf (L2 prefetch size), vec, op, part, mode, mode2, shape,
// la, lb, num, geom, chan.
//
// Operands, separated by blanks:
//   KIND COUNT :TYPE ?       '?': may be missing at the end; &WORD instead: there exactly when that modifier
//   is KIND  d destination, e destination or _, s source register or number, r source register, i number,
//         p source predicate with or without !, a address in brackets, m what mov takes (also addresses),
//         o texture, sampler, surface or tensor map (register or variable), l label, b name of .branchtargets
//   COUNT none: one; 2 and so on: a list of that many in braces; v: as .v2, .v4 say; n: as .x1, .x2, .x4 say;
//         n2: twice as many; w: accumulators of wgmma; c: coordinates of the geometry; k: offsets of im2col;
//         *: one or a list
//   TYPE  a type, T U V W, D (T of double width), A (T as an accumulator's register), * any; ~: may be wider
//   |     before an operand: the second of a pair d|p.  [ ... ]: several in one pair of brackets
//
// version: the first PTX version, times ten; sm: the least target, 1000 more when only its own kind "a" has
// it, 2000 more when those of its family have it, too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/ptx/opcode.h"

namespace heddle::ptx {

struct FormRow {
  Opcode opcode;
  std::string_view modifiers;
  std::string_view operands;
  uint8_t version = 10;
  uint16_t sm = 0;
};

constexpr uint16_t kOnly = 1000;    // kOnly + 90: sm_90a
constexpr uint16_t kFamily = 2000;  // kFamily + 100: sm_100a, and 101a, 103a, 110a, which have the same

std::span<const FormRow> integer_rows();   // ptx.md 2.1, 2.2, 2.3
std::span<const FormRow> float_rows();     // 2.3 to 2.5, 2.9
std::span<const FormRow> memory_rows();    // 2.7 mov, 2.8, 2.12 atomics
std::span<const FormRow> multimem_rows();  // 2.8
std::span<const FormRow> async_rows();     // 2.10, 2.11
std::span<const FormRow> control_rows();   // 2.7, 2.12, 2.13
std::span<const FormRow> matrix_rows();    // 4
std::span<const FormRow> tcgen05_rows();   // PTX ISA 9.0, 9.7.16
std::span<const FormRow> texture_rows();   // 2.13
std::span<const FormRow> video_rows();     // 2.13

}  // namespace heddle::ptx
