"""A pytest plug-in that keeps how long each test took: in wall time, and in processor time with that of its child processes.

``--save-durations=fast`` writes them to pytest's cache as ``durations/fast``, where ``test_budget.py`` reads them.
"""

import resource
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator

import pytest


def processor_time() -> float:
    """Return the seconds of processor time that this process and its finished children have used."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


#: Every so many tests a process does two pieces of work that never change, which tell how fast the machine is at the moment.
_EVERY = 500


def calibration() -> dict[str, float]:
    """Return the seconds of processor time that two fixed pieces of work take.

    A loop in Python fits into the processor's caches; the start of a process that imports PyTorch, which most of the tests
    do in one way or another, reads and maps hundreds of megabytes. A machine can be fast at one and slow at the other.
    """
    return {"loop": _timed(_loop), "import": _timed(_import)}


def _loop() -> None:
    sorted(hash(str(number)) for number in range(300_000))


def _import() -> None:
    subprocess.run([sys.executable, "-c", "import torch"], check=True)


def _timed(work: Callable[[], None]) -> float:
    before = processor_time()
    work()
    return processor_time() - before


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--save-durations", metavar="NAME", help="write wall and processor times to pytest's cache as durations/NAME"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Durations(config), "course-durations")


class Durations:
    """Measures in the process that runs a test, and adds up in the one that reports."""

    def __init__(self, config: pytest.Config):
        self.config, self.started, self.before = config, time.time(), 0.0
        self.tests: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        self.calibrations: list[dict[str, float]] = []
        self.failed, self.begun = False, 0

    def pytest_runtest_logstart(self) -> None:
        self.before = processor_time()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport]:
        report = yield
        now = processor_time()
        report.user_properties = [*report.user_properties, ("processor", now - self.before)]
        if call.when == "teardown":
            self.begun += 1
            if self.begun % _EVERY == 1:
                report.user_properties.append(("calibration", calibration()))
        self.before = processor_time()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed
        times = self.tests[report.nodeid]
        times[0] += report.duration
        properties = dict(report.user_properties)
        times[1] += properties.get("processor", 0.0)
        self.calibrations += [properties["calibration"]] if "calibration" in properties else []

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        wall, processor = time.time() - self.started, processor_time()  # xdist's workers have ended, as its children
        terminalreporter.write_line(f"{minutes(wall)} wall, {minutes(processor)} of processor time")
        name = self.config.getoption("save_durations")
        if name and self.config.cache and not self.failed and not hasattr(self.config, "workerinput"):
            rounded = {test: [round(value, 3) for value in times] for test, times in self.tests.items()}
            found = {"wall": wall, "processor": processor, "tests": rounded}
            calibrations = self.calibrations or [calibration()]
            found["calibrations"] = {
                work: statistics.fmean(each[work] for each in calibrations) for work in calibrations[0]
            }
            self.config.cache.set(f"durations/{name}", found)


def minutes(seconds: float) -> str:
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
