"""Configurations as objects: values, completion, checks, messages."""
import copy
import os
import pickle
import unittest

from tests.python.harness import PythonTest, heddle


class Config(PythonTest):
    def test_values_have_their_types(self):
        cfg = heddle.Config("h200")
        self.assertEqual(cfg.name, "h200")
        self.assertEqual(cfg.topology.sms, 132)
        self.assertIs(type(cfg.topology.sms), int)
        self.assertIs(type(cfg.clocks.core_mhz), float)
        self.assertIs(cfg.tlb.enabled, True)
        self.assertEqual(cfg.l2.hash, "XOR_FOLD")
        self.assertEqual(sum(cfg.topology.tpcs_per_gpc) * cfg.topology.sms_per_tpc, 132)
        self.assertEqual(cfg.get("sm.op[fp32].latency"), cfg.sm.op["fp32"].latency)

    def test_a_value_is_changed_and_checked_at_once(self):
        cfg = heddle.Config("h200")
        cfg.l2.far_latency = 0
        self.assertEqual(cfg.l2.far_latency, 0)
        cfg.l2.total_bytes = "30MiB"
        self.assertEqual(cfg.l2.total_bytes, 30 << 20)
        cfg.sm.op["fp32"].latency = 6
        self.assertEqual(cfg.sm.op["fp32"].latency, 6)
        cfg.tlb.enabled = False
        self.assertEqual(cfg.overrides, ["l2.far_latency=0", "l2.total_bytes=30MiB", "sm.op[fp32].latency=6",
                                         "tlb.enabled=false"])
        self.raises(heddle.ConfigError, "l2.ways = 300: out of range; legal values: 1 to 256", setattr, cfg.l2, "ways",
                    300)
        self.raises(heddle.ConfigError, '"many" is not a value of l2.ways; legal values: 1 to 256', setattr, cfg.l2,
                    "ways", "many")
        self.raises(heddle.ConfigError, '"8.5" is not a value of l2.ways', setattr, cfg.l2, "ways", 8.5)
        self.raises(heddle.ConfigError, "legal values: XOR_FOLD, MODULO", setattr, cfg.l2, "hash", "FOLD")
        self.assertEqual(cfg.l2.ways, heddle.Config("h200").l2.ways)  # as it was

    def test_wrong_names_say_the_nearest(self):
        cfg = heddle.Config("h200")
        for f in (lambda: cfg.l2.wayz, lambda: setattr(cfg.l2, "wayz", 3), lambda: cfg.describe("l2.wayz"),
                  lambda: cfg.get("l2.wayz")):
            self.raises(heddle.ConfigNameError, ['no field "wayz" in l2', "nearest: l2.ways"], f)
        self.raises(heddle.ConfigNameError, 'no field "l3"', setattr, cfg, "l3", 1)
        self.assertFalse(hasattr(cfg.l2, "wayz"))
        self.raises(heddle.ConfigError, ['sm.op: no entry "foo"', "legal names: ", "fp32"], lambda: cfg.sm.op["foo"])
        self.raises(heddle.ConfigError, ["l2 is a group of fields", "far_latency"], setattr, cfg, "l2", 1)
        self.raises(heddle.ConfigError, ['unknown GPU "h2000"', "legal names: ", "h200"], heddle.Config, "h2000")
        self.raises(heddle.ConfigError, ['unknown fidelity preset "x"'], heddle.Config, "h200", fidelity="x")

    def test_the_current_folder_stands_in_for_no_shipped_gpu(self):
        for name in ("h200", "mine"):
            cfg = heddle.Config("h200", set=["l2.far_latency=4000", f"name={name}"])
            self.write(f"configs/gpus/{name}.textproto", cfg.to_text())
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.dir)
        self.assertNotEqual(heddle.Config("h200").l2.far_latency, 4000)
        self.assertEqual(heddle.Config("h200").hash(), self.ok("config", "show", "h200", "--hash").stdout.strip())
        self.assertNotIn("from ", repr(heddle.Config("h200")))
        self.assertTrue(heddle.Config("h200").file.endswith("configs/gpus/h200.textproto"))
        self.assertEqual(heddle.Config("mine").file, "configs/gpus/mine.textproto")
        self.assertIn(", from configs/gpus/mine.textproto", repr(heddle.Config("mine")))

    def test_diff_takes_a_name(self):
        cfg = heddle.Config("h200")
        self.assertEqual(cfg.diff("a100"), cfg.diff(heddle.Config("a100")))
        self.raises(heddle.ConfigError, 'unknown GPU "a1000"', cfg.diff, "a1000")

    def test_completion(self):
        cfg = heddle.Config("h200")
        self.assertLessEqual({"l2", "sm", "clocks", "validate", "to_text"}, set(dir(cfg)))
        self.assertLessEqual({"ways", "far_latency"}, set(dir(cfg.l2)))
        self.assertIn("fp32", cfg.sm.op._ipython_key_completions_())
        for name in dir(cfg.l2):
            self.assertIsNotNone(cfg.l2.__getattr__(name), name)

    def test_every_path_of_a_configuration_can_be_read_and_described(self):
        cfg = heddle.Config("h200")
        lines = cfg.to_text(annotate=False, flat=True).splitlines()
        self.assertGreater(len(lines), 300)
        for line in lines:
            path, text = line.split("=", 1)
            value = cfg.get(path)
            field = cfg.describe(path)
            self.assertEqual(field.value, value)
            if path not in ("name", "product", "capability"):
                self.assertNotEqual(field.provenance, "", path)
            shown = str(value).lower() if isinstance(value, bool) else str(value)
            if isinstance(value, (int, str)):
                self.assertEqual(text.strip('"'), shown)

    def test_describe(self):
        cfg = heddle.Config("h200")
        field = cfg.describe("limits.max_warps_per_sm")
        self.assertEqual((field.value, field.unit, field.legal, field.provenance),
                         (64, "warps", "4 to 64", "DOCUMENTED"))
        self.assertIn("limits.max_warps_per_sm = 64 warps (legal: 4 to 64); DOCUMENTED, ", str(field))
        cfg.limits.max_warps_per_sm = 32
        self.assertEqual(cfg.describe("limits.max_warps_per_sm").provenance, "ASSUMED")

    def test_describe_says_what_a_field_means(self):
        cfg = heddle.Config("h200")
        self.assertEqual(cfg.describe("topology.tpcs_per_gpc").comment,
                         "TPCs of each GPC, in order; their sum times sms_per_tpc is `sms`.")
        self.assertIn("the work distributor", cfg.describe("launch.sm_block_interval").comment.lower())  # of the line above, too
        self.assertEqual(cfg.describe("limits.compute_capability").comment, "90 for 9.0")
        self.assertIn("Issue to result usable", cfg.describe("sm.op[fp32].latency").comment)
        self.assertEqual(cfg.describe("limits.max_warps_per_sm").comment,  # of its message
                         "Architecture limits: reference/cuda-model.md B1.")
        self.assertIn("\n  TPCs of each GPC", str(cfg.describe("topology.tpcs_per_gpc")))

    def test_values_may_contradict_each_other_until_they_are_used(self):
        cfg = heddle.Config("h200")
        cfg.topology.sms = 4
        self.assertTrue(any("topology.sms = 4" in p for p in cfg.problems()))
        says = ["topology.sms = 4", "legal value for these TPCs: 132"]
        self.raises(heddle.ConfigError, says, cfg.validate)
        self.raises(heddle.ConfigError, says, heddle.run, self.capture("a"), gpu=cfg)
        cfg.topology.tpcs_per_gpc = [1, 1]
        self.assertIs(cfg.validate(), cfg)
        self.assertEqual(cfg.problems(), [])

    def test_copies_differ_only_where_they_are_changed(self):
        cfg = heddle.Config("h200")
        other = cfg.with_set("l2.far_latency=0", "tlb.enabled=false")
        self.assertEqual([(d.path, d.b) for d in cfg.diff(other)], [("l2.far_latency", "0"), ("tlb.enabled", "false")])
        self.assertEqual(cfg.overrides, [])
        self.assertNotEqual(cfg, other)
        self.assertNotEqual(cfg.hash(), other.hash())
        for same in (other.copy(), copy.deepcopy(other), pickle.loads(pickle.dumps(other))):
            self.assertEqual(same, other)
            self.assertEqual(same.hash(), other.hash())
        clone = other.copy()
        clone.l2.far_latency = 5
        self.assertEqual(other.l2.far_latency, 0)
        self.raises(heddle.ConfigError, "l2.ways = 300", cfg.with_set, "l2.ways=300")

    def test_text_is_a_configuration_file(self):
        cfg = heddle.Config("h200").with_set("l2.far_latency=3")
        file = self.write("mine.textproto", cfg.to_text())
        again = heddle.Config(file)
        self.assertEqual(again.diff(cfg), [])
        self.assertEqual(again.hash(), cfg.hash())
        self.assertEqual(heddle.Config("h200").to_text(annotate=False, under="l2.far_latency").split(),
                         ["l2", "{", "far_latency:", str(heddle.Config("h200").l2.far_latency), "}"])
        self.assertIn("l2.far_latency=3 ", repr(cfg.l2))

    def test_the_command_sees_the_same(self):
        for args, cfg in (((), heddle.Config("h200")),
                          (("--fidelity", "fast"), heddle.Config("h200", fidelity="fast")),
                          (("--set", "l2.far_latency=0"), heddle.Config("h200", set=["l2.far_latency=0"]))):
            self.assertEqual(self.ok("config", "show", "h200", "--hash", *args).stdout.strip(), cfg.hash())
            self.assertEqual(self.ok("config", "show", "h200", *args).stdout, cfg.to_text())

    def test_names(self):
        self.assertLessEqual({"h200", "a100", "v100", "rtx3090", "rtx4090"}, set(heddle.gpus()))
        self.assertEqual(heddle.fidelities(), ["default", "detailed", "fast"])
        for name in heddle.gpus():
            heddle.Config(name).validate()

    def test_configurations_of_ones_own(self):
        text = heddle.Config("h200").to_text().replace('name: "h200"', 'name: "mine"', 1)
        self.write("conf/gpus/mine.textproto", text)
        os.environ["HEDDLE_CONFIGS"] = self.path("conf")
        self.addCleanup(os.environ.pop, "HEDDLE_CONFIGS")
        self.assertIn("mine", heddle.gpus())
        self.assertEqual(heddle.Config("mine").name, "mine")


if __name__ == "__main__":
    unittest.main()
