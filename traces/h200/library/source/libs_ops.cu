// cuBLAS, cuBLASLt, cuSPARSE, cuFFT, cuRAND, cuSOLVER.
// nvcc -std=c++17 -O3 -arch=sm_90a libs_ops.cu -o libs_ops -lcublas -lcublasLt -lcusparse -lcufft -lcurand -lcusolver
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <memory>

#include "device_ops.h"

namespace {

template <class T>
std::shared_ptr<Vector<T>> numbers(size_t n, unsigned range = 1000, double by = 500) {
  return std::make_shared<Vector<T>>(random_vector<T>(n, range, by));
}
std::shared_ptr<Vector<char>> bytes(size_t n) { return std::make_shared<Vector<char>>(n); }

void blas(Ops& ops) {
  cublasHandle_t h;
  check(cublasCreate(&h));
  static const float one = 1, zero = 0;
  static const double d1 = 1, d0 = 0;
  static const cuComplex c1 = {1, 0}, c0 = {0, 0};
  auto a = numbers<float>(1 << 20), b = numbers<float>(1 << 20), c = numbers<float>(1 << 20);
  auto da = numbers<double>(1 << 18), db = numbers<double>(1 << 18), dc = numbers<double>(1 << 18);
  for (int i = 0; i < 512; ++i) {  // well conditioned triangles
    (*a)[i * 513] = 600;
  }
  const auto add = [&](const char* name, std::function<int()> f) {
    ops.add(name, [=] { return [=] { (void)a, (void)b, (void)c, (void)da, (void)db, (void)dc; check(f()); }; });
  };
  float *pa = raw(*a), *pb = raw(*b), *pc = raw(*c);
  double *qa = raw(*da), *qb = raw(*db), *qc = raw(*dc);
  auto *ca = reinterpret_cast<cuComplex*>(pa), *cb = reinterpret_cast<cuComplex*>(pb), *cc = reinterpret_cast<cuComplex*>(pc);
  add("cublas_sgemv", [=] { return cublasSgemv(h, CUBLAS_OP_N, 1024, 1000, &one, pa, 1024, pb, 1, &zero, pc, 1); });
  add("cublas_sgemv_t", [=] { return cublasSgemv(h, CUBLAS_OP_T, 1024, 1000, &one, pa, 1024, pb, 1, &zero, pc, 1); });
  add("cublas_dgemv", [=] { return cublasDgemv(h, CUBLAS_OP_N, 512, 500, &d1, qa, 512, qb, 1, &d0, qc, 1); });
  add("cublas_sger", [=] { return cublasSger(h, 900, 1000, &one, pa, 1, pb, 1, pc, 1024); });
  add("cublas_saxpy", [=] { return cublasSaxpy(h, 1 << 20, &one, pa, 1, pc, 1); });
  add("cublas_sscal_strided", [=] { return cublasSscal(h, 1 << 18, &one, pc, 3); });
  add("cublas_dnrm2", [=] { double r; return cublasDnrm2(h, 1 << 18, qa, 1, &r); });
  add("cublas_isamax", [=] { int r; return cublasIsamax(h, 1 << 20, pa, 1, &r); });
  add("cublas_sdot", [=] { float r; return cublasSdot(h, 1 << 20, pa, 1, pb, 1, &r); });
  add("cublas_srot", [=] { float x = 0.6f, y = 0.8f; return cublasSrot(h, 1 << 18, pb, 1, pc, 1, &x, &y); });
  add("cublas_ssymm", [=] { return cublasSsymm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 256, 200, &one, pa, 512, pb, 512, &zero, pc, 512); });
  add("cublas_ssyrk", [=] { return cublasSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 300, 256, &one, pa, 512, &zero, pc, 512); });
  add("cublas_strsm", [=] { return cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 256, 64, &zero, pa, 512, pc, 512); });
  add("cublas_strsv", [=] { return cublasStrsv(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 256, pa, 512, pc, 1); });
  add("cublas_strmm", [=] { return cublasStrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 256, 128, &one, pa, 512, pb, 512, pc, 512); });
  add("cublas_sgeam", [=] { return cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, 700, 900, &one, pa, 900, &one, pb, 700, pc, 700); });
  add("cublas_sdgmm", [=] { return cublasSdgmm(h, CUBLAS_SIDE_RIGHT, 1000, 500, pa, 1000, pb, 1, pc, 1000); });
  add("cublas_cgemm", [=] { return cublasCgemm(h, CUBLAS_OP_C, CUBLAS_OP_N, 128, 160, 192, &c1, ca, 200, cb, 200, &c0, cc, 128); });
  add("cublas_cgemm_3m", [=] { return cublasCgemm3m(h, CUBLAS_OP_N, CUBLAS_OP_N, 192, 192, 128, &c1, ca, 192, cb, 128, &c0, cc, 192); });
  add("cublas_dgemm_nt", [=] { return cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_T, 192, 320, 256, &d1, qa, 192, qb, 320, &d0, qc, 192); });
  add("cublas_sgemm_tt", [=] { return cublasSgemm(h, CUBLAS_OP_T, CUBLAS_OP_T, 300, 200, 500, &one, pa, 500, pb, 200, &zero, pc, 300); });
  add("cublas_sgemm_strided_batch", [=] {
    return cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 40, 24, 56, &one, pa, 40, 40 * 56, pb, 56, 56 * 24, &zero, pc, 40, 40 * 24, 100);
  });
  add("cublas_sgemv_batch", [=] { return cublasSgemvStridedBatched(h, CUBLAS_OP_T, 96, 80, &one, pa, 96, 96 * 80, pb, 1, 96, &zero, pc, 1, 80, 100); });
}

template <class T>
void lt_product(Ops& ops, const char* name, cudaDataType_t type, cublasLtEpilogue_t epilogue, int m, int n, int k) {
  ops.add(name, [=]() -> std::function<void()> {
    cublasLtHandle_t h;
    check(cublasLtCreate(&h));
    auto a = std::make_shared<Vector<T>>(static_cast<size_t>(m) * k), b = std::make_shared<Vector<T>>(static_cast<size_t>(k) * n);
    auto c = std::make_shared<Vector<__nv_bfloat16>>(static_cast<size_t>(m) * n), bias = std::make_shared<Vector<__nv_bfloat16>>(m);
    auto space = bytes(32 << 20);
    cublasLtMatmulDesc_t d;
    check(cublasLtMatmulDescCreate(&d, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t t = CUBLAS_OP_T;
    check(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_TRANSA, &t, sizeof t));
    check(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    const void* p = raw(*bias);
    check(cublasLtMatmulDescSetAttribute(d, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p, sizeof p));
    cublasLtMatrixLayout_t la, lb, lc;
    check(cublasLtMatrixLayoutCreate(&la, type, k, m, k));
    check(cublasLtMatrixLayoutCreate(&lb, type, k, n, k));
    check(cublasLtMatrixLayoutCreate(&lc, CUDA_R_16BF, m, n, m));
    cublasLtMatmulPreference_t preference;
    check(cublasLtMatmulPreferenceCreate(&preference));
    const size_t most = 32 << 20;
    check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    check(cublasLtMatmulAlgoGetHeuristic(h, d, la, lb, lc, lc, preference, 1, &found, &count));
    if (count == 0) {
      throw std::runtime_error("no algorithm");
    }
    return [=] {
      const float one = 1, zero = 0;
      (void)bias;
      check(cublasLtMatmul(h, d, &one, raw(*a), la, raw(*b), lb, &zero, raw(*c), lc, raw(*c), lc, &found.algo, raw(*space), most, nullptr));
    };
  });
}

struct Csr {
  std::shared_ptr<Vector<int>> rows, columns;
  std::shared_ptr<Vector<float>> values;
  int n, count;
};

Csr sparse(int n, int least, int more) {
  std::vector<int> rows(1, 0), columns;
  for (int i = 0; i < n; ++i) {
    const int here = least + static_cast<int>(Random{static_cast<unsigned>(more + 1)}(i));
    for (int j = 0; j < here; ++j) {
      columns.push_back(static_cast<int>((Random{static_cast<unsigned>(n / here)}(i * 131 + j) + static_cast<long long>(j) * (n / here)) % n));
    }
    rows.push_back(static_cast<int>(columns.size()));
  }
  const int count = static_cast<int>(columns.size());
  return {std::make_shared<Vector<int>>(rows.begin(), rows.end()), std::make_shared<Vector<int>>(columns.begin(), columns.end()), numbers<float>(count), n, count};
}

void sparse_ops(Ops& ops) {
  cusparseHandle_t h;
  check(cusparseCreate(&h));
  static const float one = 1, zero = 0;
  const auto matrix = [](const Csr& s) {
    cusparseSpMatDescr_t m;
    check(cusparseCreateCsr(&m, s.n, s.n, s.count, raw(*s.rows), raw(*s.columns), raw(*s.values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    return m;
  };
  const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE, t = CUSPARSE_OPERATION_TRANSPOSE;
  for (const auto& [name, op, algorithm] : {std::tuple{"cusparse_spmv", n, CUSPARSE_SPMV_CSR_ALG1}, {"cusparse_spmv_alg2", n, CUSPARSE_SPMV_CSR_ALG2}, {"cusparse_spmv_t", t, CUSPARSE_SPMV_CSR_ALG1}}) {
    ops.add(name, [=, op = op, algorithm = algorithm]() -> std::function<void()> {
      const Csr s = sparse(20000, 2, 20);
      auto x = numbers<float>(s.n), y = numbers<float>(s.n);
      const auto m = matrix(s);
      cusparseDnVecDescr_t vx, vy;
      check(cusparseCreateDnVec(&vx, s.n, raw(*x), CUDA_R_32F));
      check(cusparseCreateDnVec(&vy, s.n, raw(*y), CUDA_R_32F));
      size_t need = 0;
      check(cusparseSpMV_bufferSize(h, op, &one, m, vx, &zero, vy, CUDA_R_32F, algorithm, &need));
      auto space = bytes(need + 1);
      return [=] { (void)s, (void)x, (void)y; check(cusparseSpMV(h, op, &one, m, vx, &zero, vy, CUDA_R_32F, algorithm, raw(*space))); };
    });
  }
  for (const auto& [name, algorithm, columns] : {std::tuple{"cusparse_spmm_alg1", CUSPARSE_SPMM_CSR_ALG1, 24}, {"cusparse_spmm_alg2", CUSPARSE_SPMM_CSR_ALG2, 32}, {"cusparse_spmm_alg3", CUSPARSE_SPMM_CSR_ALG3, 32}}) {
    ops.add(name, [=, algorithm = algorithm, columns = columns]() -> std::function<void()> {
      const Csr s = sparse(4000, 5, 30);
      auto x = numbers<float>(s.n * columns), y = numbers<float>(s.n * columns);
      const auto m = matrix(s);
      cusparseDnMatDescr_t vx, vy;
      check(cusparseCreateDnMat(&vx, s.n, columns, columns, raw(*x), CUDA_R_32F, CUSPARSE_ORDER_ROW));
      check(cusparseCreateDnMat(&vy, s.n, columns, columns, raw(*y), CUDA_R_32F, CUSPARSE_ORDER_ROW));
      size_t need = 0;
      check(cusparseSpMM_bufferSize(h, n, n, &one, m, vx, &zero, vy, CUDA_R_32F, algorithm, &need));
      auto space = bytes(need + 1);
      return [=] { (void)s, (void)x, (void)y; check(cusparseSpMM(h, n, n, &one, m, vx, &zero, vy, CUDA_R_32F, algorithm, raw(*space))); };
    });
  }
}

void transforms(Ops& ops) {
  for (const auto& [name, size, batch, type] : {std::tuple{"cufft_c2c_256", 256, 512, CUFFT_C2C}, {"cufft_c2c_729", 729, 100, CUFFT_C2C}, {"cufft_c2c_1201", 1201, 40, CUFFT_C2C}, {"cufft_r2c_4096", 4096, 64, CUFFT_R2C},
                                                {"cufft_c2r_2048", 2048, 64, CUFFT_C2R}, {"cufft_z2z_512", 512, 128, CUFFT_Z2Z}, {"cufft_c2c_131072", 131072, 2, CUFFT_C2C}, {"cufft_c2c_1920", 1920, 50, CUFFT_C2C}}) {
    ops.add(name, [=, size = size, batch = batch, type = type]() -> std::function<void()> {
      auto x = numbers<double>(2 * (size + 2) * batch), y = numbers<double>(2 * (size + 2) * batch);
      cufftHandle p;
      check(cufftPlan1d(&p, size, type, batch));
      return [=] {
        void *from = raw(*x), *to = raw(*y);
        check(type == CUFFT_C2C   ? cufftExecC2C(p, static_cast<cufftComplex*>(from), static_cast<cufftComplex*>(to), CUFFT_FORWARD)
              : type == CUFFT_R2C ? cufftExecR2C(p, static_cast<cufftReal*>(from), static_cast<cufftComplex*>(to))
              : type == CUFFT_C2R ? cufftExecC2R(p, static_cast<cufftComplex*>(from), static_cast<cufftReal*>(to))
                                  : cufftExecZ2Z(p, static_cast<cufftDoubleComplex*>(from), static_cast<cufftDoubleComplex*>(to), CUFFT_FORWARD));
      };
    });
  }
  ops.add("cufft_2d_300x200", []() -> std::function<void()> {
    auto x = numbers<float>(2 * 300 * 200);
    cufftHandle p;
    check(cufftPlan2d(&p, 300, 200, CUFFT_C2C));
    return [=] { check(cufftExecC2C(p, reinterpret_cast<cufftComplex*>(raw(*x)), reinterpret_cast<cufftComplex*>(raw(*x)), CUFFT_INVERSE)); };
  });
}

void random_numbers(Ops& ops) {
  for (const auto& [name, type] : {std::pair{"curand_xorwow", CURAND_RNG_PSEUDO_XORWOW}, {"curand_mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A}, {"curand_mtgp32", CURAND_RNG_PSEUDO_MTGP32}, {"curand_mt19937", CURAND_RNG_PSEUDO_MT19937},
                                   {"curand_philox", CURAND_RNG_PSEUDO_PHILOX4_32_10}, {"curand_sobol", CURAND_RNG_QUASI_SOBOL32}, {"curand_scrambled_sobol64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}}) {
    ops.add(name, [type = type]() -> std::function<void()> {
      curandGenerator_t g;
      check(curandCreateGenerator(&g, type));
      auto x = std::make_shared<Vector<float>>(1 << 18);
      return [=] { check(curandGenerateNormal(g, raw(*x), 1 << 18, 0, 1)); };
    });
  }
  ops.add("curand_uniform_double", []() -> std::function<void()> {
    curandGenerator_t g;
    check(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    auto x = std::make_shared<Vector<double>>(1 << 18);
    return [=] { check(curandGenerateUniformDouble(g, raw(*x), 1 << 18)); };
  });
  ops.add("curand_poisson", []() -> std::function<void()> {
    curandGenerator_t g;
    check(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    auto x = std::make_shared<Vector<unsigned>>(1 << 17);
    return [=] { check(curandGeneratePoisson(g, raw(*x), 1 << 17, 4.5)); };
  });
}

void solver(Ops& ops) {
  cusolverDnHandle_t h;
  check(cusolverDnCreate(&h));
  auto info = std::make_shared<Vector<int>>(64);
  ops.add("cusolver_potrf", [=]() -> std::function<void()> {
    constexpr int n = 200;
    auto a = numbers<float>(n * n), b = std::make_shared<Vector<float>>(n * n);
    for (int i = 0; i < n; ++i) {
      (*a)[i * (n + 1)] = 1000;
    }
    int need = 0;
    check(cusolverDnSpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, n, raw(*b), n, &need));
    auto space = std::make_shared<Vector<float>>(need + 1);
    return [=] {
      cudaMemcpy(raw(*b), raw(*a), n * n * sizeof(float), cudaMemcpyDeviceToDevice);
      check(cusolverDnSpotrf(h, CUBLAS_FILL_MODE_LOWER, n, raw(*b), n, raw(*space), need, raw(*info)));
    };
  });
  ops.add("cusolver_geqrf", [=]() -> std::function<void()> {
    constexpr int m = 192, n = 48;
    auto a = numbers<double>(m * n), tau = numbers<double>(n);
    int need = 0;
    check(cusolverDnDgeqrf_bufferSize(h, m, n, raw(*a), m, &need));
    auto space = std::make_shared<Vector<double>>(need + 1);
    return [=] { check(cusolverDnDgeqrf(h, m, n, raw(*a), m, raw(*tau), raw(*space), need, raw(*info))); };
  });
}

}  // namespace

int main(int argc, char** argv) {
  Ops ops(argc, argv);
  lt_product<__nv_bfloat16>(ops, "cublaslt_bf16_bias_gelu", CUDA_R_16BF, CUBLASLT_EPILOGUE_GELU_BIAS, 512, 768, 512);
  lt_product<__nv_bfloat16>(ops, "cublaslt_bf16_relu_bias", CUDA_R_16BF, CUBLASLT_EPILOGUE_RELU_BIAS, 1000, 120, 1024);
  lt_product<__nv_fp8_e4m3>(ops, "cublaslt_fp8_bias", CUDA_R_8F_E4M3, CUBLASLT_EPILOGUE_BIAS, 768, 512, 1024);
  blas(ops);
  random_numbers(ops);
  transforms(ops);
  sparse_ops(ops);
  solver(ops);
}
