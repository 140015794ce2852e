"""Which family a kernel belongs to: the first rule that its function's name fits."""
import re

# Regular expressions, upper and lower case alike. `k_` and `h_` begin the names of the two suites.
FAMILIES = [
    ("attention", r"flash|fmha|sdpa|attention|attn"),
    ("convolution", r"fprop|dgrad|wgrad|conv(?!ert)|winograd|im2col|nchwToNhwc|nhwcToNchw"),
    ("GEMM with tensor copies", r"nvjet|sm90_xmma_gemm_(?!f64)|cutlass3x_sm90|enable_3x_kernel_for_sm9"),
    ("sparse, graphs", r"csr|coo_|bsr|sparse|spmv|spmm|sddmm|bfs|bsearch"),
    ("solvers", r"get[rq]f|potrf|getrs|potrs|trs[mv]|larf|syev|sytrd|gesv|laswp|cholesky|h_chol|h_inv4"),
    ("GEMM, other", r"gemm|gemv|matmul|_mm(_|$)|splitKreduce|_dot|k_dp4a|k_wgmma|h_imma|h_gru|cutlass"),
    ("random numbers", r"distribution_|curand|random|philox|dropout|gen_sequenced|generate_seed|threefry|montecarlo"),
    ("optimisers", r"multi_tensor|adam|sgd"),
    ("FFT", r"fft"),
    ("histograms, atomics", r"histogram1D|DeviceHistogram|k_hist|k_atomic|h_scatter"),
    ("sorts, scans", r"sort|scan|topk|select|partition|unique|merge|fill_reverse_indices|bitonic|h_radix|h_insert"),
    ("gathers, scatters", r"gather|scatter|embedding|index_|indexing|indexSelect"),
    ("normalisation, softmax", r"norm|softmax|RowwiseMoments|welford"),
    ("reductions", r"reduce|redux|argmax|nll_loss|triton_(red|per)_|k_vote"),
    ("stencils, pooling, images", r"stencil|jacobi|h_life|pool|upsample|interp"),
    ("copies, transpositions", r"transpose|trans64|copy|fill$|concat|triu|tril|cpasync"),
    ("elementwise", r"elementwise|pointwise|triton_poi_|loop_|wrapped_|fusion|transform|for_each|DeviceFor|vecadd|saxpy|blackscholes"),
    ("microbenchmarks", r"k_(stride|misalign|chase|l1_hit|l2_stream|local|bank|barrier|ffma|divergent|cluster|gridsync)|"
                        r"h_(named|ring|half)"),
    ("programs", r"k_(nbody|mandelbrot)|h_(queens|kmeans|hash)"),
]
OTHER = "other"
GENERIC = r"cutlass::|_kernel_agent"  # functions whose arguments say what they do


def function_name(kernel):
    """Without arguments, of templates either, and without what all names have."""
    name = re.sub(r"<unnamed>::|\(anonymous namespace\)::|^void ", "", kernel)
    return name if re.search(GENERIC, name) else re.split(r"[<(]", name, maxsplit=1)[0]


def family(kernel):
    name = function_name(kernel)
    return next((label for label, rule in FAMILIES if re.search(rule, name, re.IGNORECASE)), OTHER)
