// An observer that notes nothing: tests override what they look at.
#pragma once

#include "sim/exec/observer.h"

namespace heddle::exec::test {

class Onlooker : public Observer {
  void executed(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*active*/,
                uint32_t /*mask*/) override {}
  void accessed(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*mask*/,
                const Register& /*at*/, const Register* /*to*/) override {}
  void accessed_matrix(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint64_t /*base*/,
                       uint64_t /*stride*/) override {}
  void synchronised(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*mask*/,
                    BarrierObjectOp::Kind /*kind*/, const Register& /*object*/,
                    const Register& /*operand*/) override {}
  void arrived(const Block& /*block*/, uint32_t /*warp*/, uint32_t /*number*/,
               uint32_t /*threads*/) override {}
  void transferred(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*lane*/,
                   const Transfer& /*t*/) override {}
  void used_tensor_memory(const Block& /*b*/, uint32_t /*warp*/, uint32_t /*pc*/, uint32_t /*lane*/,
                          const TensorMemoryOp& /*op*/, const TensorUse& /*use*/) override {}
};

}  // namespace heddle::exec::test
