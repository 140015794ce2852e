// Arrays, mipmapped arrays, textures and surfaces: copies there and back, filters, addressing, layers, cubes, levels, surfaces. What
// comes out is compared with a straightforward implementation of the guide's formulas here; coordinates are such that weights are
// whole 256ths and sums are exact.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                                 \
  do {                                                                                              \
    cudaError_t status_ = (call);                                                                   \
    if (status_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
      std::exit(1);                                                                                 \
    }                                                                                               \
  } while (0)

static int failures = 0;
static void report(const char* name, int bad, int all) {
  std::printf("%s: %d of %d %s\n", name, all - bad, all, bad == 0 ? "ok" : "FAIL");
  failures += bad != 0;
}

// ---- the guide's texture

struct Host {
  std::vector<float> v;
  int w, h = 1, d = 1;
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  bool linear = false, normalized = false;

  // An element's place, or -1 outside.
  int place(int i, int n) const {
    switch (mode) {
      case cudaAddressModeWrap:
        return ((i % n) + n) % n;
      case cudaAddressModeMirror: {
        const int p = ((i % (2 * n)) + 2 * n) % (2 * n);
        return p < n ? p : 2 * n - 1 - p;
      }
      case cudaAddressModeBorder:
        return i < 0 || i >= n ? -1 : i;
      default:
        return std::min(std::max(i, 0), n - 1);
    }
  }
  float at(int x, int y, int z) const {
    x = place(x, w), y = place(y, h), z = place(z, d);
    return x < 0 || y < 0 || z < 0 ? 0 : v[(z * h + y) * w + x];
  }
  float look(float x, float y = 0.5f, float z = 0.5f) const {
    if (normalized) x *= w, y *= h, z *= d;
    if (!linear) return at(int(std::floor(x)), int(std::floor(y)), int(std::floor(z)));
    const float b[3] = {x - 0.5f, y - 0.5f, z - 0.5f};
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      float weight = 1;
      int n[3];
      for (int k = 0; k < 3; ++k) {
        const float f = b[k] - std::floor(b[k]);
        n[k] = int(std::floor(b[k])) + (corner >> k & 1);
        weight *= (corner >> k & 1) ? f : 1 - f;
      }
      if (weight != 0) sum += weight * at(n[0], n[1], n[2]);
    }
    return sum;
  }
};

__global__ void look1(cudaTextureObject_t t, const float4* at, float* out) { out[threadIdx.x] = tex1D<float>(t, at[threadIdx.x].x); }
__global__ void look2(cudaTextureObject_t t, const float4* at, float* out) {
  out[threadIdx.x] = tex2D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void look3(cudaTextureObject_t t, const float4* at, float* out) {
  out[threadIdx.x] = tex3D<float>(t, at[threadIdx.x].x, at[threadIdx.x].y, at[threadIdx.x].z);
}
__global__ void look_level(cudaTextureObject_t t, const float4* at, float* out) {
  out[threadIdx.x] = tex2DLod<float>(t, at[threadIdx.x].x, at[threadIdx.x].y, at[threadIdx.x].w);
}
__global__ void look_layer(cudaTextureObject_t t, const float4* at, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, at[threadIdx.x].x, at[threadIdx.x].y, int(at[threadIdx.x].z));
}
__global__ void look_cube(cudaTextureObject_t t, const float4* at, float* out) {
  out[threadIdx.x] = texCubemap<float>(t, at[threadIdx.x].x, at[threadIdx.x].y, at[threadIdx.x].z);
}
__global__ void gather(cudaTextureObject_t t, const float4* at, float4* out) {
  out[threadIdx.x] = tex2Dgather<float4>(t, at[threadIdx.x].x, at[threadIdx.x].y, 0);
}
__global__ void colours(cudaTextureObject_t t, const float4* at, float4* out) {
  out[threadIdx.x] = tex2D<float4>(t, at[threadIdx.x].x, at[threadIdx.x].y);
}
__global__ void fetch(cudaTextureObject_t t, const int* at, int2* out) { out[threadIdx.x] = tex1Dfetch<int2>(t, at[threadIdx.x]); }
// Each thread has an object of its own.
__global__ void many(const cudaTextureObject_t* t, float* out) { out[threadIdx.x] = tex2D<float>(t[threadIdx.x % 3], 1.5f, 2.5f); }

constexpr int kN = 96;
static float4* at;
static float* out;

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureAddressMode mode, bool linear, bool normalized) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
  d.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  d.normalizedCoords = normalized;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  return t;
}

// Places in and around `n` elements: multiples of a 16th.
static void places(const int (&n)[3], bool normalized) {
  unsigned seed = 7;
  const auto next = [&] { return seed = seed * 1664525 + 1013904223, int(seed >> 8); };
  for (int i = 0; i < kN; ++i) {
    float c[3];
    for (int k = 0; k < 3; ++k) {
      c[k] = (next() % (16 * 3 * n[k]) - 16 * n[k]) / 16.0f + 1 / 32.0f * (i % 2);
      if (normalized) c[k] /= n[k];
    }
    at[i] = {c[0], c[1], c[2], 0};
  }
}

static void filters() {
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  const char* modes[] = {"wrap", "clamp", "mirror", "border"};
  for (int dims = 1; dims <= 3; ++dims) {
    const int n[3] = {16, dims > 1 ? 8 : 1, dims > 2 ? 4 : 1};
    Host h;
    h.w = n[0], h.h = n[1], h.d = n[2];
    h.v.resize(n[0] * n[1] * n[2]);
    for (size_t i = 0; i < h.v.size(); ++i) h.v[i] = float(int(i * 37 % 101) - 50);
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &one, make_cudaExtent(n[0], dims > 1 ? n[1] : 0, dims > 2 ? n[2] : 0)));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h.v.data(), n[0] * 4, n[0], n[1]);
    p.dstArray = a, p.extent = make_cudaExtent(n[0], n[1], n[2]), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    for (int mode = 0; mode < 4; ++mode) {
      for (int how = 0; how < 4; ++how) {
        h.linear = how & 1, h.normalized = how & 2;
        h.mode = cudaTextureAddressMode(mode);
        const bool repeats = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
        if (repeats && !h.normalized) h.mode = cudaAddressModeClamp;  // as the guide says
        if (dims == 1 && mode == cudaAddressModeBorder) continue;     // silicon reads rows of two dimensions
        places(n, h.normalized);
        const cudaTextureObject_t t = texture(a, cudaTextureAddressMode(mode), h.linear, h.normalized);
        (dims == 1 ? look1 : dims == 2 ? look2 : look3)<<<1, kN>>>(t, at, out);
        CHECK(cudaDeviceSynchronize());
        int bad = 0;
        for (int i = 0; i < kN; ++i) {
          const float want = dims == 1 ? h.look(at[i].x) : dims == 2 ? h.look(at[i].x, at[i].y)
                                                                                                   : h.look(at[i].x, at[i].y, at[i].z);
          // The products of three weights are rounded to 256ths.
          bad += std::fabs(out[i] - want) > (h.linear ? 0.4f * (dims - 1) : 0);
        }
        char name[64];
        std::snprintf(name, sizeof name, "%dD %s %s %s", dims, modes[mode], h.linear ? "linear" : "point", h.normalized ? "normalised" : "plain");
        report(name, bad, kN);
        CHECK(cudaDestroyTextureObject(t));
      }
    }
    CHECK(cudaFreeArray(a));
  }
}

static void layers_and_cubes() {
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  for (int cube = 0; cube < 2; ++cube) {
    const int slices = cube ? 6 : 5;
    std::vector<float> v(8 * 8 * slices);
    std::iota(v.begin(), v.end(), 0.f);
    cudaArray_t a;
    CHECK(cudaMalloc3DArray(&a, &one, make_cudaExtent(8, 8, slices), cube ? cudaArrayCubemap : cudaArrayLayered));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), 32, 8, 8);
    p.dstArray = a, p.extent = make_cudaExtent(8, 8, slices), p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    const cudaTextureObject_t t = texture(a, cudaAddressModeClamp, false, cube);
    std::vector<float> want(kN);
    for (int i = 0; i < kN; ++i) {
      if (cube) {
        // Through the middle of an element of each face: +x, -x, +y, -y, +z, -z (guide, cubemap textures).
        const int face = i % 6, x = i * 5 % 8, y = i * 3 % 8;
        const float s = (x + 0.5f) / 4 - 1, u = (y + 0.5f) / 4 - 1;
        const float dirs[6][3] = {{1, -u, -s}, {-1, -u, s}, {s, 1, u}, {s, -1, -u}, {s, -u, 1}, {-s, -u, -1}};
        at[i] = {dirs[face][0], dirs[face][1], dirs[face][2], 0};
        want[i] = float((face * 8 + y) * 8 + x);
      } else {
        const int layer = i % 7 - 1, x = i * 5 % 8, y = i * 3 % 8;
        at[i] = {x + 0.25f, y + 0.75f, float(layer), 0};
        // Beyond the last layer is the last one; a negative number is a large one.
        want[i] = float(((layer < 0 ? slices - 1 : std::min(layer, slices - 1)) * 8 + y) * 8 + x);
      }
    }
    (cube ? look_cube : look_layer)<<<1, kN>>>(t, at, out);
    CHECK(cudaDeviceSynchronize());
    int bad = 0;
    for (int i = 0; i < kN; ++i) bad += out[i] != want[i];
    report(cube ? "cube" : "layers", bad, kN);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaFreeArray(a));
  }
}

static void levels() {
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  CHECK(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 8, 0), 4));
  for (int level = 0; level < 4; ++level) {
    const int w = 16 >> level, h = 8 >> level;
    std::vector<float> v(w * h);
    for (int i = 0; i < w * h; ++i) v[i] = float(1000 * level + i);
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, m, level));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaExtent e;
    CHECK(cudaArrayGetInfo(nullptr, &e, nullptr, a));
    if (int(e.width) != w || int(e.height) != h) report("size of a level", 1, 1);
  }
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = m;
  cudaTextureDesc d = {};
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  d.normalizedCoords = 1, d.maxMipmapLevelClamp = 3;
  for (int between = 0; between < 2; ++between) {
    d.mipmapFilterMode = between ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t t = 0;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    for (int i = 0; i < kN; ++i) at[i] = {(i % 16 + 0.5f) / 16, (i / 16 + 0.5f) / 8, 0, i % 9 * 0.5f};
    look_level<<<1, kN>>>(t, at, out);
    CHECK(cudaDeviceSynchronize());
    int bad = 0;
    for (int i = 0; i < kN; ++i) {
      const auto one_of = [&](int level) {
        const int w = 16 >> level, h = 8 >> level;
        return float(1000 * level + int(at[i].y * h) * w + int(at[i].x * w));
      };
      const float level = std::min(at[i].w, 3.f);
      const int low = int(level);
      const float want = between ? (level == low ? one_of(low) : 0.5f * one_of(low) + 0.5f * one_of(low + 1)) : one_of(int(level + 0.5f));
      bad += out[i] != want;
    }
    report(between ? "between levels" : "nearest level", bad, kN);
    CHECK(cudaDestroyTextureObject(t));
  }
  CHECK(cudaFreeMipmappedArray(m));
}

static void formats() {
  // Bytes read as fractions, and four elements gathered.
  cudaArray_t a;
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<uchar4>(), one = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&a, &bytes, 8, 8));
  std::vector<uchar4> v(64);
  for (int i = 0; i < 64; ++i) v[i] = {(unsigned char)(i), (unsigned char)(255 - i), (unsigned char)(3 * i), 255};
  CHECK(cudaMemcpy2DToArray(a, 0, 0, v.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  cudaTextureDesc d = {};
  d.readMode = cudaReadModeNormalizedFloat;
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  float4* four;
  CHECK(cudaMallocManaged(&four, kN * sizeof(float4)));
  for (int i = 0; i < kN; ++i) at[i] = {i % 8 + 0.5f, i / 8 % 8 + 0.5f, 0, 0};
  colours<<<1, kN>>>(t, at, four);
  CHECK(cudaDeviceSynchronize());
  int bad = 0;
  for (int i = 0; i < kN; ++i) {
    const uchar4 c = v[i % 64];
    bad += four[i].x != c.x / 255.f || four[i].y != c.y / 255.f || four[i].z != c.z / 255.f || four[i].w != 1;
  }
  report("bytes as fractions", bad, kN);
  cudaTextureDesc back = {};
  cudaResourceDesc resource = {};
  CHECK(cudaGetTextureObjectTextureDesc(&back, t));
  CHECK(cudaGetTextureObjectResourceDesc(&resource, t));
  report("what the object is of", back.readMode != cudaReadModeNormalizedFloat || resource.res.array.array != a, 1);
  CHECK(cudaDestroyTextureObject(t));
  CHECK(cudaFreeArray(a));

  CHECK(cudaMallocArray(&a, &one, 8, 8, cudaArrayTextureGather));
  std::vector<float> f(64);
  std::iota(f.begin(), f.end(), 0.f);
  CHECK(cudaMemcpyToArray(a, 0, 0, f.data(), 256, cudaMemcpyHostToDevice));
  t = texture(a, cudaAddressModeClamp, false, false);
  for (int i = 0; i < kN; ++i) at[i] = {float(i % 7 + 1), float(i / 7 % 7 + 1), 0, 0};
  gather<<<1, kN>>>(t, at, four);
  CHECK(cudaDeviceSynchronize());
  bad = 0;
  for (int i = 0; i < kN; ++i) {
    const int x = i % 7, y = i / 7 % 7;  // below left, below right, above right, above left
    bad += four[i].x != f[(y + 1) * 8 + x] || four[i].y != f[(y + 1) * 8 + x + 1] || four[i].z != f[y * 8 + x + 1] || four[i].w != f[y * 8 + x];
  }
  report("gathered", bad, kN);

  // Objects by thread; linear memory; rows with a pitch.
  int2* line;
  CHECK(cudaMalloc(&line, 64 * sizeof(int2)));
  std::vector<int2> pairs(64);
  for (int i = 0; i < 64; ++i) pairs[i] = {i * i, -i};
  CHECK(cudaMemcpy(line, pairs.data(), 512, cudaMemcpyHostToDevice));
  cudaResourceDesc l = {};
  l.resType = cudaResourceTypeLinear, l.res.linear = {line, cudaCreateChannelDesc<int2>(), 512};
  cudaTextureDesc plain = {};
  cudaTextureObject_t linear = 0;
  CHECK(cudaCreateTextureObject(&linear, &l, &plain, nullptr));
  int* index;
  CHECK(cudaMallocManaged(&index, kN * 4));
  for (int i = 0; i < kN; ++i) index[i] = i - 8;
  int2* got;
  CHECK(cudaMallocManaged(&got, kN * sizeof(int2)));
  fetch<<<1, kN>>>(linear, index, got);
  CHECK(cudaDeviceSynchronize());
  bad = 0;
  for (int i = 0; i < kN; ++i) {
    const bool inside = index[i] >= 0 && index[i] < 64;
    bad += got[i].x != (inside ? pairs[index[i]].x : 0) || got[i].y != (inside ? pairs[index[i]].y : 0);
  }
  report("linear memory", bad, kN);
  float* rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, 8 * 4, 8));
  for (float& x : f) x = -x;
  CHECK(cudaMemcpy2D(rows, pitch, f.data(), 32, 32, 8, cudaMemcpyHostToDevice));
  cudaResourceDesc q = {};
  q.resType = cudaResourceTypePitch2D;
  q.res.pitch2D.devPtr = rows, q.res.pitch2D.desc = one, q.res.pitch2D.width = 8, q.res.pitch2D.height = 8, q.res.pitch2D.pitchInBytes = pitch;
  cudaTextureObject_t pitched = 0;
  CHECK(cudaCreateTextureObject(&pitched, &q, &plain, nullptr));
  cudaArray_t b;
  CHECK(cudaMallocArray(&b, &one, 8, 8));
  CHECK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 16, 32, 0));  // nothing
  CHECK(cudaMemcpy2DArrayToArray(b, 4, 2, a, 0, 0, 12, 4));
  const cudaTextureObject_t third = texture(b, cudaAddressModeClamp, false, false);
  cudaTextureObject_t* objects;
  CHECK(cudaMallocManaged(&objects, 24));
  objects[0] = t, objects[1] = pitched, objects[2] = third;
  many<<<1, kN>>>(objects, out);
  CHECK(cudaDeviceSynchronize());
  bad = 0;
  const float wanted[] = {17, -17, 0};  // the third: element (0, 0) of the first was copied to (1, 2)
  for (int i = 0; i < kN; ++i) bad += out[i] != wanted[i % 3];
  report("an object by thread", bad, kN);
}

// ---- surfaces

__global__ void turn(cudaSurfaceObject_t s, int w, int h) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int v = surf2Dread<int>(s, 4 * x, y);
  __syncthreads();
  surf2Dwrite(v + 1000, s, 4 * (w - 1 - x), h - 1 - y);
}
__global__ void layers(cudaSurfaceObject_t s, int* outside) {
  const int x = threadIdx.x, layer = threadIdx.y;
  short2 v = surf2DLayeredread<short2>(s, 4 * x, 1, layer);
  v.x += 1, v.y = short(layer);
  surf2DLayeredwrite(v, s, 4 * x, 1, layer);
  if (x == 0) {
    outside[layer] = surf2DLayeredread<int>(s, 4 * 100, 0, layer, cudaBoundaryModeZero);
    surf2DLayeredwrite(make_short2(99, 99), s, 4 * 100, 0, layer, cudaBoundaryModeZero);
  }
}
__global__ void box(cudaSurfaceObject_t s) {
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  float2 v = surf3Dread<float2>(s, 8 * x, y, z);
  v.x += v.y;
  surf3Dwrite(v, s, 8 * x, y, z, cudaBoundaryModeTrap);
}

static cudaSurfaceObject_t surface(cudaArray_t a) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &r));
  return s;
}

static void surfaces() {
  cudaArray_t a;
  const cudaChannelFormatDesc whole = cudaCreateChannelDesc<int>(), halves = cudaCreateChannelDesc<short2>(), pairs = cudaCreateChannelDesc<float2>();
  CHECK(cudaMallocArray(&a, &whole, 24, 16, cudaArraySurfaceLoadStore));
  std::vector<int> v(24 * 16), back(24 * 16);
  std::iota(v.begin(), v.end(), 5);
  CHECK(cudaMemcpy2DToArrayAsync(a, 0, 0, v.data(), 96, 96, 16, cudaMemcpyHostToDevice, 0));
  cudaSurfaceObject_t s = surface(a);
  turn<<<1, dim3(24, 16)>>>(s, 24, 16);
  CHECK(cudaMemcpy2DFromArrayAsync(back.data(), 96, a, 0, 0, 96, 16, cudaMemcpyDeviceToHost, 0));
  CHECK(cudaDeviceSynchronize());
  int bad = 0;
  for (int i = 0; i < 24 * 16; ++i) bad += back[i] != v[24 * 16 - 1 - i] + 1000;
  report("surface of rows", bad, 24 * 16);
  CHECK(cudaDestroySurfaceObject(s));
  CHECK(cudaFreeArray(a));

  CHECK(cudaMalloc3DArray(&a, &halves, make_cudaExtent(8, 2, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
  std::vector<short2> w(48), w_back(48);
  for (int i = 0; i < 48; ++i) w[i] = {short(i), 7};
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(w.data(), 32, 8, 2), p.dstArray = a, p.extent = make_cudaExtent(8, 2, 3), p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  int* outside;
  CHECK(cudaMallocManaged(&outside, 12));
  outside[0] = outside[1] = outside[2] = -1;
  s = surface(a);
  layers<<<1, dim3(8, 3)>>>(s, outside);
  CHECK(cudaDeviceSynchronize());
  p = {};
  p.srcArray = a, p.dstPtr = make_cudaPitchedPtr(w_back.data(), 32, 8, 2), p.extent = make_cudaExtent(8, 2, 3), p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  bad = outside[0] != 0 || outside[1] != 0 || outside[2] != 0;
  for (int i = 0; i < 48; ++i) {
    const bool second = i / 8 % 2 == 1;
    bad += w_back[i].x != w[i].x + (second ? 1 : 0) || w_back[i].y != (second ? i / 16 : 7);
  }
  report("surface of layers", bad, 49);
  CHECK(cudaFreeArray(a));

  CHECK(cudaMalloc3DArray(&a, &pairs, make_cudaExtent(5, 4, 3), cudaArraySurfaceLoadStore));
  std::vector<float2> b(60), b_back(60);
  for (int i = 0; i < 60; ++i) b[i] = {float(i), 0.5f * i};
  // Into a box within a larger block of memory and out of it.
  p = {};
  p.srcPtr = make_cudaPitchedPtr(b.data(), 40, 5, 4), p.dstArray = a, p.extent = make_cudaExtent(5, 4, 3), p.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&p));
  box<<<1, dim3(5, 4, 3)>>>(surface(a));
  p = {};
  p.srcArray = a, p.srcPos = make_cudaPos(1, 1, 1), p.dstPtr = make_cudaPitchedPtr(b_back.data(), 40, 5, 4), p.dstPos = make_cudaPos(8, 1, 1);
  p.extent = make_cudaExtent(4, 3, 2), p.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&p));
  bad = 0;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        const int i = (z * 4 + y) * 5 + x;
        const bool copied = x >= 1 && y >= 1 && z >= 1;
        bad += b_back[i].x != (copied ? 1.5f * i : 0) || b_back[i].y != (copied ? 0.5f * i : 0);
      }
  report("surface of a box", bad, 60);
  CHECK(cudaFreeArray(a));
}

// ---- what is refused

static void errors() {
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(), three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t a, b;
  CHECK(cudaMallocArray(&a, &one, 8, 8));
  float host[64] = {};
  cudaTextureObject_t t;
  cudaSurfaceObject_t s;
  cudaResourceDesc r = {};
  cudaTextureDesc d = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = a;
  const char* names[] = {"three channels", "no width", "beyond the row", "beyond the rows", "null", "another array", "surface of an array without the flag", "linear filter of whole numbers"};
  cudaArray_t whole;
  const cudaChannelFormatDesc number = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&whole, &number, 8, 8));
  cudaError_t e[8];
  e[0] = cudaMallocArray(&b, &three, 8, 8);
  e[1] = cudaMallocArray(&b, &one, 0, 8);
  e[2] = cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);
  e[3] = cudaMemcpy2DFromArray(host, 32, a, 0, 1, 32, 8, cudaMemcpyDeviceToHost);
  e[4] = cudaMallocArray(nullptr, &one, 8, 8);
  e[5] = cudaFreeArray((cudaArray_t)host);
  e[6] = cudaCreateSurfaceObject(&s, &r);
  r.res.array.array = whole, d.filterMode = cudaFilterModeLinear;
  e[7] = cudaCreateTextureObject(&t, &r, &d, nullptr);
  for (int i = 0; i < 8; ++i) std::printf("%s: %s\n", names[i], cudaGetErrorName(e[i]));
  (void)cudaGetLastError();
}

int main() {
  CHECK(cudaMallocManaged(&at, kN * sizeof(float4)));
  CHECK(cudaMallocManaged(&out, kN * sizeof(float)));
  filters();
  layers_and_cubes();
  levels();
  formats();
  surfaces();
  errors();
  std::printf("%s\n", failures == 0 ? "all ok" : "FAIL");
  return failures != 0;
}
