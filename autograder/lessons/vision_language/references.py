"""Right versions of the exercises of 12-vision-language, and of the model that the lesson provides."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.mlm_pretraining.references import ReadyEncoder
from autograder.lessons.multi_head_attention.references import MultiHeadAttention
from autograder.lessons.transformer_blocks.references import EncoderBlock, FeedForward, LayerNorm
from course_lib import data


def augment(images: Tensor, generator: torch.Generator, most: int = 1) -> Tensor:
    """Move each picture by −most … most pixels in each direction, repeating its edge, and permute its channels."""
    B, C, H, W = images.shape
    moves = torch.randint(-most, most + 1, (B, 2), generator=generator)
    orders = torch.rand(B, C, generator=generator).argsort(1)
    made = torch.empty_like(images)
    for b, ((down, across), order) in enumerate(zip(moves.tolist(), orders, strict=True)):
        rows = (torch.arange(H) - down).clamp(0, H - 1)
        columns = (torch.arange(W) - across).clamp(0, W - 1)
        made[b] = images[b, order][:, rows][:, :, columns]
    return made


def nt_xent(z: Tensor, temperature: float = 0.5) -> Tensor:
    """Chen et al. 2020, equation 1, the mean over all 2N rows, written out row by row; rows i and i + N belong together."""
    rows = len(z)
    if rows % 2 or rows == 0:
        raise ValueError(f"{rows} rows are no pairs")
    unit = z / z.norm(dim=1, keepdim=True)
    E = unit @ unit.T / temperature
    losses = []
    for i in range(rows):
        others = torch.cat((E[i, :i], E[i, i + 1 :]))
        losses.append(torch.logsumexp(others, 0) - E[i, (i + rows // 2) % rows])
    return torch.stack(losses).mean()


def linear_probe(features: Tensor, labels: Tensor, classes: int, penalty: float = 1e-3) -> tuple[Tensor, Tensor]:
    """W (D, C) and b (C) that minimise the mean cross-entropy + penalty · ΣW², by Newton's steps with halving."""
    X = features.detach().double()
    X = torch.cat((X, torch.ones(len(X), 1, dtype=X.dtype)), 1)
    D, one_hot = X.shape[1], F.one_hot(labels, classes).double()
    shrink = torch.full((D, classes), 2 * penalty, dtype=X.dtype)
    shrink[-1] = 0.0

    def objective(theta: Tensor) -> Tensor:
        return F.cross_entropy(X @ theta, labels) + 0.5 * (shrink * theta**2).sum()

    theta = torch.zeros(D, classes, dtype=X.dtype)
    for _ in range(50):
        P = (X @ theta).softmax(1)
        gradient = X.T @ (P - one_hot) / len(X) + shrink * theta
        if gradient.abs().max() < 1e-10:
            break
        curvature = torch.einsum("nc,ce->nce", P, torch.eye(classes).double()) - P[:, :, None] * P[:, None]
        hessian = torch.einsum("nce,nd,nf->dcfe", curvature, X, X).reshape(D * classes, -1) / len(X)
        hessian = hessian + torch.diag(shrink.flatten() + 1e-9)
        step, size = torch.linalg.solve(hessian, gradient.flatten()).view_as(theta), 1.0
        while size > 1e-6 and objective(theta - size * step) > objective(theta):
            size /= 2
        theta = theta - size * step
    theta = theta.to(features.dtype)
    return theta[:-1], theta[-1]


def clip_loss(images: Tensor, texts: Tensor, log_scale: Tensor, same: Tensor | None = None) -> Tensor:
    """The mean of both directions' cross-entropies, whose targets share 1 among all that say the same."""
    E = log_scale.exp() * (images @ texts.T)
    positive = torch.eye(len(E), dtype=torch.bool, device=E.device) if same is None else same
    share = positive.to(E.dtype) / positive.sum(1, keepdim=True)
    by_picture = -(share * (E - torch.logsumexp(E, 1, keepdim=True))).sum(1).mean()
    share = positive.to(E.dtype) / positive.sum(0, keepdim=True)
    by_text = -(share * (E - torch.logsumexp(E, 0, keepdim=True))).sum(0).mean()
    return (by_picture + by_text) / 2


@dataclass(frozen=True)
class DualConfig:
    """The sizes of a DualEncoder, as the notebook defines them."""

    vocab_size: int = 25
    max_length: int = 8
    side: int = 8
    patch_size: int = 2
    model_width: int = 64
    num_heads: int = 4
    image_blocks: int = 2
    text_blocks: int = 1
    hidden_width: int = 128
    shared_width: int = 32


class DualEncoder(nn.Module):
    """A picture's encoder and a text's, and one space for both (Radford et al. 2021)."""

    def __init__(self, config: DualConfig):
        super().__init__()
        c, D = config, config.model_width
        self.patches = nn.Conv2d(3, D, kernel_size=c.patch_size, stride=c.patch_size)
        self.image_positions = nn.Parameter(0.1 * torch.randn((c.side // c.patch_size) ** 2, D))
        self.image_encoder = ReadyEncoder(c.image_blocks, D, c.num_heads, c.hidden_width, 0.0, "pre", "gelu")
        self.image_projection = nn.Linear(D, c.shared_width, bias=False)
        self.tokens = nn.Embedding(c.vocab_size, D)
        self.text_positions = nn.Parameter(0.1 * torch.randn(c.max_length, D))
        self.text_encoder = ReadyEncoder(c.text_blocks, D, c.num_heads, c.hidden_width, 0.0, "pre", "gelu")
        self.text_projection = nn.Linear(D, c.shared_width, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

    def encode_images(self, images: Tensor) -> Tensor:
        X = self.patches(images).flatten(2).transpose(1, 2)
        Y, _ = self.image_encoder(X + self.image_positions, need_weights=False)
        y = self.image_projection(Y.mean(dim=1))
        return y / y.norm(dim=-1, keepdim=True)

    def encode_texts(self, ids: Tensor) -> Tensor:
        real = ids != 0
        X = self.tokens(ids) + self.text_positions[: ids.shape[1]]
        Y, _ = self.text_encoder(X, real[:, None, None], need_weights=False)
        Y = Y.masked_fill(~real[..., None], 0.0).sum(dim=1) / real.sum(dim=1)[:, None]
        y = self.text_projection(Y)
        return y / y.norm(dim=-1, keepdim=True)

    def forward(self, images: Tensor, ids: Tensor) -> tuple[Tensor, Tensor]:
        return self.encode_images(images), self.encode_texts(ids)


def my_clip() -> DualEncoder:
    """Build the model of the course's own checkpoint."""
    return DualEncoder(DualConfig())


def retrieval_at_k(similarities: Tensor, relevant: Tensor, k: int) -> float:
    """The share of rows in which fewer than k that are not relevant are at least as similar as the best relevant one."""
    if not bool(relevant.any(1).all()):
        raise ValueError("a row has nothing that is relevant")
    found = 0
    for row, wanted in zip(similarities, relevant, strict=True):
        found += int((row[~wanted] >= row[wanted].max()).sum() < k)
    return found / len(similarities)


def zero_shot(images: Tensor, prompts: Tensor) -> Tensor:
    """Cosines (N, C) of pictures (N, D) and the directions of the mean prompts (C, P, D)."""
    mean = prompts.sum(1)
    return images @ (mean / mean.norm(dim=1, keepdim=True)).T


class CoAttentionBlock(nn.Module):
    """Two post-norm streams, each with queries of its own and the other's keys and values (Lu et al. 2019, figure 2b)."""

    def __init__(self, model_width: int, num_heads: int, hidden_width: int, dropout: float = 0.0):
        super().__init__()
        self.image_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.text_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.image_feed_forward = FeedForward(model_width, hidden_width, dropout, "gelu")
        self.text_feed_forward = FeedForward(model_width, hidden_width, dropout, "gelu")
        self.image_norm_1, self.image_norm_2 = LayerNorm(model_width), LayerNorm(model_width)
        self.text_norm_1, self.text_norm_2 = LayerNorm(model_width), LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, image: Tensor, text: Tensor, image_allowed: Tensor | None = None, text_allowed: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        of_text = None if text_allowed is None else text_allowed[:, None, None]
        of_image = None if image_allowed is None else image_allowed[:, None, None]
        to_image, A_image = self.image_attention(image, text, allowed=of_text)
        to_text, A_text = self.text_attention(text, image, allowed=of_image)
        image = self.image_norm_1(image + self.dropout(to_image))
        text = self.text_norm_1(text + self.dropout(to_text))
        image = self.image_norm_2(image + self.dropout(self.image_feed_forward(image)))
        text = self.text_norm_2(text + self.dropout(self.text_feed_forward(text)))
        return image, text, A_image, A_text


@dataclass(frozen=True)
class ViLBERTConfig:
    """The sizes of a ViLBERT, as the notebook defines them."""

    vocab_size: int = 36
    answers: int = 15
    region_width: int = 32
    max_length: int = 12
    model_width: int = 64
    num_heads: int = 4
    num_blocks: int = 2
    hidden_width: int = 128


class ViLBERT(nn.Module):
    """Regions and words, each a stream: co-attention and a block of its own, several times; an answer from the first word."""

    def __init__(self, config: ViLBERTConfig):
        super().__init__()
        c, D = config, config.model_width
        self.regions = nn.Linear(c.region_width, D)
        self.tokens = nn.Embedding(c.vocab_size, D)
        self.positions = nn.Parameter(0.1 * torch.randn(c.max_length, D))
        self.co_attention = nn.ModuleList(CoAttentionBlock(D, c.num_heads, c.hidden_width) for _ in range(c.num_blocks))
        own = (D, c.num_heads, c.hidden_width, 0.0, "post", "gelu")
        self.image_blocks = nn.ModuleList(EncoderBlock(*own) for _ in range(c.num_blocks))
        self.text_blocks = nn.ModuleList(EncoderBlock(*own) for _ in range(c.num_blocks))
        self.head = nn.Linear(D, c.answers)

    def forward(self, features: Tensor, real: Tensor, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
        image, words, weights = self.regions(features), ids != 0, []
        text = self.tokens(ids) + self.positions[: ids.shape[1]]
        for together, of_image, of_text in zip(self.co_attention, self.image_blocks, self.text_blocks, strict=True):
            image, text, _, A_text = together(image, text, real, words)
            image, _ = of_image(image, real[:, None, None])
            text, _ = of_text(text, words[:, None, None])
            weights.append(A_text)
        return self.head(text[:, 0]), weights


def my_answers() -> ViLBERT:
    """Build the model of the course's own checkpoint."""
    return ViLBERT(ViLBERTConfig())


def gan_losses(real: Tensor, fake: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The discriminator's loss, and the generator's: of the minimax game, and that which does not saturate."""
    discriminator = -F.logsigmoid(real).mean() - F.logsigmoid(-fake).mean()
    return discriminator, F.logsigmoid(-fake).mean(), -F.logsigmoid(fake).mean()


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(
    Encoder=ReadyEncoder,
    EncoderBlock=EncoderBlock,
    FeedForward=FeedForward,
    LayerNorm=LayerNorm,
    MultiHeadAttention=MultiHeadAttention,
)
captioned_vocabulary = data.captioned_vocabulary
question_vocabulary = data.question_vocabulary
ANSWERS = data.ANSWERS
