// tools/runtime/abi.h against a toolkit's headers (abi_test.py compiles it).
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tools/runtime/abi.h"

#define SAME_SIZE(ours, theirs) static_assert(sizeof(heddle::abi::ours) == sizeof(theirs), #theirs)
#define SAME_PLACE(ours, a, theirs, b) \
  static_assert(offsetof(heddle::abi::ours, a) == offsetof(theirs, b), #theirs "::" #b)

SAME_SIZE(Dim3, dim3);
SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
SAME_PLACE(LaunchAttribute, value, cudaLaunchAttribute, val);
static_assert(sizeof(heddle::abi::LaunchAttribute::value) == sizeof(cudaLaunchAttributeValue));
SAME_SIZE(LaunchAttribute, CUlaunchAttribute);
SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
SAME_PLACE(LaunchConfig, dynamic_shared, cudaLaunchConfig_t, dynamicSmemBytes);
SAME_PLACE(LaunchConfig, stream, cudaLaunchConfig_t, stream);
SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
SAME_PLACE(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
SAME_SIZE(DriverLaunchConfig, CUlaunchConfig);
SAME_PLACE(DriverLaunchConfig, dynamic_shared, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(DriverLaunchConfig, stream, CUlaunchConfig, hStream);
SAME_PLACE(DriverLaunchConfig, attributes, CUlaunchConfig, attrs);
SAME_PLACE(DriverLaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
SAME_SIZE(PitchedPointer, cudaPitchedPtr);
SAME_PLACE(PitchedPointer, pitch, cudaPitchedPtr, pitch);
SAME_PLACE(PitchedPointer, height, cudaPitchedPtr, ysize);
SAME_SIZE(Extent, cudaExtent);
SAME_SIZE(Copy3D, cudaMemcpy3DParms);
SAME_PLACE(Copy3D, from, cudaMemcpy3DParms, srcPtr);
SAME_PLACE(Copy3D, to, cudaMemcpy3DParms, dstPtr);
SAME_PLACE(Copy3D, to_at, cudaMemcpy3DParms, dstPos);
SAME_PLACE(Copy3D, extent, cudaMemcpy3DParms, extent);
SAME_PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(KernelNode, cudaKernelNodeParams);
SAME_PLACE(KernelNode, shared, cudaKernelNodeParams, sharedMemBytes);
SAME_PLACE(KernelNode, parameters, cudaKernelNodeParams, kernelParams);
SAME_PLACE(KernelNode, extra, cudaKernelNodeParams, extra);
SAME_SIZE(MemsetNode, cudaMemsetParams);
SAME_PLACE(MemsetNode, element, cudaMemsetParams, elementSize);
SAME_PLACE(MemsetNode, height, cudaMemsetParams, height);
SAME_SIZE(HostNode, cudaHostNodeParams);
SAME_SIZE(FunctionAttributes, cudaFuncAttributes);
SAME_PLACE(FunctionAttributes, most_threads, cudaFuncAttributes, maxThreadsPerBlock);
SAME_PLACE(FunctionAttributes, registers, cudaFuncAttributes, numRegs);
SAME_PLACE(FunctionAttributes, most_dynamic_shared, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(FunctionAttributes, carveout, cudaFuncAttributes, preferredShmemCarveout);
SAME_PLACE(FunctionAttributes, non_portable_cluster, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_SIZE(PointerAttributes, cudaPointerAttributes);
SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
SAME_SIZE(Location, cudaMemLocation);
SAME_SIZE(AccessDescription, cudaMemAccessDesc);
SAME_SIZE(PoolProperties, cudaMemPoolProps);
SAME_PLACE(PoolProperties, location, cudaMemPoolProps, location);
SAME_PLACE(PoolProperties, most_bytes, cudaMemPoolProps, maxSize);
SAME_SIZE(AllocateNode, cudaMemAllocNodeParams);
SAME_PLACE(AllocateNode, address, cudaMemAllocNodeParams, dptr);
SAME_SIZE(UpdateResult, cudaGraphExecUpdateResultInfo);
SAME_PLACE(UpdateResult, error_from_node, cudaGraphExecUpdateResultInfo, errorFromNode);
SAME_SIZE(InstantiateParameters, cudaGraphInstantiateParams);
SAME_PLACE(InstantiateParameters, result, cudaGraphInstantiateParams, result_out);

static_assert(static_cast<int>(cudaLaunchAttributeCooperative) == 2);
static_assert(static_cast<int>(cudaLaunchAttributeClusterDimension) == 4);
static_assert(static_cast<int>(cudaLaunchAttributeProgrammaticStreamSerialization) == 6);
static_assert(static_cast<int>(cudaLaunchAttributePriority) == 8);
static_assert(static_cast<int>(cudaLaunchAttributePreferredSharedMemoryCarveout) == 14);
static_assert(sizeof(cudaDeviceProp) == 1008);
SAME_SIZE(ChannelFormat, cudaChannelFormatDesc);
SAME_SIZE(ArrayRequirements, cudaArrayMemoryRequirements);
SAME_SIZE(Resource, cudaResourceDesc);
SAME_PLACE(Resource, array, cudaResourceDesc, res.array.array);
SAME_PLACE(Resource, linear.bytes, cudaResourceDesc, res.linear.sizeInBytes);
SAME_PLACE(Resource, rows.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_PLACE(Resource, flags, cudaResourceDesc, flags);
SAME_SIZE(Texture, cudaTextureDesc);
SAME_PLACE(Texture, border, cudaTextureDesc, borderColor);
SAME_PLACE(Texture, level_filter, cudaTextureDesc, mipmapFilterMode);
SAME_PLACE(Texture, seamless_cube, cudaTextureDesc, seamlessCubemap);
SAME_SIZE(ResourceView, cudaResourceViewDesc);
SAME_PLACE(ResourceView, last_layer, cudaResourceViewDesc, lastLayer);
SAME_SIZE(DriverCopy2D, CUDA_MEMCPY2D);
SAME_PLACE(DriverCopy2D, from.array, CUDA_MEMCPY2D, srcArray);
SAME_PLACE(DriverCopy2D, to.memory_type, CUDA_MEMCPY2D, dstMemoryType);
SAME_PLACE(DriverCopy2D, width, CUDA_MEMCPY2D, WidthInBytes);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D);
SAME_PLACE(DriverCopy3D, from.height, CUDA_MEMCPY3D, srcHeight);
SAME_PLACE(DriverCopy3D, to.array, CUDA_MEMCPY3D, dstArray);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D_PEER);
SAME_SIZE(DriverArray, CUDA_ARRAY_DESCRIPTOR);
SAME_SIZE(DriverArray3D, CUDA_ARRAY3D_DESCRIPTOR);
SAME_SIZE(DriverResource, CUDA_RESOURCE_DESC);
SAME_PLACE(DriverResource, rows.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
SAME_SIZE(DriverTexture, CUDA_TEXTURE_DESC);
SAME_PLACE(DriverTexture, border, CUDA_TEXTURE_DESC, borderColor);
SAME_SIZE(NodeParameters, cudaGraphNodeParams);
SAME_SIZE(NodeParameters, CUgraphNodeParams);
SAME_PLACE(NodeParameters, copy.copy, cudaGraphNodeParams, memcpy.copyParams);
SAME_PLACE(NodeParameters, conditional.bodies, cudaGraphNodeParams, conditional.phGraph_out);
SAME_PLACE(NodeParameters, allocate.address, cudaGraphNodeParams, alloc.dptr);
SAME_SIZE(ChildNode, cudaChildGraphNodeParams);
SAME_SIZE(ConditionalNode, cudaConditionalNodeParams);
SAME_SIZE(CopyNode, cudaMemcpyNodeParams);
SAME_SIZE(KernelNode, cudaKernelNodeParamsV2);
SAME_SIZE(CopyAttributes, cudaMemcpyAttributes);
SAME_PLACE(CopyAttributes, flags, cudaMemcpyAttributes, flags);
SAME_SIZE(CopyOperand, cudaMemcpy3DOperand);
SAME_PLACE(CopyOperand, memory.hint, cudaMemcpy3DOperand, op.ptr.locHint);
SAME_PLACE(CopyOperand, array.at, cudaMemcpy3DOperand, op.array.offset);
SAME_SIZE(CopyOperation, cudaMemcpy3DBatchOp);
SAME_PLACE(CopyOperation, extent, cudaMemcpy3DBatchOp, extent);
SAME_SIZE(PeerCopy3D, cudaMemcpy3DPeerParms);
SAME_PLACE(PeerCopy3D, to_device, cudaMemcpy3DPeerParms, dstDevice);
SAME_SIZE(DriverCopyNode, CUDA_MEMCPY_NODE_PARAMS);
SAME_PLACE(DriverCopyNode, copy, CUDA_MEMCPY_NODE_PARAMS, copyParams);
SAME_PLACE(NodeParameters, all, CUgraphNodeParams, memcpy);
