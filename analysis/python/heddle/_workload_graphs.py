"""Graphs of a Workload: definition, capture, instantiation, updates, launches from host and device."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

from heddle._workload_base import (AccessPolicyWindow, Base, Handle, Lines, MemSyncDomain, Word, fields, message, text_of,
                                    word)
from heddle.errors import Error

CAPTURE_MODES = ("global", "thread_local", "relaxed")
CONDITIONS = ("if", "while", "switch")
INTO = ("fire_and_forget", "tail", "sibling")
EDGES = {"programmatic": "from_port: PROGRAMMATIC_PORT type: PROGRAMMATIC",
         "launch_completion": "from_port: LAUNCH_COMPLETION type: PROGRAMMATIC"}
Edge = Union[Handle, Tuple[Handle, str]]
Edges = Union[Edge, Sequence[Edge]]


class GraphCalls(Base):
    """Graphs and the calls about them."""

    # ---- definition

    def graph_create(self, name: str = "", device: int = 0) -> Handle:
        """cudaGraphCreate: a graph without nodes. Graphs are defined before the program starts and cost it nothing (GR01).

        Args:
            name: "graph1", ... if empty.
            device: of its kernels and memsets.

        Returns:
            What graph_add_..._node and graph_instantiate take.
        """
        return self._new("graph", name, fields(device=device or None))

    def _node_name(self, graph: Handle, name: str) -> str:
        """The name, with a number behind it if the graph has it already."""
        same = 1
        while ("node", f"{graph.name}\n{name}{f' {same}' if same > 1 else ''}") in self._handles:
            same += 1
        return f"{name} {same}" if same > 1 else name

    def _node(self, graph: Handle, what: str, after: Edges, name: str, otherwise: str) -> Handle:
        texts = self._growing("graph", self._is("graph", graph).name)
        name = name or self._node_name(graph, otherwise)
        key = ("node", f"{graph.name}\n{name}")
        if key in self._handles:
            raise Error(f'node "{name}" of graph "{graph.name}" is given twice')
        edges = []
        one = isinstance(after, Handle) or (isinstance(after, tuple) and len(after) == 2 and isinstance(after[1], str))
        for edge in [after] if one else after:
            first, kind = edge if isinstance(edge, tuple) else (edge, "")
            self._is_node(first, graph)
            if kind and kind not in EDGES:
                raise Error(f"an edge {kind!r}; legal values: {', '.join(EDGES)}")
            edges.append(f" edge {{ from: {text_of(first.name)} {EDGES[kind]} }}" if kind else
                         f" after: {text_of(first.name)}")
        texts.append(Lines.at(f"node {{ name: {text_of(name)} {what}{''.join(edges)} }}"))
        node = self._handles[key] = Handle("node", name, graph.name)
        return node

    def _is_node(self, node, graph: Optional[Handle] = None) -> Handle:
        if (not isinstance(node, Handle) or self._handles.get(("node", f"{node.graph}\n{node.name}")) is not node or
                (graph is not None and node.graph != graph.name)):
            raise Error(f"{node!r} is no node of " + (f'graph "{graph.name}"' if graph else "this workload"))
        return node

    def _node_text(self, *, kernel=None, memcpy=None, memset=None, host_us=None, sets_flag=None, calls_cuda=None,
                   event_record=None, event_wait=None, child=None, priority=None, window=None,
                   sync_domain=None) -> str:
        """What a node does, in protobuf text."""
        what = []
        if kernel is not None:
            what.append(fields(kernel=self._is("kernel", kernel)))
        if memcpy is not None:
            to, source, bytes, rows, to_offset, from_offset = [*memcpy, None, None, None, None][:6]
            what.append(message("memcpy", fields(**{"to": self._is("buffer", to), "from": self._is("buffer", source),
                                                    "bytes": bytes, "rows": rows, "to_offset": to_offset or None,
                                                    "from_offset": from_offset or None})))
        if memset is not None:
            to, bytes, offset = [*memset, None, None][:3] if isinstance(memset, (tuple, list)) else (memset, None, None)
            what.append(message("memset", fields(to=self._is("buffer", to), bytes=bytes, offset=offset or None)))
        if host_us is not None:
            what.append(message("host", fields(us=host_us, sets_flag=self._is("flag", sets_flag, True),
                                               calls_cuda=calls_cuda)))
        if event_record is not None:
            what.append(fields(event_record=self._is("event", event_record)))
        if event_wait is not None:
            what.append(fields(event_wait=self._is("event", event_wait)))
        if child is not None:
            what.append(fields(child=self._is("graph", child)))
        if len(what) != 1:
            raise Error("a node's parameters are one of kernel, memcpy, memset, host_us, event_record, event_wait, child")
        return " ".join(t for t in (what[0], fields(priority=priority), self._window(window),
                                 self._domain(sync_domain)) if t)

    def graph_add_kernel_node(self, graph: Handle, kernel: Handle, after: Edges = (), name: str = "", *,
                              priority: Optional[int] = None, window: Optional[AccessPolicyWindow] = None,
                              sync_domain: Optional[MemSyncDomain] = None) -> Handle:
        """cudaGraphAddKernelNode (GR03, GR05, GR25, PD09).

        Args:
            graph: the graph.
            kernel: of this workload.
            after: the node or nodes that it waits for. Of a kernel node also (node, "programmatic"): until all its blocks have
                triggered; (node, "launch_completion"): have started (cudaGraphEdgeData).
            name: the kernel's if empty, with a number behind it for a second one.
            priority: cudaLaunchAttributePriority; counts if the instantiation says so.
            window: what the L2 keeps while it runs.
            sync_domain: of mem_sync_domain().

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(kernel=kernel, priority=priority, window=window, sync_domain=sync_domain), after,
                          name, kernel.name)

    def graph_add_memcpy_node(self, graph: Handle, to: Handle, source: Handle, bytes: Optional[int] = None,
                              after: Edges = (), name: str = "", *, rows: Optional[int] = None, to_offset: int = 0,
                              source_offset: int = 0) -> Handle:
        """cudaGraphAddMemcpyNode.

        Args:
            graph: the graph.
            to, source: buffers.
            bytes: None: the smaller one's.
            after: the node or nodes that it waits for.
            name: "memcpy", "memcpy 2", ... if empty.
            rows: contiguous pieces that the bytes come in.
            to_offset, source_offset: where in the buffers, in bytes.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(memcpy=(to, source, bytes, rows, to_offset, source_offset)), after, name, "memcpy")

    def graph_add_memset_node(self, graph: Handle, to: Handle, bytes: Optional[int] = None, after: Edges = (),
                              name: str = "", *, offset: int = 0) -> Handle:
        """cudaGraphAddMemsetNode.

        Args:
            graph: the graph.
            to: the buffer.
            bytes: None: all.
            after: the node or nodes that it waits for.
            name: "memset", ... if empty.
            offset: where in the buffer, in bytes.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(memset=(to, bytes, offset)), after, name, "memset")

    def graph_add_host_node(self, graph: Handle, us: float = 0, after: Edges = (), name: str = "", *,
                            sets_flag: Optional[Handle] = None) -> Handle:
        """cudaGraphAddHostNode.

        Args:
            graph: the graph.
            us: the function's time.
            after: the node or nodes that it waits for.
            name: "host", ... if empty.
            sets_flag: what it sets at its end.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(host_us=us, sets_flag=sets_flag), after, name, "host")

    def graph_add_empty_node(self, graph: Handle, after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddEmptyNode.

        Args:
            graph: the graph.
            after: the node or nodes that it waits for.
            name: "empty", ... if empty.

        Returns:
            The node.
        """
        return self._node(graph, "empty: true", after, name, "empty")

    def graph_add_event_record_node(self, graph: Handle, event: Handle, after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddEventRecordNode.

        Args:
            graph: the graph.
            event: the event.
            after: the node or nodes that it waits for.
            name: "event record", ... if empty.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(event_record=event), after, name, "event record")

    def graph_add_event_wait_node(self, graph: Handle, event: Handle, after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddEventWaitNode.

        Args:
            graph: the graph.
            event: the event.
            after: the node or nodes that it waits for.
            name: "event wait", ... if empty.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(event_wait=event), after, name, "event wait")

    def graph_add_child_graph_node(self, graph: Handle, child: Handle, after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddChildGraphNode (GR27).

        Args:
            graph: the graph.
            child: another graph.
            after: the node or nodes that it waits for.
            name: the child's if empty.

        Returns:
            The node.
        """
        return self._node(graph, self._node_text(child=child), after, name, child.name)

    def conditional_handle(self, name: str = "", default: Optional[int] = None) -> Handle:
        """cudaGraphConditionalHandleCreate. Kernels set it: kernel(sets_handle=..., handle_value=...) (GC02, GC03).

        Args:
            name: "handle1", ... if empty.
            default: its value when an execution starts; None: undefined, here 0.

        Returns:
            What graph_add_conditional_node takes.
        """
        return self._new("handle", name, fields(default=default))

    def graph_add_conditional_node(self, graph: Handle, handle: Handle, kind: str, bodies: Sequence[Handle],
                                   after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddNode with cudaGraphNodeTypeConditional (GC01, GC04 to GC09).

        Args:
            graph: the graph.
            handle: of conditional_handle.
            kind: "if" (a second body is run when the value is 0), "while" or "switch".
            bodies: graphs.
            after: the node or nodes that it waits for.
            name: `kind` if empty.

        Returns:
            The node.
        """
        return self._node(graph, message("conditional", fields(
            handle=self._is("handle", handle), kind=word("kind", kind, CONDITIONS),
            body=[self._is("graph", b) for b in bodies])), after, name, kind)

    def graph_add_mem_alloc_node(self, graph: Handle, bytes: int, after: Edges = (), name: str = "", *,
                                 access_devices: Sequence[int] = (), device: int = 0) -> Tuple[Handle, Handle]:
        """cudaGraphAddMemAllocNode (GN01 to GN05).

        Args:
            graph: the graph.
            bytes: the size.
            after: the node or nodes that it waits for.
            name: of the node, "mem_alloc", "mem_alloc 2", ... if empty; the buffer is called "NAME of GRAPH".
            access_devices: GPUs that reach the memory besides its own.
            device: where it is.

        Returns:
            The node and the buffer.
        """
        name = name or self._node_name(self._is("graph", graph), "mem_alloc")
        b = self._buffer(bytes, "device", f"{name} of {graph.name}", device, allocated_by_call=True)
        return self._node(graph, message("mem_alloc", fields(buffer=b, access_device=list(access_devices))), after,
                          name, name), b

    def graph_add_mem_free_node(self, graph: Handle, buffer: Handle, after: Edges = (), name: str = "") -> Handle:
        """cudaGraphAddMemFreeNode (GN01 to GN05).

        Args:
            graph: the graph.
            buffer: that a node of this graph or of another allocates.
            after: the node or nodes that it waits for.
            name: "mem_free", ... if empty.

        Returns:
            The node.
        """
        return self._node(graph, fields(mem_free=self._is("buffer", buffer)), after, name, "mem_free")

    def graph_get_node(self, graph: Handle, number: int) -> Handle:
        """A node of a captured graph, as cudaGraphGetNodes gives them.

        Args:
            graph: of stream_end_capture.
            number: from 0, in the order of the captured calls.

        Returns:
            The node, for the calls that set parameters.
        """
        key = ("node", f"{self._is('graph', graph).name}\n{number}")
        return self._handles.setdefault(key, Handle("node", str(number), graph.name))

    # ---- capture

    def stream_begin_capture(self, stream: Handle, mode: str = "global", graph: Optional[Handle] = None) -> None:
        """cudaStreamBeginCapture, cudaStreamBeginCaptureToGraph (GR09, GR13).

        Args:
            stream: the stream.
            mode: "global", "thread_local" or "relaxed": which calls other threads may make meanwhile.
            graph: a graph that gets more nodes.
        """
        self._call("stream_begin_capture", stream=self._is("stream", stream), mode=word("mode", mode, CAPTURE_MODES),
                   into=self._is("graph", graph, True))

    def stream_end_capture(self, stream: Handle, graph: Optional[Handle] = None, name: str = "") -> Handle:
        """cudaStreamEndCapture (GR11, GR12).

        Args:
            stream: where the capture began.
            graph: the one that it began to, or an empty one; None: a new one.
            name: of a new one, "graph1", ... if empty.

        Returns:
            The graph.
        """
        graph = self._is("graph", graph) if graph is not None else self.graph_create(name)
        self._call("stream_end_capture", stream=self._is("stream", stream), graph=graph)
        return graph

    def stream_get_capture_info(self, stream: Handle, edge_data: bool = True) -> None:
        """cudaStreamGetCaptureInfo; see HostResults.answers (GR06, GR15).

        Args:
            stream: the stream.
            edge_data: ask for edge data, too: without, edges that have some are an error.
        """
        name = "stream_get_capture_info" if edge_data else "stream_get_capture_info_v2"
        self.call(fields(**{name: self._is("stream", stream)}))

    def graph_get_edges(self, graph: Handle, edge_data: bool = True) -> None:
        """cudaGraphGetEdges; see HostResults.answers (GR06).

        Args:
            graph: the graph.
            edge_data: ask for edge data, too: without, edges that have some are an error.
        """
        self._call("graph_get_edges", graph=self._is("graph", graph), edge_data=edge_data)

    # ---- executable graphs

    def graph_exec(self, name: str = "") -> Handle:
        """A variable cudaGraphExec_t, for kernels that launch what is instantiated later.

        Args:
            name: "graph_exec1", ... if empty.

        Returns:
            What graph_instantiate fills.
        """
        return self._new("graph_exec", name)

    def graph_instantiate(self, graph: Handle, exec: Optional[Handle] = None, *, use_node_priority: bool = False,
                          auto_free_on_launch: bool = False, device_launch: bool = False) -> Handle:
        """cudaGraphInstantiate (GR01, GN06, GD01).

        Args:
            graph: the graph.
            exec: a variable to fill; None: a new one.
            use_node_priority: cudaGraphInstantiateFlagUseNodePriority.
            auto_free_on_launch: cudaGraphInstantiateFlagAutoFreeOnLaunch: a launch frees what the one before left.
            device_launch: cudaGraphInstantiateFlagDeviceLaunch: kernels may launch it, after graph_upload.

        Returns:
            The executable graph.
        """
        self._is("graph", graph)
        exec = self._is("graph_exec", exec) if exec is not None else self.graph_exec()
        self._call("graph_instantiate", exec=exec, graph=graph, use_node_priority=use_node_priority or None,
                   auto_free_on_launch=auto_free_on_launch or None, device_launch=device_launch or None)
        return exec

    def graph_launch(self, exec: Handle, stream: Optional[Handle] = None) -> None:
        """cudaGraphLaunch (GR16, GR17).

        Args:
            exec: the executable graph.
            stream: None: stream 0.
        """
        self._call("graph_launch", exec=self._is("graph_exec", exec), stream=self._is("stream", stream, True))

    def graph_upload(self, exec: Handle, stream: Optional[Handle] = None) -> None:
        """cudaGraphUpload (GR26, GD03).

        Args:
            exec: the executable graph.
            stream: None: stream 0.
        """
        self._call("graph_upload", exec=self._is("graph_exec", exec), stream=self._is("stream", stream, True))

    def device_graph_launch(self, kernel: Handle, exec: Optional[Handle] = None, into: str = "fire_and_forget", *,
                            after_us: float = 0, times: int = 1, executions: Optional[int] = None) -> None:
        """The kernel, as a node of a graph, calls cudaGraphLaunch on the device. No call of the host's (GD01 to GD12).

        Args:
            kernel: of this workload.
            exec: an executable graph for the device; None: the one that the kernel is in (cudaGetCurrentGraphExec).
            into: the stream: "fire_and_forget", "tail" or "sibling" (cudaStreamGraphFireAndForgetAsSibling).
            after_us: so long after the kernel's start.
            times: by so many threads.
            executions: only in the first so many executions of the kernel.
        """
        self._growing("kernel", self._is("kernel", kernel).name).append(message("graph_launch", fields(
            exec=self._is("graph_exec", exec, True), into=word("into", into, INTO), after_us=after_us, times=times,
            executions=executions)))

    def graph_exec_update(self, exec: Handle, graph: Handle) -> None:
        """cudaGraphExecUpdate (GR20, GR23).

        Args:
            exec: the executable graph.
            graph: of the same shape, whose parameters it gets.
        """
        self._call("graph_exec_update", exec=self._is("graph_exec", exec), graph=self._is("graph", graph))

    def _node_set(self, call: str, exec: Optional[Handle], node: Handle, more: str) -> None:
        self.call(message(call, " ".join(t for t in (fields(
            exec=self._is("graph_exec", exec, True), graph=self._is_node(node).graph, node=node.name), more) if t)))

    def graph_exec_node_set_params(self, exec: Handle, node: Handle, **params: Any) -> None:
        """cudaGraphExecNodeSetParams: for later launches of the executable graph (GR21, GR23).

        Args:
            exec: the executable graph.
            node: of the graph that it was made from.
            params: one of kernel=k, memcpy=(to, source, bytes, rows, to_offset, source_offset), memset=(to, bytes, offset), host_us=t, event_record=e, event_wait=e,
                child=g; of a kernel also priority=, window=; of a host function also sets_flag=, calls_cuda=.
        """
        self._node_set("graph_exec_node_set_params", self._is("graph_exec", exec), node,
                       message("to", self._node_text(**params)))

    def graph_node_set_params(self, node: Handle, **params: Any) -> None:
        """cudaGraphNodeSetParams: for later instantiations (GR19).

        Args:
            node: of a graph.
            params: as of graph_exec_node_set_params.
        """
        self._node_set("graph_node_set_params", None, node, message("to", self._node_text(**params)))

    def graph_node_set_enabled(self, exec: Handle, node: Handle, enabled: bool) -> None:
        """cudaGraphNodeSetEnabled (GR22).

        Args:
            exec: the executable graph.
            node: of the graph that it was made from.
            enabled: False: it takes no time and keeps its edges.
        """
        self._node_set("graph_node_set_enabled", self._is("graph_exec", exec), node, fields(enabled=enabled))

    def graph_exec_destroy(self, exec: Handle) -> None:
        """cudaGraphExecDestroy.

        Args:
            exec: the executable graph.
        """
        self.call(fields(graph_exec_destroy=self._is("graph_exec", exec)))

    def graph_destroy(self, graph: Handle) -> None:
        """cudaGraphDestroy.

        Args:
            graph: the graph.
        """
        self.call(fields(graph_destroy=self._is("graph", graph)))

    # ---- memory of graphs

    def graph_mem_alloc_node_get_params(self, node: Handle) -> None:
        """cudaGraphMemAllocNodeGetParams: address, size and access; see HostResults.answers.

        Args:
            node: of graph_add_mem_alloc_node, or captured.
        """
        self._node_set("graph_mem_alloc_node_get_params", None, node, "")

    def device_graph_mem_trim(self) -> None:
        """cudaDeviceGraphMemTrim, of the current device (GN11)."""
        self.call("graph_mem_trim: true")

    def device_get_graph_mem_attribute(self) -> None:
        """cudaDeviceGetGraphMemAttribute: reserved and used memory of graphs, and their highest; see HostResults.answers (GN11)."""
        self.call("graph_mem_stats: true")

    def device_graph_mem_reset_high(self) -> None:
        """cudaDeviceSetGraphMemAttribute of the highest reserved and used memory, to 0."""
        self.call("graph_mem_reset_high: true")
