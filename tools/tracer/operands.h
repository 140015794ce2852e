// What is recorded of an instruction besides that it ran: of NVBit's operands, what Heddle's decoder of SASS
// expects.
#pragma once

#include <ctype.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "frontends/capture/protocol.h"
#include "nvbit.h"

namespace heddle::capture {

class Operands {
 public:
  // `buffer`: the device's; `maps`: tensor maps are read.
  Operands(uint64_t buffer, bool maps) : buffer_(buffer), maps_(maps) {}

  // Inserts the call for instruction `number` of the connection.
  void insert(Instr* in, uint32_t number) const {
    const std::string op = in->getOpcodeShort();
    const int references = count(in, InstrType::OperandType::MREF);
    const InstrType::MemorySpace space = in->getMemorySpace();
    // NVBit knows no space of these.
    const bool barrier = op == "SYNCS" || op == "ARRIVES", remote = op == "STAS" || op == "REDAS";
    const bool memory =
        (space != InstrType::MemorySpace::CONSTANT && space != InstrType::MemorySpace::NONE) || barrier ||
        op == "CCTL" || op == "CCTLL";
    if (op.compare(0, 2, "UT") == 0 || op.compare(0, 4, "UBLK") == 0 || is_gmma(op)) {
      uniform(in, number, op);
    } else if (remote && pair(in->getSass()) >= 0) {
      call(in, "heddle_remote", number);
      const int r = pair(in->getSass());
      nvbit_add_call_arg_reg_val(in, r);
      nvbit_add_call_arg_reg_val(in, r + 1);
      nvbit_add_call_arg_const_val32(in, immediate(in));
    } else if (op == "SYNCS" && references > 0) {
      call(in, "heddle_operand", number);
      nvbit_add_call_arg_mref_addr64(in, 0);
      data_operand(in);
    } else if (memory && references >= 2) {  // LDGSTS [shared], [global]
      call(in, "heddle_addresses", number);
      nvbit_add_call_arg_mref_addr64(in, 1);
      nvbit_add_call_arg_mref_addr64(in, 0);
    } else if (memory && references == 1) {
      call(in, "heddle_address", number);
      nvbit_add_call_arg_mref_addr64(in, 0);
    } else {
      call(in, "heddle_plain", number);
    }
  }

 private:
  static bool is_gmma(const std::string& op) {
    return op.size() == 5 && op.compare(1, 4, "GMMA") == 0;  // HGMMA, QGMMA, IGMMA, BGMMA
  }
  static int count(Instr* in, InstrType::OperandType type) {
    int n = 0;
    for (int i = 0; i < in->getNumOperands(); ++i) {
      n += in->getOperand(i)->type == type;
    }
    return n;
  }

  void call(Instr* in, const char* function, uint32_t number) const {
    nvbit_insert_call(in, function, IPOINT_BEFORE);
    nvbit_add_call_arg_guard_pred_val(in);
    nvbit_add_call_arg_const_val32(in, number);
    nvbit_add_call_arg_const_val64(in, buffer_);
    nvbit_add_call_arg_launch_val64(in, 0);  // which launch of a graph: nvbit_set_at_launch()
  }

  // 64 bits: the last register or uniform register behind the address, two for .64 ones.
  static void data_operand(Instr* in) {
    for (int i = in->getNumOperands() - 1; i > 0; --i) {
      const InstrType::operand_t* o = in->getOperand(i);
      const int r = o->u.reg.num;
      if (o->type == InstrType::OperandType::REG) {
        add(in, r == InstrType::RZ ? -1 : r, false);
        add(in, -1, false);
        return;
      }
      if (o->type == InstrType::OperandType::UREG) {
        const std::string full = in->getOpcode();
        const bool wide =
            full.find("EXCH.64") != std::string::npos || full.find("CAS.64") != std::string::npos;
        add(in, r >= InstrType::URZ ? -1 : r, true);
        add(in, wide && r < InstrType::URZ ? r + 1 : -1, true);
        return;
      }
    }
    add(in, -1, false);
    add(in, -1, false);
  }
  static void add(Instr* in, int r, bool is_uniform) {
    if (r < 0) {
      nvbit_add_call_arg_const_val32(in, 0);
    } else if (is_uniform) {
      nvbit_add_call_arg_ureg_val(in, r);
    } else {
      nvbit_add_call_arg_reg_val(in, r);
    }
  }

  // STAS [R4.64+0x10], R6: R4, which holds the address, and R5 the barrier's. -1: another form.
  static int pair(const std::string& sass) {
    const size_t at = sass.find("[R");
    return at != std::string::npos && isdigit(static_cast<unsigned char>(sass[at + 2]))
               ? atoi(sass.c_str() + at + 2)
               : -1;
  }
  static uint32_t immediate(Instr* in) {
    for (int i = 0; i < in->getNumOperands(); ++i) {
      const InstrType::operand_t* o = in->getOperand(i);
      if (o->type == InstrType::OperandType::MREF && o->u.mref.has_imm) {
        return static_cast<uint32_t>(o->u.mref.imm);
      }
    }
    return 0;
  }

  // The uniform registers that the text names, in its order, each once: of tensor copies the first one's
  // seven (places, then coordinates), of warp-group products four each (two descriptors), else pairs.
  void uniform(Instr* in, uint32_t number, const std::string& op) const {
    const std::vector<int> named = uniform_registers(in->getSass());
    const bool tensor = op.compare(0, 4, "UTMA") == 0;
    std::vector<int> registers;
    int second = -1;
    for (size_t i = 0; i < named.size(); ++i) {
      second = i == 1 ? static_cast<int>(registers.size()) : second;
      const int n = is_gmma(op) ? 4 : tensor && i == 0 ? 7 : 2;
      for (int k = 0; k < n && registers.size() < kUniformValues; ++k) {
        registers.push_back(named[i] + k < InstrType::URZ ? named[i] + k : -1);
      }
    }
    registers.resize(kUniformValues, -1);
    // The second address is the map's, where there are two; UTMACCTL has only that.
    const int map = !maps_ || !tensor || op == "UTMACMDFLUSH" ? -1
                    : op == "UTMACCTL"                        ? (named.empty() ? -1 : 0)
                                                              : second;
    call(in, "heddle_uniform", number);
    nvbit_add_call_arg_const_val32(in, map < 0 ? kUniformValues : static_cast<uint32_t>(map));
    for (const int r : registers) {
      add(in, r, true);
    }
  }
  static std::vector<int> uniform_registers(const std::string& sass) {
    std::vector<int> out;
    for (size_t i = 0; i + 2 < sass.size(); ++i) {
      if (sass[i] == 'U' && sass[i + 1] == 'R' && isdigit(static_cast<unsigned char>(sass[i + 2]))) {
        const int n = atoi(sass.c_str() + i + 2);
        if (std::find(out.begin(), out.end(), n) == out.end()) {
          out.push_back(n);
        }
      }
    }
    return out;
  }

  const uint64_t buffer_;
  const bool maps_;
};

}  // namespace heddle::capture
