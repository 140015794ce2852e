// CUDA graphs: which kernels the instantiated ones have, and what each is launched with.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nvbit.h"
#include "tools/tracer/launch.h"

namespace heddle::capture {

// A kernel of an instantiated graph, with its own copy of the parameters.
struct Node {
  CUgraphNode handle = nullptr;
  Launch launch;  // its pointers are the driver's, and hold only while it is read
  std::string name;
  std::vector<char> parameters;
};

struct Graph {
  uint64_t number = 0;  // from 1
  std::vector<Node> kernels;
  bool complete = true;  // false: it has kernels that the list has not
};

// What the arguments of the driver's calls begin with, whatever the names in NVBit's headers.
struct InstantiateCall {
  CUgraphExec* exec;
  CUgraph graph;
};
struct ExecCall {
  CUgraphExec exec;
  union {
    CUstream stream;   // cuGraphLaunch
    CUgraph graph;     // cuGraphExecUpdate
    CUgraphNode node;  // cuGraphExec...SetParams
  };
  const void* parameters;
};
struct AddCall {
  CUgraphNode* node;
  CUgraph graph;
  const CUgraphNode* dependencies;
  union {
    struct {
      size_t count;
      const void* parameters;
    } plain;
    struct {
      const void* edges;
      size_t count;
      const void* parameters;
    } with_edges;
  };
};
struct NodeCall {
  CUgraphNode node;
  const void* parameters;
};

inline bool is_instantiation(nvbit_api_cuda_t call) {
  return call == API_CUDA_cuGraphInstantiate || call == API_CUDA_cuGraphInstantiate_v2 ||
         call == API_CUDA_cuGraphInstantiateWithFlags || call == API_CUDA_cuGraphInstantiateWithParams ||
         call == API_CUDA_cuGraphInstantiateWithParams_ptsz;
}
inline bool is_update(nvbit_api_cuda_t call) {
  return call == API_CUDA_cuGraphExecUpdate || call == API_CUDA_cuGraphExecUpdate_v2;
}
inline bool is_graph_launch(nvbit_api_cuda_t call) {
  return call == API_CUDA_cuGraphLaunch || call == API_CUDA_cuGraphLaunch_ptsz;
}

// The kernel that a call adds to a graph, or changes there; its parameters as the first fields of
// CUDA_KERNEL_NODE_PARAMS_v2, of which `has_kernel` says that there are all.
struct NodeKernel {
  const CUDA_KERNEL_NODE_PARAMS_v2* parameters = nullptr;  // null: the call has none
  bool has_kernel = true;
  ExecCall exec = {};  // the instantiated graph and the node that are changed, or nulls
};
inline NodeKernel kernel_of(nvbit_api_cuda_t call, const void* p) {
  NodeKernel k;
  const auto plain = [&k](const void* parameters, bool has_kernel) {
    k.parameters = static_cast<const CUDA_KERNEL_NODE_PARAMS_v2*>(parameters);
    k.has_kernel = has_kernel;
  };
  const auto any = [&k](const void* parameters) {
    const auto* n = static_cast<const CUgraphNodeParams*>(parameters);
    if (n && n->type == CU_GRAPH_NODE_TYPE_KERNEL) {  // v3 differs only in the names
      k.parameters = reinterpret_cast<const CUDA_KERNEL_NODE_PARAMS_v2*>(&n->kernel);
    }
  };
  const auto* add = static_cast<const AddCall*>(p);
  const auto* node = static_cast<const NodeCall*>(p);
  const auto* exec = static_cast<const ExecCall*>(p);
  switch (call) {
    case API_CUDA_cuGraphAddKernelNode:
    case API_CUDA_cuGraphAddKernelNode_v2:
      plain(add->plain.parameters, call == API_CUDA_cuGraphAddKernelNode_v2);
      break;
    case API_CUDA_cuGraphAddNode:
      any(add->plain.parameters);
      break;
    case API_CUDA_cuGraphAddNode_v2:
      any(add->with_edges.parameters);
      break;
    case API_CUDA_cuGraphKernelNodeSetParams:
    case API_CUDA_cuGraphKernelNodeSetParams_v2:
      plain(node->parameters, call == API_CUDA_cuGraphKernelNodeSetParams_v2);
      break;
    case API_CUDA_cuGraphNodeSetParams:
      any(node->parameters);
      break;
    case API_CUDA_cuGraphExecKernelNodeSetParams:
    case API_CUDA_cuGraphExecKernelNodeSetParams_v2:
      plain(exec->parameters, call == API_CUDA_cuGraphExecKernelNodeSetParams_v2);
      k.exec = *exec;
      break;
    case API_CUDA_cuGraphExecNodeSetParams:
      any(exec->parameters);
      k.exec = *exec;
      break;
    default:
      break;
  }
  return k;
}
inline CUfunction function_of(const NodeKernel& k) {
  CUfunction f = k.parameters->func;
  if (!f && k.has_kernel && cuKernelGetFunction(&f, k.parameters->kern) != CUDA_SUCCESS) {
    return nullptr;
  }
  return f;
}

inline Launch launch_of_node(const NodeKernel& k) {
  Launch l;
  const CUDA_KERNEL_NODE_PARAMS_v2& p = *k.parameters;
  l.function = function_of(k);
  const uint32_t grid[3] = {p.gridDimX, p.gridDimY, p.gridDimZ};
  const uint32_t block[3] = {p.blockDimX, p.blockDimY, p.blockDimZ};
  std::copy(grid, grid + 3, l.head.grid);
  std::copy(block, block + 3, l.head.block);
  l.head.cluster[0] = l.head.cluster[1] = l.head.cluster[2] = 0;  // ask() asks the function
  l.head.dynamic_shared = p.sharedMemBytes;
  l.parameters = p.kernelParams;
  l.extra = p.extra;
  return l;
}

// Kernels of the graph in the order in which they were added, those of child graphs in the child's place.
// False: there are others too.
inline bool kernels_of(CUgraph graph, std::vector<Node>& out, int depth = 0) {
  size_t n = 0;
  if (depth > 16 || cuGraphGetNodes(graph, nullptr, &n) != CUDA_SUCCESS) {
    return false;
  }
  std::vector<CUgraphNode> nodes(n);
  if (n > 0 && cuGraphGetNodes(graph, nodes.data(), &n) != CUDA_SUCCESS) {
    return false;
  }
  bool complete = true;
  for (const CUgraphNode handle : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    CUgraph child = nullptr;
    CUDA_KERNEL_NODE_PARAMS_v2 parameters = {};
    if (cuGraphNodeGetType(handle, &type) != CUDA_SUCCESS) {
      complete = false;
    } else if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
      complete = cuGraphChildGraphNodeGetGraph(handle, &child) == CUDA_SUCCESS &&
                 kernels_of(child, out, depth + 1) && complete;
    } else if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
      complete = false;
    } else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      if (cuGraphKernelNodeGetParams_v2(handle, &parameters) != CUDA_SUCCESS) {
        complete = false;
        continue;
      }
      Node node;
      NodeKernel k;
      k.parameters = &parameters;
      node.handle = handle;
      node.launch = launch_of_node(k);
      CUkernelNodeAttrValue value = {};
      if (cuGraphKernelNodeGetAttribute(handle, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value) ==
          CUDA_SUCCESS) {
        const uint32_t cluster[3] = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
        std::copy(cluster, cluster + 3, node.launch.head.cluster);
      }
      value = {};
      if (cuGraphKernelNodeGetAttribute(handle, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value) == CUDA_SUCCESS) {
        node.launch.head.cooperative = value.cooperative != 0;
      }
      out.push_back(std::move(node));
    }
  }
  return complete;
}

class Graphs {
 public:
  // Instantiated, or updated from this graph.
  Graph& set(CUgraphExec exec, CUgraph graph) {
    Graph& g = graphs_[exec];
    g.number = g.number ? g.number : ++count_;
    g.kernels.clear();
    g.complete = kernels_of(graph, g.kernels);
    return g;
  }
  void remove(CUgraphExec exec) { graphs_.erase(exec); }
  Graph* find(CUgraphExec exec) {
    const auto it = graphs_.find(exec);
    return it == graphs_.end() ? nullptr : &it->second;
  }

 private:
  std::map<CUgraphExec, Graph> graphs_;
  uint64_t count_ = 0;
};

}  // namespace heddle::capture
