// What calls on graphs have in common: nodes by their handles, the work that parameters say.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "tools/runtime/abi.h"
#include "tools/runtime/call.h"

namespace heddle::runtime {

// Throw CallFailed for what is no node of the graph, or named twice.
cuda::Node& node_of(const cuda::Graph& g, void* handle);
std::vector<cuda::Node*> nodes_of(const cuda::Graph& g, Given<void* const> handles, size_t count);

// The call that adds a node with this work, that changes it in an instantiated graph, and in the graph.
using WorkOf = std::function<cuda::Work(Context&)>;
int32_t add_node(Given<void*> out, void* graph, Given<void* const> after, size_t count, const WorkOf& work);
int32_t change_node(void* exec, void* node, const WorkOf& work);
int32_t set_node(void* node, const WorkOf& work);

cuda::Work kernel_work(Context& c, const abi::KernelNode& p);
cuda::Work memset_work(const abi::MemsetNode& p);
cuda::Work host_work(const abi::HostNode& p);

// Handles into an array of so many, as CUDA gives lists: how many there are when there is no array.
void list_nodes(const std::vector<cuda::Node*>& nodes, void** out, Given<size_t> count);

}  // namespace heddle::runtime
