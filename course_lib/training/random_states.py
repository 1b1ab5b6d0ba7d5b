"""The states of all the random number generators that a training step may draw from."""

import random

import numpy as np
import torch

from course_lib.training.files import Tensors


def seed_everything(seed: int) -> None:
    """Seed torch (on all devices), NumPy and Python's random with `seed`."""
    torch.manual_seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)


def random_states(device: torch.device) -> Tensors:
    """Return the states of torch's generators on the CPU and on `device`, of NumPy's and of Python's, as tensors."""
    _, words, spare = random.getstate()
    numpy = np.random.get_state(legacy=False)
    states = {
        "torch": torch.get_rng_state(),
        "python": torch.tensor(words),
        "python_spare": torch.tensor([] if spare is None else [spare], dtype=torch.float64),
        "numpy": torch.from_numpy(numpy["state"]["key"].astype(np.int64)),
        "numpy_place": torch.tensor([numpy["state"]["pos"], numpy["has_gauss"]]),
        "numpy_spare": torch.tensor([numpy["gauss"]], dtype=torch.float64),
    }
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    if device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_random_states(states: Tensors, device: torch.device) -> None:
    """Restore the result of `random_states`, except for states of devices other than `device`."""
    torch.set_rng_state(states["torch"])
    spare = states["python_spare"].tolist()
    random.setstate((3, tuple(states["python"].tolist()), spare[0] if spare else None))
    place, has_spare = states["numpy_place"].tolist()
    key = states["numpy"].numpy().astype(np.uint32)
    np.random.set_state(("MT19937", key, place, has_spare, float(states["numpy_spare"])))
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
    if device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(states["mps"])
