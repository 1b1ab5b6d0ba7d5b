"""The configuration of a Transformer."""

from dataclasses import dataclass

from course_lib.layers.blocks import check_norm
from course_lib.layers.feed_forward import check_activation
from course_lib.layers.heads import check_heads

KINDS = ("encoder-decoder", "encoder", "decoder", "vision")
AT_LEAST_ONE = ("model_width", "num_heads", "hidden_width", "max_length", "patch_size")
AT_LEAST_ZERO = ("vocab_size", "encoder_blocks", "decoder_blocks", "segments", "classes")


@dataclass(frozen=True)
class TransformerConfig:
    """The sizes and choices of a model. The defaults are the base model of Vaswani et al. (2017), except for `vocab_size`.

    kind: "encoder-decoder" (translation), "encoder" (like BERT), "decoder" (like GPT-2) or "vision" (like ViT).
    vocab_size: how many token ids there are; 0 for "vision" only.
    model_width: D, the width of every position from the first block to the last.
    num_heads: H, which divides model_width.
    hidden_width: the width inside the feed-forward networks, usually 4 D.
    encoder_blocks: the number of encoder blocks; "decoder" ignores it.
    decoder_blocks: the number of decoder blocks; "encoder" and "vision" ignore it.
    max_length: the number of learned positions, a ViT's class token included. An encoder-decoder has sinusoidal
        positions and takes longer sequences too.
    dropout: the probability of dropout, everywhere.
    norm: "post" or "pre", for "encoder-decoder" and "encoder". "decoder" and "vision" are always "pre".
    activation: "relu" or "gelu" (what BERT, GPT-2 and ViT take), in the feed-forward networks.
    tied: whether the output of an "encoder-decoder" or "decoder" reuses the embedding instead of a matrix of its own.
    segments: for "encoder", the number of learned segment vectors (BERT: 2), 0 for none.
    pooler: for "encoder", whether there is BERT's layer on the first position.
    patch_size: for "vision", height and width of a patch in pixels.
    classes: for "vision", the number of outputs of the head, 0 for none.

    Raises ValueError if a field has a value that no model can have.
    """

    kind: str = "encoder-decoder"
    vocab_size: int = 0
    model_width: int = 512
    num_heads: int = 8
    hidden_width: int = 2048
    encoder_blocks: int = 6
    decoder_blocks: int = 6
    max_length: int = 512
    dropout: float = 0.1
    norm: str = "post"
    activation: str = "relu"
    tied: bool = True
    segments: int = 0
    pooler: bool = False
    patch_size: int = 16
    classes: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"Expected kind to be one of {', '.join(map(repr, KINDS))}, got {self.kind!r}.")
        for names, least in ((AT_LEAST_ONE, 1), (AT_LEAST_ZERO, 0)):
            for name in names:
                self._check_number(name, least)
        if self.kind != "vision":
            self._check_number("vocab_size", 1)
        check_norm(self.norm)
        check_activation(self.activation)
        check_heads(self.model_width, self.num_heads)
        if not 0 <= self.dropout <= 1:
            raise ValueError(f"Expected dropout to be a probability, from 0 to 1, got {self.dropout}.")

    def _check_number(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if value < least:
            raise ValueError(f'Expected {name} to be at least {least} for kind="{self.kind}", got {value}.')
