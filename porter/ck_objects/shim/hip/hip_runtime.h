// SPDX-License-Identifier: Apache-2.0
// Stands in for HIP's headers where Composable Kernel is compiled for the device alone, without ROCm.
//
// What CK's block-scale GEMMs compute with is defined here, over clang's builtins. What its headers only name, on the host
// or in code that is never instantiated, is declared and never defined: using it would fail at link time.
#pragma once

// CK includes some of these inside its own namespace and counts on HIP having included them before.
#include <cassert>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 70000000

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
// HIP's meaning: work-items of a workgroup at most, and waves of a SIMD at least. Clang's own `launch_bounds` is CUDA's and
// does nothing for AMDGPU: a kernel would be kept to the registers of workgroups of 1024.
#define PORTER_BOUNDS(THREADS, WAVES, ...) \
    __attribute__((amdgpu_flat_work_group_size(1, THREADS), amdgpu_waves_per_eu(WAVES)))
#define __launch_bounds__(...) PORTER_BOUNDS(__VA_ARGS__, 1)

// Ids are read as properties, x, y and z.
#define PORTER_INDEX(NAME, BUILTIN)                                                  \
    struct porter_##NAME                                                             \
    {                                                                                \
        __declspec(property(get = get_x)) unsigned x;                                \
        __declspec(property(get = get_y)) unsigned y;                                \
        __declspec(property(get = get_z)) unsigned z;                                \
        __device__ unsigned get_x() const { return __builtin_amdgcn_##BUILTIN##_x(); } \
        __device__ unsigned get_y() const { return __builtin_amdgcn_##BUILTIN##_y(); } \
        __device__ unsigned get_z() const { return __builtin_amdgcn_##BUILTIN##_z(); } \
    };                                                                               \
    static constexpr __device__ porter_##NAME NAME
PORTER_INDEX(threadIdx, workitem_id);
PORTER_INDEX(blockIdx, workgroup_id);
#undef PORTER_INDEX

struct dim3
{
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
// Read from the dispatch packet, which no block-scale GEMM does.
extern __device__ dim3 blockDim, gridDim;

inline __device__ void __syncthreads()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
inline __device__ int __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u)); }
inline __device__ int __clz(int value) { return value ? __builtin_clz(value) : 32; }
inline __host__ __device__ constexpr unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned long long>(a) * b >> 32;
}
inline __host__ __device__ bool isnan(float value) { return __builtin_isnan(value); }
inline __host__ __device__ bool isnan(double value) { return __builtin_isnan(value); }
template <typename T>
inline __device__ T atomicAdd(T* address, T value)
{
    return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T>
inline __device__ T atomicMax(T* address, T value)
{
    return __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

namespace __hip_internal {
using std::is_same;
}

// Named in elementwise operators, which the GEMMs here do not use.
struct __half
{
    _Float16 value;
    __host__ __device__ __half(_Float16 value_ = 0) : value(value_) {}
    __host__ __device__ operator _Float16() const { return value; }
};
__device__ __half __hneg(__half);
__device__ __half hsin(__half);
__device__ __half hceil(__half);
__device__ __half hfloor(__half);
__device__ __half hexp(__half);
__device__ __half hlog(__half);
__device__ float __logf(float);
__device__ float expm1f(float);
__device__ float cosf(float);
__device__ float powf(float, float);
extern "C" __device__ float __ocml_exp_f32(float);
__device__ int printf(const char*, ...);
__device__ unsigned __byte_perm(unsigned, unsigned, unsigned);
namespace std {
using ::acosf;
using ::asinf;
using ::atanf;
using ::ceilf;
using ::cosf;
using ::coshf;
using ::expf;
using ::floorf;
using ::logf;
using ::powf;
using ::sinf;
using ::sinhf;
using ::tanf;
using ::tanhf;
} // namespace std

// The host's runtime.
typedef struct porter_stream* hipStream_t;
typedef struct porter_event* hipEvent_t;
enum hipError_t
{
    hipSuccess = 0
};
enum
{
    hipDeviceAttributeWarpSize,
    hipMemcpyDeviceToDevice,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost
};
struct hipDeviceProp_t
{
    char name[256];
    char gcnArchName[256];
    int multiProcessorCount;
    int warpSize;
};
const char* hipGetErrorString(hipError_t);
hipError_t hipGetLastError();
hipError_t hipGetDevice(int*);
hipError_t hipDeviceGetAttribute(int*, int, int);
hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
hipError_t hipDeviceSynchronize();
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipMalloc(void*, size_t);
hipError_t hipFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t);
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventDestroy(hipEvent_t);
hipError_t hipEventRecord(hipEvent_t, hipStream_t);
hipError_t hipEventSynchronize(hipEvent_t);
hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
hipError_t hipExtStreamGetCUMask(hipStream_t, unsigned, unsigned*);
extern "C" hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
