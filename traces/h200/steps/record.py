"""Training steps of PyTorch models on the GPU: their measured times, and their profiles for heddle.Workload.from_profile.

    python3 record.py FOLDER

Writes FOLDER/MODEL_{graph,eager}.json.xz, what torch.profiler recorded of one step (events of CUDA only), and FOLDER/steps.csv:
model, way, milliseconds of a step without the profiler (median and smallest of 30, host clock, synchronized at the end of
each), kernels. Weights and data are random. `graph`: the whole step, optimizer included, in one captured CUDA graph."""
import json
import lzma
import os
import statistics
import sys
import tempfile
import time

import torch

OUT = sys.argv[1]
KEPT = ("cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "gpu_memset")
torch.manual_seed(0)
torch.backends.cudnn.benchmark = False


def resnet():
    import torchvision
    model = torchvision.models.resnet50(weights=None).cuda().to(memory_format=torch.channels_last)
    x = torch.randn(32, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
    y = torch.randint(0, 1000, (32,), device="cuda")
    return model, torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), lambda: torch.nn.functional.cross_entropy(model(x), y)


def bert():
    import transformers
    model = transformers.BertForMaskedLM(transformers.BertConfig(attn_implementation="sdpa")).cuda()
    ids = torch.randint(0, 30000, (8, 128), device="cuda")
    return model, torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True), lambda: model(input_ids=ids, labels=ids).loss


def gpt2():
    import transformers
    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=6, attn_implementation="sdpa", use_cache=False)).cuda()
    ids = torch.randint(0, 50000, (4, 512), device="cuda")
    return model, torch.optim.Adam(model.parameters(), lr=1e-4, foreach=True, capturable=True), lambda: model(input_ids=ids, labels=ids).loss


def times(step):
    out = []
    for _ in range(30):
        torch.cuda.synchronize()
        t = time.perf_counter()
        step()
        torch.cuda.synchronize()
        out.append((time.perf_counter() - t) * 1e3)
    return out


def record(name, way, step, rows):
    for _ in range(5):
        step()
    ms = times(step)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as p:
        step()
        torch.cuda.synchronize()
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        p.export_chrome_trace(f.name)
        events = json.load(open(f.name))["traceEvents"]
    kept = [e for e in events if e.get("cat") in KEPT and e.get("ph") == "X"]
    with lzma.open(os.path.join(OUT, f"{name}_{way}.json.xz"), "wt") as f:
        json.dump({"traceEvents": kept}, f)
    kernels = sum(e["cat"] == "kernel" for e in kept)
    rows.append(f"{name},{way},{statistics.median(ms):.4f},{min(ms):.4f},{kernels}")
    print(rows[-1], flush=True)


def main():
    rows = ["model,way,median_ms,min_ms,kernels"]
    for make in (resnet, bert, gpt2):
        model, optimizer, loss_of = make()

        def step():
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = loss_of()
            loss.backward()
            optimizer.step()

        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(4):
                step()
        torch.cuda.current_stream().wait_stream(stream)
        try:
            record(make.__name__, "eager", step, rows)
            graph = torch.cuda.CUDAGraph()
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph):
                step()
            record(make.__name__, "graph", graph.replay, rows)
        except Exception as e:  # the other models' are wanted all the same
            print(f"{make.__name__}: {e}", flush=True)
        open(os.path.join(OUT, "steps.csv"), "w").write("\n".join(rows) + "\n")


main()
