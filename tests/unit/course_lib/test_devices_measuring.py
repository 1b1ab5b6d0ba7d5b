import inspect
import time

import pytest
import torch

from course_lib import devices
from course_lib.devices import memory, timing
from course_lib.devices.timing import Comparison, Timing, duration


def test_median_and_quartiles_of_known_readings():
    reading = Timing((0.5, 0.1, 0.3, 0.2, 0.4))
    assert reading.median == 0.3
    assert reading.quartiles == pytest.approx((0.2, 0.4))
    assert Timing((0.7,)).quartiles == (0.7, 0.7)
    assert "300 ms" in str(reading)
    assert "5" in str(reading)


def test_every_call_is_counted_once_and_gets_its_arguments():
    calls = []
    reading = devices.time_call(lambda *args: calls.append(args), 2, "x", repeats=7, warmup=3)
    assert len(reading.readings) == 7
    assert calls == [(2, "x")] * 10


@pytest.fixture
def takes(monkeypatch):
    """Return functions that take a number of seconds by a clock that they move themselves, however busy the machine is."""
    now = [0.0]
    monkeypatch.setitem(inspect.unwrap(timing._one_reading).__kwdefaults__, "clock", lambda: now[0])

    def function(seconds):
        def call(*_):
            now[0] += seconds

        return call

    return function


def test_a_call_takes_what_the_clock_says(takes):
    assert devices.time_call(takes(0.25), repeats=3, warmup=1).readings == (0.25,) * 3


def test_the_clock_is_the_elapsed_time():
    assert min(devices.time_call(time.sleep, 0.02, repeats=3, warmup=0).readings) > 0.019


def test_candidates_are_called_in_turns_in_alternating_order():
    calls = []
    candidates = {name: lambda name=name: calls.append(name) for name in ("a", "b", "c")}
    devices.compare_times(candidates, repeats=2, warmup=1)
    assert "".join(calls) == "abc" + "abc" + "cba"


def test_a_comparison_gives_medians_and_ratios_to_the_first(takes):
    result = devices.compare_times({"short": takes(0.25), "long": takes(1.25)}, repeats=3)
    assert result.ratios == {"short": 1.0, "long": 5.0}
    assert result.medians["long"] == result.timings["long"].median


def test_a_comparison_shows_itself_as_a_table():
    result = Comparison({"torch": Timing((0.002, 0.002)), "mine": Timing((0.003, 0.003))})
    assert "times torch" in str(result)
    assert "1.50" in str(result)
    assert "3.00 ms" in str(result)
    assert repr(result) == str(result)
    assert "<td" in result._repr_html_()
    assert "1.50" in result._repr_html_()


@pytest.mark.parametrize(("repeats", "warmup"), [(0, 1), (-1, 0), (3, -1)])
def test_impossible_counts_are_errors(repeats, warmup):
    with pytest.raises(ValueError, match="repeats of at least 1"):
        devices.time_call(lambda: None, repeats=repeats, warmup=warmup)
    with pytest.raises(ValueError, match="repeats of at least 1"):
        devices.compare_times({"a": lambda: None}, repeats=repeats, warmup=warmup)


def test_nothing_to_compare_is_an_error():
    with pytest.raises(ValueError, match="at least one function"):
        devices.compare_times({})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(12.345, "12.3 s"), (1.0, "1.00 s"), (0.0347, "34.7 ms"), (0.000412, "412 µs"), (0.0, "0.00 µs")],
)
def test_durations_have_three_digits_and_a_fitting_unit(seconds, text):
    assert duration(seconds) == text


def test_the_gpu_is_waited_for_before_and_after_every_reading(monkeypatch):
    events = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *args: events.append("wait"))
    devices.time_call(lambda: events.append("call"), repeats=2, warmup=0)
    assert events == ["wait", "call", "wait"] * 2


def test_an_apple_gpu_is_waited_for(monkeypatch):
    events = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.mps, "synchronize", lambda: events.append("wait"))
    timing.synchronize()
    assert events == ["wait"]


FLOATS = 100_003  # a prime, so that no other allocation has this size by chance
BLOCK = 4 * FLOATS


def two_temporaries_then_one():
    a = torch.empty(FLOATS)
    b = torch.empty(FLOATS)
    del a, b
    c = torch.empty(FLOATS)
    del c


def result_only():
    return torch.empty(FLOATS)


def many_one_after_another():
    for _ in range(11):
        torch.empty(FLOATS)


@pytest.mark.parametrize(
    ("fn", "blocks"), [(two_temporaries_then_one, 2), (result_only, 1), (many_one_after_another, 1), (lambda: None, 0)]
)
def test_the_peak_of_a_known_pattern_is_exact_on_the_cpu(fn, blocks):
    assert devices.peak_memory(fn, device="cpu") == blocks * BLOCK


def test_earlier_allocations_do_not_count():
    before = [torch.empty(3 * FLOATS)]

    def free_then_allocate():
        before.clear()
        torch.empty(FLOATS)

    assert devices.peak_memory(free_then_allocate, device="cpu") == BLOCK
    kept = torch.zeros(FLOATS)
    assert devices.peak_memory(lambda: kept.mul_(2.0).shape, device="cpu") < 100


def test_a_temporary_inside_an_expression_counts(generator):
    a = torch.randn(307, 211, generator=generator)
    b = torch.randn(211, 503, generator=generator)
    peak = devices.peak_memory(lambda: torch.softmax(a @ b, dim=-1).sum(), device="cpu")
    assert 2 * 4 * 307 * 503 <= peak < 2.1 * 4 * 307 * 503  # the product and its softmax are alive together


def test_backward_counts(generator):
    weight = torch.randn(307, 211, generator=generator, requires_grad=True)
    forward = devices.peak_memory(lambda: (weight.exp() * 2.0).sum(), device="cpu")
    both = devices.peak_memory(lambda: (weight.exp() * 2.0).sum().backward(), device="cpu")
    assert both >= forward + 4 * 307 * 211 - 100


def test_an_error_inside_comes_out_and_the_next_measurement_works():
    with pytest.raises(ZeroDivisionError):
        devices.peak_memory(lambda: 1 / 0, device="cpu")
    assert devices.peak_memory(result_only, device="cpu") == BLOCK


def test_measuring_prints_nothing(capfd):
    devices.peak_memory(result_only, device="cpu")
    assert capfd.readouterr() == ("", "")


def test_the_default_device_measures_here():
    assert devices.peak_memory(result_only) >= BLOCK


@pytest.mark.parametrize(("changes", "peak"), [([], 0), ([5, -5, 3], 5), ([-7, 2], 0), ([2, 3, -1, 11, -15], 15)])
def test_the_highest_running_sum(changes, peak):
    assert memory.highest_sum(changes) == peak


def test_a_device_without_a_record_of_the_peak_is_an_error(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    with pytest.raises(ValueError, match="keeps no record of the peak"):
        devices.peak_memory(result_only, device="mps")


def test_on_cuda_the_peak_since_the_reset_is_returned(monkeypatch):
    log = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *args: log.append("wait"))
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda *args: 300)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda *args: log.append("reset"))
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda *args: 1000)
    assert devices.peak_memory(lambda: log.append("call"), device="cuda") == 700
    assert log == ["wait", "reset", "call", "wait"]
    assert devices.peak_memory(result_only) == BLOCK  # more on the CPU than on this pretended GPU


@pytest.mark.gpu
def test_timing_waits_for_the_real_gpu():
    a = torch.randn(4099, 4099, device="cuda")
    launch = time.perf_counter()
    waited = devices.time_call(lambda: [a @ a for _ in range(20)], repeats=3)
    assert waited.median <= time.perf_counter() - launch
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    events[0].record()
    for _ in range(20):
        a @ a
    events[1].record()
    torch.cuda.synchronize()
    assert waited.median >= 0.5 * events[0].elapsed_time(events[1]) / 1000


@pytest.mark.gpu
def test_the_peak_on_the_real_gpu_counts_temporaries():
    def fn():
        a = torch.empty(1009, 1009, device="cuda")
        b = torch.empty(1009, 1009, device="cuda")
        del a, b

    peak = devices.peak_memory(fn)
    assert 2 * 4 * 1009**2 <= peak < 2 * 4 * 1009**2 + 2**20
    assert devices.peak_memory(fn, device="cuda") == peak


def test_the_least_time_on_the_cpu_is_that_of_the_processor_with_one_thread():
    before, threads = torch.get_num_threads(), []

    def asleep():
        threads.append(torch.get_num_threads())
        time.sleep(0.05)

    assert devices.least_time(asleep, repeats=2, warmup=1) < 0.02
    assert threads == [1, 1, 1]
    assert torch.get_num_threads() == before


def test_the_least_time_is_the_smallest_reading(monkeypatch):
    readings = iter([0.0, 3.0, 10.0, 11.0, 20.0, 25.0])
    monkeypatch.setattr(timing.time, "process_time", lambda: next(readings))
    assert devices.least_time(lambda: None, repeats=3, warmup=0) == 1.0
