"""What a cell has left on in PyTorch or NumPy is off while a check runs, and on again afterwards."""

import contextlib

import numpy as np
import pytest
import torch

from autograder.runtime.state import known_torch_state


def _default_device(name):
    torch.set_default_device(name)
    return lambda: torch.set_default_device(None)


def _set(put, value, before):
    put(value)
    return lambda: put(before)


def _entered(manager):
    manager.__enter__()
    return lambda: manager.__exit__(None, None, None)


def _in_inference():
    return torch.is_inference_mode_enabled() or not torch.is_grad_enabled()


def _device():
    """Return the device on which tensors are made, or the error if there is no such device."""
    try:
        return torch.empty(0).device.type
    except (AssertionError, RuntimeError) as error:
        return type(error)


def _product():
    """Return the dtype of a product."""
    return (torch.ones(2, 2) @ torch.ones(2, 2)).dtype


LEFT_ON = {
    "inference_mode": (lambda: _entered(torch.inference_mode()), _in_inference),
    "no_grad": (lambda: _set(torch.set_grad_enabled, False, True), _in_inference),
    "cuda": (lambda: _default_device("cuda"), _device),
    "meta": (lambda: _default_device("meta"), _device),
    "with a device": (lambda: _entered(torch.device("meta")), _device),
    "float64": (lambda: _set(torch.set_default_dtype, torch.float64, torch.float32), torch.get_default_dtype),
    "autocast": (lambda: _entered(torch.autocast("cpu", dtype=torch.bfloat16)), _product),
    "precision": (
        lambda: _set(torch.set_float32_matmul_precision, "medium", "highest"),
        torch.get_float32_matmul_precision,
    ),
    "deterministic": (
        lambda: _set(torch.use_deterministic_algorithms, True, False),
        torch.are_deterministic_algorithms_enabled,
    ),
    "anomaly": (lambda: _set(torch.autograd.set_detect_anomaly, True, False), torch.is_anomaly_enabled),
    "errors of NumPy": (lambda: _set(lambda how: np.seterr(**how), {"all": "raise"}, np.geterr()), np.geterr),
}


@pytest.mark.parametrize("left_on", LEFT_ON)
def test_what_a_cell_has_left_on_is_off_during_a_check_and_on_again_afterwards(left_on):
    turn_on, read = LEFT_ON[left_on]
    at_the_start = read()
    with contextlib.ExitStack() as left:
        left.callback(turn_on())
        on = read()
        assert on != at_the_start or left_on == "cuda", "or nothing is tested"
        with known_torch_state():
            assert read() == at_the_start
        assert read() == on
    assert read() == at_the_start


def test_one_thread_is_used():
    before = torch.get_num_threads()
    with contextlib.ExitStack() as left:
        left.callback(torch.set_num_threads, before)
        torch.set_num_threads(2)
        with known_torch_state():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2


def test_a_compiled_function_runs_as_it_is_written():
    seen = []

    @torch.compile(backend=lambda graph, inputs: seen.append(graph) or graph)
    def twice(x):
        return 2 * x

    with known_torch_state():
        assert twice(torch.ones(1)) == 2
    assert not seen
    assert twice(torch.ones(1)) == 2
    assert seen, "or nothing would have been compiled"
