"""The memory that a kernel of lesson 16 loads from, and the launch of its programs."""

import math

import pytest
import torch

from course_lib.memory import Memory, launch

pytestmark = pytest.mark.usefixtures("shapes_unchecked")


def test_holding_puts_tensors_apart_with_nan_between_and_around():
    X, y = torch.arange(6.0).view(2, 3), torch.tensor([7.0, 8.0])
    memory, (at_X, at_y) = Memory.holding(X, y)
    assert memory.load(at_X + torch.arange(6)).tolist() == [0, 1, 2, 3, 4, 5]
    assert memory.load(at_y + torch.arange(2)).tolist() == [7, 8]
    own = {*range(at_X, at_X + 6), *range(at_y, at_y + 2)}
    others = [place for place in range(len(memory.numbers)) if place not in own]
    assert memory.numbers[others].isnan().all()
    assert at_X == Memory.GAP
    assert at_y == at_X + 6 + Memory.GAP
    assert len(memory.numbers) == at_y + 2 + Memory.GAP


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_numbers_keep_their_dtype_and_what_was_put_in_stays(dtype):
    X = torch.rand(3, 5, dtype=dtype)
    kept = X.clone()
    memory, (at,) = Memory.holding(X.mT)
    assert memory.load(torch.tensor([at])).dtype == dtype
    assert torch.equal(memory.load(at + torch.arange(15)).view(5, 3), kept.mT)
    memory.store(at + torch.arange(15), torch.zeros(15))
    assert torch.equal(X, kept)
    assert memory.numbers.dtype == dtype


def test_an_address_is_used_with_any_stride_and_shape():
    memory = Memory(torch.arange(100.0))
    places = 10 + 7 * torch.arange(3).unsqueeze(1) + torch.arange(4)
    assert torch.equal(memory.load(places), places.float())
    assert memory.load(torch.tensor(5)).shape == ()
    assert torch.equal(memory.load(torch.tensor([9, 9, 3], dtype=torch.int32)), torch.tensor([9.0, 9.0, 3.0]))


def test_a_mask_hides_addresses_also_those_beyond_the_memory():
    memory = Memory(torch.arange(4.0))
    places = torch.arange(-2, 6)
    inside = (places >= 0) & (places < 4)
    assert memory.load(places, inside, -math.inf).tolist() == [-math.inf] * 2 + [0, 1, 2, 3] + [-math.inf] * 2
    assert memory.load(places, inside).isnan().tolist() == (~inside).tolist()
    assert memory.load(places, torch.tensor(False), 7.0).tolist() == [7.0] * 8
    assert memory.load(places.view(2, 4), torch.tensor([[False], [False]]), 0).shape == (2, 4)


@pytest.mark.parametrize("places", [[-1], [4], [0, 1, 4], [-1, 2]])
def test_an_address_beyond_the_memory_raises_and_leaves_everything(places):
    memory = Memory(torch.arange(4.0))
    with pytest.raises(IndexError, match="Expected addresses from 0 to 3"):
        memory.load(torch.tensor(places))
    with pytest.raises(IndexError, match=f"got {min(places)} to {max(places)}"):
        memory.store(torch.tensor(places), torch.ones(len(places)))
    assert memory.loaded.tolist() == []
    assert memory.numbers.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "addresses",
    [
        torch.zeros(2),
        torch.zeros(2, dtype=torch.bool),
        torch.zeros(2, dtype=torch.complex64),
        torch.empty(2**40, dtype=torch.int64, device="meta"),
    ],
)
def test_what_is_no_address_raises_at_once_and_is_not_counted(addresses):
    memory = Memory(torch.zeros(4))
    for use in (lambda: memory.load(addresses, torch.tensor([False])), lambda: memory.store(addresses, torch.ones(1))):
        with pytest.raises(TypeError, match="whole numbers on cpu"):
            use()
    assert memory.loaded.tolist() == []


def test_loads_are_counted_in_order_without_what_a_mask_hides():
    memory = Memory(torch.arange(9.0))
    assert memory.loaded.dtype == torch.int64
    memory.load(torch.tensor([[4, 5], [6, 7]]))
    memory.load(torch.tensor([8, 1, 100]), torch.tensor([True, True, False]))
    assert memory.loaded.tolist() == [4, 5, 6, 7, 8, 1]
    memory.load(torch.tensor([4], dtype=torch.int16))
    memory.store(torch.tensor([2]), torch.tensor([0.0]))
    assert memory.loaded.tolist() == [4, 5, 6, 7, 8, 1, 4]


def test_the_largest_load_is_noted_without_what_a_mask_hides():
    memory = Memory(torch.arange(100.0))
    assert memory.largest_load == 0
    memory.load(torch.arange(12).view(3, 4))
    memory.load(torch.arange(50), torch.arange(50) < 5)
    memory.load(torch.arange(7))
    assert memory.largest_load == 12


def test_a_store_broadcasts_values_and_mask():
    memory = Memory(torch.zeros(6, dtype=torch.float32))
    memory.store(torch.arange(6).view(2, 3), torch.tensor([[1.0], [2.0]], dtype=torch.float64), torch.arange(3) < 2)
    assert memory.numbers.tolist() == [1, 1, 0, 2, 2, 0]
    memory.store(torch.tensor([5, 99]), torch.tensor(3), torch.tensor([True, False]))
    assert memory.numbers.tolist() == [1, 1, 0, 2, 2, 3]


def test_launch_runs_programs_in_their_order_each_after_the_stores_of_the_one_before():
    memory = Memory(torch.ones(3))
    ran = []

    def doubled(memory, program, step):
        ran.append(program)
        place = torch.tensor([program % 3])
        return place, step * memory.load(place), torch.tensor([True])

    launch(doubled, (2, 0, 2, 5), memory, 2)
    assert ran == [2, 0, 2, 5]
    assert memory.numbers.tolist() == [2, 1, 8]
    assert memory.loaded.tolist() == [2, 0, 2, 2]


@pytest.mark.parametrize("join", [tuple, list])
def test_launch_carries_out_several_stores_of_a_program(join):
    memory = Memory(torch.zeros(4))

    def twice(memory, program):
        place = torch.tensor([program])
        return join([(place, torch.ones(1), torch.tensor([True])), (place + 2, torch.ones(1) + program, None)])

    launch(twice, range(2), memory)
    assert memory.numbers.tolist() == [1, 1, 1, 2]
