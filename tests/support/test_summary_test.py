"""The counting of tools/test."""
import unittest

from tools import test_summary

CATCH = "noise\n[failed] adds up\n[cases] 4 passed, 1 failed\n"
UNITTEST = "FAIL: test_x (m.T.test_x)\nERROR: test_y (m.T.test_y)\n\nRan 7 tests in 0.1s\n\n" \
           "FAILED (failures=1, errors=1, skipped=2)\n"


def configured(label, test=True):
    return {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": "SMALL"} if test else {}}


def completed(label, success):
    return {"id": {"targetCompleted": {"label": label}}, "completed": {"success": True} if success else {}}


def result(label, status, log, attempt=1, shard=1):
    return {"id": {"testResult": {"label": label, "run": 1, "shard": shard, "attempt": attempt}},
            "testResult": {"status": status, "testActionOutput": [{"name": "test.log", "uri": log}]}}


class CountLog(unittest.TestCase):
    def test_catch(self):
        self.assertEqual(test_summary.count_log(CATCH, "FAILED"), (4, 1, ["adds up"]))

    def test_unittest(self):
        self.assertEqual(test_summary.count_log(UNITTEST, "FAILED"),
                         (3, 2, ["test_x (m.T.test_x)", "test_y (m.T.test_y)"]))

    def test_other(self):
        self.assertEqual(test_summary.count_log("anything", "PASSED"), (1, 0, []))
        self.assertEqual(test_summary.count_log("", "TIMEOUT"), (0, 1, []))

    def test_crash_after_the_count(self):
        self.assertEqual(test_summary.count_log("[cases] 3 passed, 0 failed\n", "FAILED"), (3, 1, []))


class Summarize(unittest.TestCase):
    def summarize(self, events, rc):
        return test_summary.summarize(events, rc, lambda log: log)

    def test_sum(self):
        events = [configured("//a:t"), configured("//b:t"), completed("//a:t", True), completed("//b:t", True),
                  result("//a:t", "PASSED", "[cases] 3 passed, 0 failed"), result("//b:t", "FAILED", UNITTEST)]
        lines, passed, failed = self.summarize(events, 3)
        self.assertEqual((passed, failed), (6, 2))
        self.assertEqual(lines[0], "FAILED //b:t (FAILED)")

    def test_last_attempt_and_all_shards_count(self):
        events = [result("//a:t", "FAILED", "", attempt=1), result("//a:t", "PASSED", "", attempt=2),
                  result("//a:t", "PASSED", "", shard=2)]
        self.assertEqual(self.summarize(events, 0), ([], 2, 0))

    def test_a_target_that_does_not_build_is_a_failure(self):
        events = [configured("//a:t"), configured("//a:lib", test=False), completed("//a:lib", False)]
        lines, passed, failed = self.summarize(events, 1)
        self.assertEqual((passed, failed), (0, 2))
        self.assertEqual(lines, ["FAILED //a:lib (did not build)", "FAILED //a:t (did not run)"])

    def test_bazel_itself_failing_is_a_failure(self):
        self.assertEqual(self.summarize([], 1)[1:], (0, 1))

    def test_no_tests_is_no_failure(self):
        self.assertEqual(self.summarize([], 4), ([], 0, 0))


if __name__ == "__main__":
    unittest.main()
