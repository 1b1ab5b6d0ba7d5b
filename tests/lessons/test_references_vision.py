"""The references of the vision lesson against Hugging Face's ViT and Swin and PyTorch's own functions, in float64."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.checks.modules import sample
from autograder.lessons.vit import references

transformers = pytest.importorskip("transformers")

#: Names here → names there, inside a block.
BLOCK = {
    "attention.W_Q": "attention.q_proj",
    "attention.W_K": "attention.k_proj",
    "attention.W_V": "attention.v_proj",
    "attention.W_O": "attention.o_proj",
    "norm_1.gamma": "layernorm_before.weight",
    "norm_1.beta": "layernorm_before.bias",
    "feed_forward.W_1": "mlp.fc1",
    "feed_forward.W_2": "mlp.fc2",
    "norm_2.gamma": "layernorm_after.weight",
    "norm_2.beta": "layernorm_after.bias",
}
OUTSIDE = {
    "embedding.projection": "vit.embeddings.patch_embeddings.projection",
    "class_token": "vit.embeddings.cls_token",
    "positions": "vit.embeddings.position_embeddings",
    "encoder.norm.gamma": "vit.layernorm.weight",
    "encoder.norm.beta": "vit.layernorm.bias",
    "head": "classifier",
}


def there(name):
    """What Hugging Face calls a parameter of ours."""
    if name.startswith("encoder.blocks."):
        number, _, rest = name.removeprefix("encoder.blocks.").partition(".")
        [(ours, theirs)] = [(a, b) for a, b in BLOCK.items() if rest.startswith(a)]
        return f"vit.layers.{number}.{theirs}{rest.removeprefix(ours)}"
    ours = max((key for key in OUTSIDE if name.startswith(key)), key=len)
    return OUTSIDE[ours] + name.removeprefix(ours)


def theirs_of(config, attention="sdpa"):
    settings = transformers.ViTConfig(
        image_size=(config.height, config.width),
        patch_size=config.patch_size,
        num_channels=config.channels,
        hidden_size=config.model_width,
        num_hidden_layers=config.num_blocks,
        num_attention_heads=config.num_heads,
        intermediate_size=config.hidden_width,
        num_labels=config.classes,
        layer_norm_eps=1e-5,
        hidden_act="gelu",
        attn_implementation=attention,
    )
    return transformers.ViTForImageClassification(settings)


@pytest.mark.parametrize(
    "config",
    [
        references.ViTConfig(8, 8, 3, 2, 12, 3, 2, 17, 5),
        references.ViTConfig(6, 15, 2, 3, 14, 2, 3, 11, 7),
        references.ViTConfig(5, 5, 1, 5, 4, 1, 1, 3, 2),
    ],
)
@pytest.mark.parametrize("rows", [1, 4])
def test_vision_transformer_is_vit(config, rows):
    ours, theirs = references.VisionTransformer(config).double().eval(), theirs_of(config).double().eval()
    draw, target = Draw(7, "vit"), dict(theirs.named_parameters())
    with torch.no_grad():
        for name, value in ours.named_parameters():
            value.copy_(sample(name, value, draw))
            copy = target.pop(there(name))
            copy.copy_(value.reshape(copy.shape))
    assert not target, f"without a counterpart: {list(target)}"
    images = draw.normal(rows, config.channels, config.height, config.width)
    answer = theirs(images)
    logits, weights = ours(images)
    assert_close(logits, answer.logits)
    eager = theirs_of(config, "eager").double().eval()  # gives its weights, after a softmax in float32
    eager.load_state_dict(theirs.state_dict())
    for own, other in zip(weights, eager(images, output_attentions=True).attentions, strict=True):
        assert_close(own, other, rtol=0, atol=1e-6)
    [found] = torch.autograd.grad(logits.square().sum(), [ours.positions])
    [wanted] = torch.autograd.grad(answer.logits.square().sum(), [theirs.vit.embeddings.position_embeddings])
    assert_close(found, wanted[0])


@pytest.mark.parametrize(
    ("width", "heads", "blocks", "patch", "millions"),
    [(768, 12, 12, 16, 86), (1024, 16, 24, 32, 307), (1280, 16, 32, 14, 632)],
)
def test_parameter_counts_are_those_of_the_paper(width, heads, blocks, patch, millions):
    """The paper's 307M for Large fits patches of 32 pixels; with 16 it is 304M."""
    config = references.ViTConfig(224, 224, 3, patch, width, heads, blocks, 4 * width, 1000)
    with torch.device("meta"):
        ours, theirs = references.VisionTransformer(config), theirs_of(config)
    counts = [sum(p.numel() for p in model.parameters()) for model in (ours, theirs)]
    assert counts[0] == counts[1]
    assert counts[0] / 1e6 == pytest.approx(millions, abs=1)


@pytest.mark.parametrize(("B", "C", "H", "W", "P"), [(1, 1, 2, 2, 1), (2, 3, 4, 6, 2), (3, 2, 9, 6, 3)])
def test_patches_are_cut_out_of_the_picture_and_put_back(B, C, H, W, P):
    images = Draw(1, "patches").normal(B, C, H, W)
    patches = references.patchify(images, P)
    for n in range((H // P) * (W // P)):
        i, j = n // (W // P), n % (W // P)
        assert torch.equal(patches[:, n], images[:, :, i * P : (i + 1) * P, j * P : (j + 1) * P].flatten(1))
    assert torch.equal(references.unpatchify(patches, P, H, W), images)


def test_a_picture_that_cannot_be_cut_is_refused():
    with pytest.raises(ValueError, match="cannot be cut"):
        references.patchify(torch.zeros(1, 3, 5, 4), 2)
    with pytest.raises(ValueError, match="are not the patches"):
        references.unpatchify(torch.zeros(1, 5, 12), 2, 4, 4)


def test_patch_embedding_is_a_strided_convolution():
    layer, images = references.PatchEmbedding(3, 2, 13).double(), Draw(2, "embedding").normal(2, 3, 6, 10)
    convolution = torch.nn.Conv2d(3, 13, 2, stride=2).double()
    convolution.load_state_dict({"weight": layer.projection.weight.view(13, 3, 2, 2), "bias": layer.projection.bias})
    assert_close(layer(images), convolution(images).flatten(2).mT)


@pytest.mark.parametrize("grid", [(2, 2), (5, 7), (8, 8), (1, 3)])
def test_positions_are_stretched_as_in_vit(grid):
    config = references.ViTConfig(16, 16, 3, 4, 8, 2, 1, 8, 2)
    theirs = theirs_of(config).double().vit.embeddings
    tokens = torch.zeros(1, 1 + grid[0] * grid[1], 8)
    want = theirs.interpolate_pos_encoding(tokens, 4 * grid[0], 4 * grid[1])[0]
    assert_close(references.interpolate_positions(theirs.position_embeddings[0], grid), want)


def test_positions_without_a_square_grid_are_refused():
    with pytest.raises(ValueError, match="no square grid"):
        references.interpolate_positions(torch.zeros(8, 3), (2, 2))


def test_rollout_follows_the_paths():
    """Through two blocks, what arrives is the sum over all paths: stay or look, in each block."""
    draw = Draw(3, "rollout")
    first, second = (draw.normal(2, 3, 5, 5).softmax(-1) for _ in range(2))
    found = references.attention_rollout([first, second])
    for b in range(2):
        one, two = (0.5 * A[b].mean(0) + 0.5 * torch.eye(5) for A in (first, second))
        want = sum(two[:, k, None] * one[None, k] for k in range(5))
        assert_close(found[b], want)
    assert_close(found.sum(-1), torch.ones(2, 5).double())


@pytest.mark.parametrize(
    ("rows", "columns", "window", "shift"), [(4, 6, 2, 1), (8, 8, 4, 2), (6, 9, 3, 1), (5, 5, 5, 2)]
)
def test_windows_are_swins(rows, columns, window, shift):
    from transformers.models.swin.modeling_swin import SwinConfig, SwinLayer, window_partition

    X = Draw(4, "swin").normal(2, rows, columns, 6)
    windows, allowed = references.shifted_windows(X, window, shift)
    want = window_partition(torch.roll(X, (-shift, -shift), (1, 2)), window).view(2, -1, window**2, 6)
    assert_close(windows, want)
    layer = SwinLayer(SwinConfig(window_size=window), 6, (100, 100), 2, shift_size=shift)
    mask = layer.get_attn_mask(rows, columns, torch.float64, torch.device("cpu"))
    assert torch.equal(allowed, mask == 0)


def test_without_a_shift_everybody_sees_everybody():
    _, allowed = references.shifted_windows(torch.zeros(1, 4, 6, 3), 2, 0)
    assert bool(allowed.all())
    for rows, window, shift in ((5, 2, 1), (4, 2, 2), (4, 2, -1)):
        with pytest.raises(ValueError, match="windows of"):
            references.shifted_windows(torch.zeros(1, rows, 4, 3), window, shift)


def test_unpatchify_is_fold():
    patches = Draw(5, "fold").normal(2, 12, 3 * 4)
    assert_close(references.unpatchify(patches, 2, 6, 8), F.fold(patches.mT, (6, 8), 2, stride=2))
