#include "frontends/workload/error_names.h"

#include <string>

namespace heddle::workload {
namespace {

// Behind cudaError, as in driver_types.h of CUDA 12.8; a space behind each.
constexpr std::string_view kRuntime =
    " "
    "AddressOfConstant AlreadyAcquired AlreadyMapped ApiFailureBase ArrayIsMapped Assert "
    "CallRequiresNewerDriver CapturedEvent CdpNotSupported CdpVersionMismatch CompatNotSupportedOnDevice "
    "ContextIsDestroyed CooperativeLaunchTooLarge CudartUnloading DeviceAlreadyInUse DeviceNotLicensed "
    "DeviceUninitialized DevicesUnavailable DuplicateSurfaceName DuplicateTextureName "
    "DuplicateVariableName ECCUncorrectable ExternalDevice FileNotFound FunctionNotLoaded "
    "GraphExecUpdateFailure HardwareStackError HostMemoryAlreadyRegistered HostMemoryNotRegistered "
    "IllegalAddress IllegalInstruction IllegalState IncompatibleDriverContext InitializationError "
    "InsufficientDriver InvalidAddressSpace InvalidChannelDescriptor InvalidClusterSize "
    "InvalidConfiguration InvalidDevice InvalidDeviceFunction InvalidDevicePointer InvalidFilterSetting "
    "InvalidGraphicsContext InvalidHostPointer InvalidKernelImage InvalidMemcpyDirection "
    "InvalidNormSetting InvalidPc InvalidPitchValue InvalidPtx InvalidResourceConfiguration "
    "InvalidResourceHandle InvalidResourceType InvalidSource InvalidSurface InvalidSymbol InvalidTexture "
    "InvalidTextureBinding InvalidValue JitCompilationDisabled JitCompilerNotFound LaunchFailure "
    "LaunchFileScopedSurf LaunchFileScopedTex LaunchIncompatibleTexturing LaunchMaxDepthExceeded "
    "LaunchOutOfResources LaunchPendingCountExceeded LaunchTimeout LossyQuery MapBufferObjectFailed "
    "MemoryAllocation MemoryValueTooLarge MisalignedAddress MissingConfiguration MixedDeviceExecution "
    "MpsClientTerminated MpsConnectionFailed MpsMaxClientsReached MpsMaxConnectionsReached MpsRpcFailure "
    "MpsServerNotReady NoDevice NoKernelImageForDevice NotMapped NotMappedAsArray NotMappedAsPointer "
    "NotPermitted NotReady NotSupported NotYetImplemented NvlinkUncorrectable OperatingSystem "
    "PeerAccessAlreadyEnabled PeerAccessNotEnabled PeerAccessUnsupported PriorLaunchFailure "
    "ProfilerAlreadyStarted ProfilerAlreadyStopped ProfilerDisabled ProfilerNotInitialized "
    "SetOnActiveProcess SharedObjectInitFailed SharedObjectSymbolNotFound SoftwareValidityNotEstablished "
    "StartupFailure StreamCaptureImplicit StreamCaptureInvalidated StreamCaptureIsolation "
    "StreamCaptureMerge StreamCaptureUnjoined StreamCaptureUnmatched StreamCaptureUnsupported "
    "StreamCaptureWrongThread StubLibrary SymbolNotFound SyncDepthExceeded SynchronizationError "
    "SystemDriverMismatch SystemNotReady TensorMemoryLeak TextureFetchFailed TextureNotBound Timeout "
    "TooManyPeers Unknown UnmapBufferObjectFailed UnsupportedDevSideSync UnsupportedExecAffinity "
    "UnsupportedLimit UnsupportedPtxVersion ";

// Behind CUDA_ERROR_, as in cuda.h.
constexpr std::string_view kDriver =
    " "
    "ALREADY_ACQUIRED ALREADY_MAPPED ARRAY_IS_MAPPED ASSERT CAPTURED_EVENT CDP_NOT_SUPPORTED "
    "CDP_VERSION_MISMATCH COMPAT_NOT_SUPPORTED_ON_DEVICE CONTEXT_ALREADY_CURRENT CONTEXT_ALREADY_IN_USE "
    "CONTEXT_IS_DESTROYED COOPERATIVE_LAUNCH_TOO_LARGE DEINITIALIZED DEVICE_NOT_LICENSED "
    "DEVICE_UNAVAILABLE ECC_UNCORRECTABLE EXTERNAL_DEVICE FILE_NOT_FOUND FUNCTION_NOT_LOADED "
    "GRAPH_EXEC_UPDATE_FAILURE HARDWARE_STACK_ERROR HOST_MEMORY_ALREADY_REGISTERED "
    "HOST_MEMORY_NOT_REGISTERED ILLEGAL_ADDRESS ILLEGAL_INSTRUCTION ILLEGAL_STATE INVALID_ADDRESS_SPACE "
    "INVALID_CLUSTER_SIZE INVALID_CONTEXT INVALID_DEVICE INVALID_GRAPHICS_CONTEXT INVALID_HANDLE "
    "INVALID_IMAGE INVALID_PC INVALID_PTX INVALID_RESOURCE_CONFIGURATION INVALID_RESOURCE_TYPE "
    "INVALID_SOURCE INVALID_VALUE JIT_COMPILATION_DISABLED JIT_COMPILER_NOT_FOUND LAUNCH_FAILED "
    "LAUNCH_INCOMPATIBLE_TEXTURING LAUNCH_OUT_OF_RESOURCES LAUNCH_TIMEOUT LOSSY_QUERY MAP_FAILED "
    "MISALIGNED_ADDRESS MPS_CLIENT_TERMINATED MPS_CONNECTION_FAILED MPS_MAX_CLIENTS_REACHED "
    "MPS_MAX_CONNECTIONS_REACHED MPS_RPC_FAILURE MPS_SERVER_NOT_READY NOT_FOUND NOT_INITIALIZED "
    "NOT_MAPPED NOT_MAPPED_AS_ARRAY NOT_MAPPED_AS_POINTER NOT_PERMITTED NOT_READY NOT_SUPPORTED "
    "NO_BINARY_FOR_GPU NO_DEVICE NVLINK_UNCORRECTABLE OPERATING_SYSTEM OUT_OF_MEMORY "
    "PEER_ACCESS_ALREADY_ENABLED PEER_ACCESS_NOT_ENABLED PEER_ACCESS_UNSUPPORTED PRIMARY_CONTEXT_ACTIVE "
    "PROFILER_ALREADY_STARTED PROFILER_ALREADY_STOPPED PROFILER_DISABLED PROFILER_NOT_INITIALIZED "
    "SHARED_OBJECT_INIT_FAILED SHARED_OBJECT_SYMBOL_NOT_FOUND STREAM_CAPTURE_IMPLICIT "
    "STREAM_CAPTURE_INVALIDATED STREAM_CAPTURE_ISOLATION STREAM_CAPTURE_MERGE STREAM_CAPTURE_UNJOINED "
    "STREAM_CAPTURE_UNMATCHED STREAM_CAPTURE_UNSUPPORTED STREAM_CAPTURE_WRONG_THREAD STUB_LIBRARY "
    "SYSTEM_DRIVER_MISMATCH SYSTEM_NOT_READY TENSOR_MEMORY_LEAK TIMEOUT TOO_MANY_PEERS UNKNOWN "
    "UNMAP_FAILED UNSUPPORTED_DEVSIDE_SYNC UNSUPPORTED_EXEC_AFFINITY UNSUPPORTED_LIMIT "
    "UNSUPPORTED_PTX_VERSION ";

bool has(std::string_view all, std::string_view name) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         all.find(" " + std::string(name) + " ") != std::string_view::npos;
}

}  // namespace

bool is_error_name(std::string_view name) {
  constexpr std::string_view kRuntimePrefix = "cudaError", kDriverPrefix = "CUDA_ERROR_";
  return name == "SIGSEGV" ||
         (name.starts_with(kRuntimePrefix) && has(kRuntime, name.substr(kRuntimePrefix.size()))) ||
         (name.starts_with(kDriverPrefix) && has(kDriver, name.substr(kDriverPrefix.size())));
}

}  // namespace heddle::workload
