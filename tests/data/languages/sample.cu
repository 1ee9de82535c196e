#include <cuda_runtime.h>
#include "order.cuh"

namespace shop {

constexpr int kThreads = 256;

// Adds up the lines of all orders.
__global__ void total(const float* prices, float* sums, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    atomicAdd(sums, prices[i]);
  }
}

template <typename T>
__device__ T discount(T price) {
  return price * static_cast<T>(0.9);
}

struct Stream {
  cudaStream_t handle;
  void wait() { cudaStreamSynchronize(handle); }
};

}  // namespace shop
