"""Everything that a workload file can say, a Workload can: every call, field and value of the protobuf schema."""
import inspect
import re
import unittest

from google.protobuf import text_format

from frontends.workload import workload_pb2
from tests.python.harness import PythonTest, heddle

# What Python cannot say in a way of its own, and why. Workload.call() takes any call in the syntax of files.
NOT = {
    "Call.malloc": "malloc(), a buffer that is there, is what programs do; this takes the call's time only",
    "Call.free": "as Call.malloc",
    "Call.malloc_host": "as Call.malloc",
    "Call.free_host": "as Call.malloc",
    "QueuePut.count": "put() puts one item",
    "Workload.measured": "which GPU a profile is of: Workload.from_profile() says it of its profile, nobody else has one",
    "Measured.gpu": "as Workload.measured",
    "Measured.sms": "as Workload.measured",
}


def everything():
    """A program with each method of Workload, and each of its arguments; it need not make sense."""
    w = heddle.Workload("all", 2, {
        "implicit_sync": "GUIDE_12_4", "CUDA_LAUNCH_BLOCKING": "1", "per_thread_default_stream": True,
        "CUDA_DEVICE_MAX_CONNECTIONS": "8", "max_copy_connections": 4, "CUDA_SCALE_LAUNCH_QUEUES": "2",
        "schedule": "YIELD", "pageable_overlaps": False, "small_pinned_copies_return": True, "l2_reset_after_us": 5.0,
        "CUDA_MODULE_LOADING": "EAGER", "lazy_start": True, "lazy_children": True, "jitter": 7, "CUDA_VISIBLE_DEVICES": "1,0", "host_threads": 2,
        "CUDA_GRAPHS_USE_NODE_PRIORITY": "1"}, peer_access=False)
    domain = w.mem_sync_domain("remote", map_default=2, map_remote=3)
    s, t = w.stream("s", True, -1, 1, sync_domain=domain), w.stream_create("t", True, -1, 1)
    e, f = w.event("e", False, 1, blocking_sync=True), w.event_create("f")
    flag = w.flag()
    a, b = w.device(4096, "a", 1), w.pinned(4096)
    paged = w.pageable(4096)
    for memory in ("write_combined", "mapped"):
        w.buffer(4096, memory, trace_address=0x7f0000000000)
    w.buffer(None, data="zeros:f32:4", result="y.npy")
    m = w.managed(4096)
    pool = w.mem_pool("p", 1 << 20, 1)
    window = w.access_policy_window(a, 64, 0.5, hit="normal", miss="normal", offset=64)
    accesses = [w.access(a, mode, 4, 8, element_bytes=8, stride_bytes=16, alias_fence=True, after_call=1,
                         before_call=2, by_caller=True)
                for mode in ("read", "write", "read_write", "atomic")]
    h = w.conditional_handle("h", 1)
    k = w.kernel("k", (1, 2, 3), 32, block_us=1, cluster=1, registers=8, static_shared_bytes=1, dynamic_shared_bytes=1,
                 trigger_us=1, wait_us=1, until_flag=flag, sets_flag=flag, sets_handle=h, handle_value=[1, 0], reads=[a],
                 writes=[a], accesses=accesses, max_threads=64, cooperative=True, fails=True, non_portable_cluster=True,
                 needs_cluster=True, max_cluster_blocks=8, parameter_bytes=4, carveout_percent=50, polls_plainly=True,
                 grid_barrier=True, cdp1=True,
                 asserts=True)
    child = w.kernel("timed", us=1)
    for into in ("fire_and_forget", "tail"):
        w.device_launch(k, child, into, after_us=1, at_end=True, blocks=2, threads=2, times=2, levels=2, barrier=True,
                        passes_local=True, passes_shared=True)
    w.device_launch(k, child, stream="t", all_blocks=True)
    w.device_event_create(k, 2)
    w.device_event_record(k, "e", "t")
    w.device_stream_wait_event(k, "u", "e")
    w.device_kernel_synchronize(k)
    w.kernel("traced", trace="x.traceg")
    w.kernel("of a module", 1, 32, module="x.cubin", kernel="f", args=[1, "zeros:f32:8"])

    # streams, events, copies, the host
    w.launch(k, stream=s, priority=1, programmatic=True, cluster=1, programmatic_event=e, trigger_at_block_start=True,
             window=window, accesses=accesses, sync_domain=domain, grid=2, block=32, us=2, dynamic_shared_bytes=8,
             cooperative=True)
    w.launch(k, grid=2, block=32, stream=s, block_us=1)
    q = w.queue("q", capacity=4)
    q.put()
    q.get(max=8, timeout_us=5, give_up_us=9)
    q.close()
    w.now()
    w.sleep(1)
    w.sleep_until(1)
    for copy in (w.memcpy_async, w.memcpy):
        copy(a, b, 16, rows=2, to_offset=4, source_offset=4)
    w.memcpy_async(a, b, stream=s)
    w.memcpy_2d_async(a, 64, b, 32, 16, 4, s)
    w.memcpy_2d(a, 64, b, 32, 16, 4)
    w.launch_cooperative_kernel(k, 2, 32, s)
    w.stream_create_with_priority(-1, True)
    w.memset(a, 16, offset=4)
    w.memset_async(a, 16, s, offset=4)
    w.event_record(e, s, external=True)
    w.stream_wait_event(s, e, external=True)
    w.event_synchronize(e)
    w.event_query(e)
    w.event_elapsed_time(e, f)
    w.stream_synchronize(s)
    w.stream_query(s)
    w.device_synchronize()
    with w.repeat(2), w.expect("cudaErrorInvalidValue"):
        w.compute(1)
    w.launch_host_func(1, s, flag, calls_cuda=True)
    w.set_flag(flag)
    w.wait_flag(flag)
    w.clear_flag(flag)
    w.get_last_error()
    w.peek_at_last_error()
    w.set_device(1)
    w.get_device_count()
    w.device_get_stream_priority_range()
    w.device_get_pci_bus_id(1)
    w.func_get_attributes(k)

    # memory
    d = w.malloc(4096)
    w.malloc_host(4096)
    w.host_register(paged)
    w.host_unregister(paged)
    w.malloc_managed(4096)
    w.free(d)
    d = w.malloc_async(4096, s, pool)
    w.free_async(d, s)
    w.mem_get_info()
    w.host_access([a], [a], accesses)
    for attribute in ("release_threshold", "follow_event_dependencies", "allow_opportunistic", "allow_internal_dependencies"):
        w.mem_pool_set_attribute(pool, attribute, 1)
    w.mem_pool_set_access(pool, 1, False)
    w.mem_pool_trim_to(pool, 4)
    w.mem_pool_stats(pool)
    w.mem_pool_reset_high(pool)
    w.mem_prefetch_async(m, 1, s, 4, 8)
    for advice in ("set_read_mostly", "unset_read_mostly", "set_preferred_location", "unset_preferred_location",
                   "set_accessed_by", "unset_accessed_by"):
        w.mem_advise(m, advice, 1)
    w.mem_range_attributes(m)
    for to in ("global", "host", "single"):
        w.stream_attach_mem_async(s, m, to)
    w.device_set_limit("persisting_l2_bytes", 1 << 20)
    w.device_set_limit("dev_runtime_pending_launch_count", 64)
    w.device_set_limit("dev_runtime_sync_depth", 3)
    w.device_get_limit("persisting_l2_bytes")
    w.stream_set_access_policy_window(s, w.access_policy_window(a))
    w.ctx_reset_persisting_l2_cache()

    # virtual memory management
    w.mem_get_allocation_granularity(1)
    p = w.mem_create(2 << 20, 1)
    va = w.mem_address_reserve(4 << 20)
    w.mem_map(va, p, 2 << 20, 2 << 20, 4)
    for protection in ("none", "read", "read_write"):
        w.mem_set_access(va, 1, protection, 2 << 20, 2 << 20)
    w.mem_unmap(va, 2 << 20, 2 << 20)
    w.mem_address_free(va, 4 << 20)
    w.mem_release(p)
    w.multicast_create(2, 2 << 20)

    # graphs
    g, body, later = w.graph_create("g", 1), w.graph_create(), w.graph_create()
    first = w.graph_add_kernel_node(g, k, priority=1, window=window, sync_domain=domain)
    second = w.graph_add_kernel_node(g, k, [(first, "programmatic")])
    w.graph_add_kernel_node(g, k, [(first, "launch_completion"), second])
    w.graph_add_memcpy_node(g, a, b, 16, [first], rows=2, to_offset=4, source_offset=4)
    w.graph_add_memset_node(g, a, 16, offset=4)
    w.graph_clone(g)
    host = w.graph_add_host_node(g, 1, sets_flag=flag)
    w.graph_add_empty_node(g)
    w.graph_add_event_record_node(g, e)
    w.graph_add_event_wait_node(g, e)
    w.graph_add_child_graph_node(g, body)
    for kind in ("if", "while", "switch"):
        w.graph_add_conditional_node(g, h, kind, [body])
    alloc, buffer = w.graph_add_mem_alloc_node(g, 4096, access_devices=[1])
    w.graph_add_mem_free_node(g, buffer, [alloc])
    for mode in ("global", "thread_local", "relaxed"):
        w.stream_begin_capture(s, mode, later)
    w.stream_get_capture_info(s)
    w.stream_get_capture_info(s, edge_data=False)
    w.stream_end_capture(s, later)
    w.graph_get_edges(g, False)
    x = w.graph_instantiate(g, w.graph_exec(), use_node_priority=True, auto_free_on_launch=True, device_launch=True)
    for into in ("fire_and_forget", "tail", "sibling"):
        w.device_graph_launch(k, x, into, after_us=1, times=2, executions=1)
    w.graph_launch(x, s)
    w.graph_upload(x, s)
    w.graph_exec_update(x, g)
    w.graph_exec_node_set_params(x, first, kernel=k)
    w.graph_exec_node_set_params(x, host, host_us=1, sets_flag=flag, calls_cuda=True)
    w.graph_node_set_params(first, kernel=k)
    w.graph_node_set_enabled(x, w.graph_get_node(later, 0), False)
    w.graph_mem_alloc_node_get_params(alloc)
    w.device_graph_mem_trim()
    w.device_get_graph_mem_attribute()
    w.device_graph_mem_reset_high()
    w.graph_exec_destroy(x)
    w.graph_destroy(g)
    w.event_destroy(f)
    w.stream_destroy(t)
    return w


# Of enumerations that each workload has one value of: those that the program above does not have.
OTHERS = [heddle.Workload(environment={"schedule": "BLOCKING_SYNC"})]


def said(message, out):
    """The names of fields that are set, and of the values of enumerations, at any depth."""
    for field, value in message.ListFields():
        out.add(f"{message.DESCRIPTOR.name}.{field.name}")
        for v in value if field.label == field.LABEL_REPEATED else [value]:
            if field.message_type:
                said(v, out)
            elif field.enum_type:
                out.add(f"{field.enum_type.full_name.split('.', 3)[3]}.{field.enum_type.values_by_number[v].name}")
    return out


def sayable(descriptor, out, seen):
    if descriptor.full_name in seen:
        return out
    seen.add(descriptor.full_name)
    for field in descriptor.fields:
        out.add(f"{descriptor.name}.{field.name}")
        if field.message_type:
            sayable(field.message_type, out, seen)
        elif field.enum_type:
            # the default need not be said
            out.update(f"{field.enum_type.full_name.split('.', 3)[3]}.{v.name}" for v in field.enum_type.values
                       if v.number != field.default_value)
    return out


def python_says():
    out = set()
    for w in [everything(), *OTHERS]:
        said(text_format.Parse(w.text(), workload_pb2.Workload()), out)
    return out


class Coverage(PythonTest):
    def test_python_says_all_that_files_can(self):
        missing = sayable(workload_pb2.Workload.DESCRIPTOR, set(), set()) - python_says() - set(NOT)
        self.assertEqual(sorted(missing), [], "give heddle.Workload a method or argument for these, and use it above")

    def test_the_list_of_what_is_missing_is_up_to_date(self):
        known = sayable(workload_pb2.Workload.DESCRIPTOR, set(), set())
        self.assertLessEqual(set(NOT), known)
        self.assertEqual(set(NOT) & python_says(), set())

    def test_rules_that_methods_name_are_rules(self):
        with open("sim/host/COVERAGE.md", encoding="utf-8") as f:
            rules = set(re.findall(r"(?m)^\| ([A-Z]+\d+) \|", f.read()))
        named = set()
        for name in dir(heddle.Workload):
            doc = inspect.getdoc(getattr(heddle.Workload, name)) or ""
            named |= set(re.findall(r"\b[A-Z]{1,2}\d\d\b", doc)) if not name.startswith("_") else set()
        self.assertGreater(len(named), 60)
        self.assertEqual(sorted(named - rules), [])

    def test_every_method_is_used(self):
        used = set()

        class Spy(heddle.Workload):
            def __getattribute__(self, name):
                used.add(name)
                return super().__getattribute__(name)

        plain, heddle.Workload = heddle.Workload, Spy
        try:
            everything().text()
        finally:
            heddle.Workload = plain
        methods = {n for n in dir(plain) if not n.startswith("_") and callable(getattr(plain, n))}
        self.assertEqual(sorted(methods - used - {"call"}), ["from_profile", "save", "thread"])


if __name__ == "__main__":
    unittest.main()
