import torch

from course_lib.data import draw_scenes, handwritten_digits
from course_lib.data.deformation import deform


def _random():
    return torch.Generator().manual_seed(3)


def test_without_strength_nothing_changes():
    images = handwritten_digits("train").images[:50]
    assert torch.allclose(deform(images, 0.0, _random()), images, atol=1e-5)


def test_most_pictures_change_and_one_in_five_is_left_alone():
    images = handwritten_digits("train").images
    same = (deform(images, 1.0, _random()) == images).flatten(1).all(1)
    assert 0.15 < same.double().mean() < 0.25


def test_ink_stays_between_paper_and_ink_and_no_digit_becomes_wider():
    images = handwritten_digits("train").images
    new = deform(images, 1.0, _random())
    assert new.min() >= 0
    assert new.max() <= 1
    assert not new.masked_fill((images > 0).any(1, keepdim=True), 0).any()


def test_a_varied_digit_still_resembles_itself_more_than_others():
    images, labels = (getattr(handwritten_digits("train"), name) for name in ("images", "labels"))
    new = deform(images, 1.0, _random()).flatten(1)
    nearest = torch.cdist(new, images.flatten(1)).argmin(1)
    assert (labels[nearest] == labels).double().mean() > 0.9


def test_the_same_generator_gives_the_same_pictures():
    images = handwritten_digits("train").images[:20]
    assert torch.equal(deform(images, 1.0, _random()), deform(images, 1.0, _random()))
    assert not torch.equal(deform(images, 1.0, _random()), deform(images, 1.0, torch.Generator().manual_seed(4)))


def test_scenes_are_varied_only_when_asked_for():
    plain, varied = draw_scenes(40, 5), draw_scenes(40, 5, variation=1.0)
    assert torch.equal(draw_scenes(40, 5, variation=0.0).images, plain.images)
    assert torch.equal(draw_scenes(40, 5, variation=1.0).images, varied.images)
    assert torch.equal(varied.labels, plain.labels)
    assert varied.captions[:3] == plain.captions[:3]
    assert not torch.equal(varied.images, plain.images)
