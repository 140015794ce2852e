// Launches the kernels of forms.txt: ./host forms.cubin forms.txt
#include <cuda.h>
#include <cuda_fp16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#define C(x) do { CUresult r = x; if (r) { const char* s; cuGetErrorString(r, &s); printf("%s: %s\n", #x, s); exit(1); } } while (0)
int main(int, char** v) {
  C(cuInit(0)); CUdevice d; C(cuDeviceGet(&d, 0)); CUcontext c; C(cuDevicePrimaryCtxRetain(&c, d)); C(cuCtxSetCurrent(c)); CUmodule m; C(cuModuleLoad(&m, v[1]));
  std::ifstream f(v[2]); std::string line;
  while (std::getline(f, line)) { std::istringstream s(line); std::string name, grid, block, a; int shared; s >> name >> grid >> block >> shared; CUfunction k; C(cuModuleGetFunction(&k, m, name.c_str()));
    std::vector<std::string> kinds; std::vector<CUdeviceptr> mem; std::vector<std::vector<char>> vals; int index = 0;
    while (s >> a) { size_t off, size; C(cuFuncGetParamInfo(k, index++, &off, &size)); std::vector<char> val(size);
      if (a.find(':') != std::string::npos) { char kind[16], type[16]; size_t n; sscanf(a.c_str(), "%15[^:]:%15[^:]:%zu", kind, type, &n); std::string t = type; size_t w = t == "u8" ? 1 : t == "f16" ? 2 : t.substr(1) == "64" ? 8 : 4; std::vector<char> h(n * w); if (!strcmp(kind, "arange")) for (size_t i = 0; i < n; i++) { char* p = &h[i * w]; if (t == "f32") *(float*)p = i; else if (t == "f64") *(double*)p = i; else if (w == 8) *(unsigned long long*)p = i; else if (w == 4) *(unsigned*)p = i; else *(unsigned char*)p = i; }
        CUdeviceptr q; C(cuMemAlloc(&q, n * w)); C(cuMemcpyHtoD(q, h.data(), n * w)); mem.push_back(q); memcpy(val.data(), &q, 8); }
      else if (a.find('.') != std::string::npos || a.find('e') != std::string::npos) { double x = atof(a.c_str()); if (size == 8) memcpy(val.data(), &x, 8); else { float y = x; memcpy(val.data(), &y, 4); } }
      else { long long x = atoll(a.c_str()); memcpy(val.data(), &x, size); } vals.push_back(val); }
    std::vector<void*> p; for (auto& x : vals) p.push_back(x.data()); int gx = 1, gy = 1, bx = 1, by = 1; sscanf(grid.c_str(), "%dx%d", &gx, &gy); sscanf(block.c_str(), "%dx%d", &bx, &by);
    C(cuLaunchKernel(k, gx, gy, 1, bx, by, 1, shared, 0, p.data(), 0)); C(cuCtxSynchronize()); for (auto q : mem) C(cuMemFree(q)); }
  puts("done"); }
