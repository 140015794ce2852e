"""Methods that follow from declarations of calls (sim/host/calls)."""
import unittest

from tests.python.harness import PythonTest, heddle

from heddle import _workload_declared as declared
from heddle._native import native
from heddle._workload_base import Handle
from heddle.errors import Error


class Derived(heddle.Workload):
    """A Workload with nothing but derived methods where a call has one."""


class DeclaredCalls(PythonTest):
    @classmethod
    def setUpClass(cls):
        for field, name, arguments in native.declared_calls():
            setattr(Derived, field, declared._method(field, name, arguments))

    def calls(self, cls, use):
        w = cls("w")
        use(w, w.stream("s"), w.event("e"), w.buffer(4096, "managed", "b"))
        return [str(line) for lines in w._threads.values() for line in lines]

    def test_they_write_what_methods_written_by_hand_do(self):
        for use in (
                lambda w, s, e, b: w.stream_synchronize(s),
                lambda w, s, e, b: w.device_synchronize(),
                lambda w, s, e, b: w.event_synchronize(e),
                lambda w, s, e, b: w.mem_range_attributes(b),
                lambda w, s, e, b: w.mem_advise(b, "set_read_mostly", device=0),
                lambda w, s, e, b: w.free_async(b, s),
                lambda w, s, e, b: w.get_device_count(),
                lambda w, s, e, b: w.set_device(0),
                lambda w, s, e, b: w.launch_host_func(us=5, stream=s),
        ):
            self.assertEqual(self.calls(Derived, use), self.calls(heddle.Workload, use))

    def test_every_call_of_today_has_one_of_its_own_hand(self):
        class Plain:
            pass

        declared.add_methods(Plain, native.declared_calls())
        for field in vars(Plain):
            if not field.startswith("__"):
                self.assertIn(field, dir(heddle.Workload))
                self.assertNotEqual(getattr(heddle.Workload, field).__module__, declared.__name__, field)

    def test_a_new_call(self):
        class New(heddle.Workload):
            pass

        declared.add_methods(New, [("probe", "cudaProbe", [("buffer", "buffer", False, []), ("stream", "stream", True, []),
                                                          ("mode", "choice", True, ["one", "two"])])])
        w = New("w")
        b, s = w.device(4, "b"), w.stream("s")
        w.probe(b, mode="two")
        w.probe(b, s)
        self.assertEqual([str(c) for c in w._threads["main"]],
                         ['call { probe { buffer: "b" mode: TWO } }', 'call { probe { buffer: "b" stream: "s" } }'])
        self.assertIn("cudaProbe", New.probe.__doc__)
        self.raises(Error, "mode='three'; legal values: one, two", w.probe, b, mode="three")
        self.raises(Error, "is no buffer of this workload", w.probe, Handle("buffer", "other"))
        self.raises(TypeError, "buffer", w.probe)


if __name__ == "__main__":
    unittest.main()
