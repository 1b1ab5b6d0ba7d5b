import pytest
import torch

from course_lib.data import draw_scenes, scene_features
from course_lib.data.scene_net import SURE, SceneNet, cell_loss, kinds_in_cells


@pytest.fixture(scope="module")
def scenes():
    return draw_scenes(300, 11, "held_out")


def test_a_cell_s_kind_is_that_of_the_digit_whose_centre_it_holds(scenes):
    kinds = kinds_in_cells(scenes)
    for b in range(len(scenes)):
        want = torch.zeros(10, 10, dtype=torch.int64)
        for (x0, y0, x1, y1), label in zip(scenes.boxes[b].tolist(), scenes.labels[b].tolist(), strict=True):
            if label >= 0:
                want[int((y0 + y1) / 2 / 4), int((x0 + x1) / 2 / 4)] = 1 + 3 * label + {8: 0, 12: 1, 16: 2}[y1 - y0]
        assert torch.equal(kinds[b], want)


def test_features_say_what_is_there_and_how_often(scenes):
    features = scene_features(scenes.images)
    assert features.shape == (300, 32, 10, 10)
    counts = features[:, :30].sum((2, 3)) / SURE
    want = torch.nn.functional.one_hot(kinds_in_cells(scenes).flatten(1), 31).sum(1)[:, 1:]
    right = (counts.round() == want).all(1).double().mean()
    assert right >= 0.94, f"all digits of {right:.1%} of the scenes were seen and counted"
    found = features[:, :30].amax(1) > SURE / 2
    assert found[kinds_in_cells(scenes) > 0].double().mean() > 0.85  # on a border, two cells share a digit
    assert found[kinds_in_cells(scenes) == 0].double().mean() < 0.005


def test_the_last_two_numbers_say_where_the_cell_is(scenes):
    x, y = scene_features(scenes.images[:1])[0, 30:]
    assert torch.equal(x[0], torch.linspace(-2, 2, 10))
    assert torch.equal(y[:, 0], torch.linspace(-2, 2, 10))
    assert torch.equal(x[0], x[7])
    assert torch.equal(y[:, 0], y[:, 7])


def test_a_picture_s_features_do_not_depend_on_the_others(scenes):
    together, alone = scene_features(scenes.images[:70]), scene_features(scenes.images[5:6])
    assert torch.allclose(together[5:6], alone, atol=1e-4)


@pytest.mark.parametrize("shape", [(40, 40), (2, 40, 40), (2, 3, 40, 40), (2, 1, 28, 28)])
def test_pictures_of_another_size_are_refused(shape):
    with pytest.raises(ValueError, match=r"images of shape \(B, 1, 40, 40\)"):
        scene_features(torch.zeros(shape))


def test_the_network_learns_from_the_loss_that_trained_it(scenes):
    torch.manual_seed(0)
    net, batch = SceneNet(), (scenes.images[:16], kinds_in_cells(scenes)[:16])
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3)
    losses = []
    for _ in range(12):
        loss = cell_loss(net, batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
