// G. Which SMs the blocks of clusters go to: blocks per SM and SMs per cluster.
#include "mb.h"
#include <map>
#include <set>
__global__ void k_place(u32* o, u32 spin) {
  u64 c = clk64();
  while (clk64() - c < spin)
    ;
  if (threadIdx.x == 0) {
    o[blockIdx.x] = smid();
  }
}
int main() {
  u32* o = dmalloc<u32>(4096);
  for (int cs : {1, 2, 4, 8}) {
    for (int blocks : {32, 64, 128, 264, 528}) {
      for (int thr : {256, 1024}) {
        for (int rep = 0; rep < 2; rep++) {
          cudaLaunchConfig_t c = {};
          c.gridDim = blocks;
          c.blockDim = thr;
          cudaLaunchAttribute at;
          at.id = cudaLaunchAttributeClusterDimension;
          at.val.clusterDim.x = cs;
          at.val.clusterDim.y = at.val.clusterDim.z = 1;
          c.attrs = &at;
          c.numAttrs = 1;
          CK(cudaLaunchKernelEx(&c, k_place, o, 20000u));
          sync();
        }
        auto v = down(o, blocks);
        std::map<u32, int> per_sm;
        std::map<int, int> sms_per_cluster, histogram;
        for (int b = 0; b < blocks; b++) {
          per_sm[v[b]]++;
        }
        for (int k = 0; k < blocks / cs; k++) {
          sms_per_cluster[(int)std::set<u32>(v.begin() + k * cs, v.begin() + (k + 1) * cs).size()]++;
        }
        for (auto& [sm, n] : per_sm) {
          histogram[n]++;
        }
        std::string s, list;
        for (auto& [n, k] : histogram) {
          s += S("%d SMs with %d blocks ", k, n);
        }
        s += "; clusters by their number of SMs:";
        for (auto& [n, k] : sms_per_cluster) {
          s += S(" %d on %d", k, n);
        }
        for (int b = 0; b < std::min(blocks, 64); b++) {
          list += S("%u ", v[b]);
        }
        rec("G", "cluster_placement", per_sm.size(), "SMs used",
            S("cluster %d; %d blocks of %d threads; %s; SMs of the first blocks: %s", cs, blocks, thr, s.c_str(), list.c_str()),
            "k_place");
      }
    }
  }
  return 0;
}
