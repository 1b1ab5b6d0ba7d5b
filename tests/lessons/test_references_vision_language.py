"""The references of lesson 12 against Hugging Face's CLIP, scikit-learn and values worked out by hand, in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.lessons.vision_language import references


def unit(x):
    return x / x.norm(dim=-1, keepdim=True)


def test_clip_loss_is_that_of_transformers():
    modeling = pytest.importorskip("transformers.models.clip.modeling_clip")
    draw = Draw(3, "clip")
    images, texts, log_scale = unit(draw.normal(7, 5)), unit(draw.normal(7, 5)), draw.normal()
    want = modeling.image_text_contrastive_loss(log_scale.exp() * texts @ images.T)
    assert_close(references.clip_loss(images, texts, log_scale), want)
    assert_close(references.clip_loss(images, texts, log_scale, torch.eye(7, dtype=torch.bool)), want)


def test_clip_loss_with_equal_captions_is_a_cross_entropy_with_shared_targets():
    draw = Draw(4, "clip")
    images, texts, log_scale = unit(draw.normal(5, 3)), unit(draw.normal(5, 3)), draw.normal()
    said = torch.tensor([0, 1, 0, 2, 1])
    same = said[:, None] == said
    E = log_scale.exp() * images @ texts.T
    want = 0.0
    for i in range(5):
        friends = same[i].nonzero()[:, 0].tolist()
        for table in (E, E.T):
            want -= sum(table[i].log_softmax(0)[j] for j in friends) / len(friends) / 10
    assert_close(references.clip_loss(images, texts, log_scale, same), want)


def test_nt_xent_by_hand():
    pairs = torch.eye(2, dtype=torch.float64).repeat(2, 1)
    assert float(references.nt_xent(pairs, 1.0)) == pytest.approx(math.log(1 + 2 / math.e))
    assert float(references.nt_xent(torch.ones(6, 3).double())) == pytest.approx(math.log(5))
    with pytest.raises(ValueError, match="no pairs"):
        references.nt_xent(torch.ones(3, 2))


def test_linear_probe_is_scikit_learn_s_logistic_regression():
    linear_model = pytest.importorskip("sklearn.linear_model")
    draw = Draw(5, "probe")
    features, labels = draw.normal(60, 3), draw.integers(4, 60)
    W, b = references.linear_probe(features, labels, 4, 0.02)
    theirs = linear_model.LogisticRegression(C=1 / (2 * 0.02 * 60), tol=1e-10, max_iter=5000)
    theirs.fit(features.numpy(), labels.numpy())
    assert_close(W, torch.tensor(theirs.coef_.T), atol=1e-4, rtol=1e-4)
    assert_close(b - b.mean(), torch.tensor(theirs.intercept_ - theirs.intercept_.mean()), atol=1e-4, rtol=1e-4)


def test_retrieval_counts_ties_against_the_model():
    relevant = torch.tensor([[True, False, False], [False, True, True]])
    equal = torch.zeros(2, 3)
    assert references.retrieval_at_k(equal, relevant, 1) == 0.0
    assert references.retrieval_at_k(equal, relevant, 2) == 0.5
    assert references.retrieval_at_k(equal, relevant, 3) == 1.0
    with pytest.raises(ValueError, match="nothing"):
        references.retrieval_at_k(equal, torch.zeros(2, 3, dtype=torch.bool), 1)


def test_gan_losses_at_a_half_and_where_they_saturate():
    half = torch.zeros(3, dtype=torch.float64)
    assert [float(x) for x in references.gan_losses(half, half)] == pytest.approx(
        [2 * math.log(2), -math.log(2), math.log(2)]
    )
    assert [float(x) for x in references.gan_losses(half + 900, half - 900)] == pytest.approx([0.0, 0.0, 900.0])


def test_co_attention_by_hand():
    """One head of width 1 with weights of 1: the mean of the other stream's values, weighed by a softmax."""
    block = references.CoAttentionBlock(1, 1, 1).double()
    for name, value in block.named_parameters():
        value.data.fill_(0.0 if "bias" in name or "W_1" in name or "W_2" in name or "beta" in name else 1.0)
    image, text = torch.tensor([[[0.5]]]).double(), torch.tensor([[[1.0], [3.0]]]).double()
    _, _, A_image, A_text = block(image, text)
    assert_close(A_image[0, 0, 0], F.softmax(0.5 * text[0, :, 0], dim=0))
    assert_close(A_text, torch.ones_like(A_text))
    _, _, A_image, _ = block(image, text, text_allowed=torch.tensor([[True, False]]))
    assert_close(A_image[0, 0, 0], torch.tensor([1.0, 0.0]).double())
