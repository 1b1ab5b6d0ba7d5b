"""CLIP's trained weights from a local folder in Hugging Face's format, through the package `transformers`, without a network."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

#: The normalisation of CLIP's pictures, by channel (Radford et al. 2021, in the published code).
MEAN = (0.48145466, 0.4578275, 0.40821073)
SPREAD = (0.26862954, 0.26130258, 0.27577711)


class LocalClip:
    """CLIP from a folder. Its vectors have length 1, ready for retrieval and zero-shot classification.

    log_scale: the logarithm of the learned scale, a tensor with one number.
    """

    def __init__(self, model: Any, tokenizer: Any):
        self.model, self.tokenizer = model.eval().requires_grad_(False), tokenizer
        self.log_scale = model.logit_scale
        self.side = model.config.vision_config.image_size
        self.longest = model.config.text_config.max_position_embeddings

    @torch.no_grad()
    def encode_images(self, images: Float[Tensor, "B 3 H W"]) -> Float[Tensor, "B D"]:
        """Return the vectors of pictures with light from 0 to 1. They are resized to the model's size, unevenly if need be."""
        square = F.interpolate(images, (self.side, self.side), mode="bicubic", antialias=True).clamp(0, 1)
        mean, spread = (torch.tensor(numbers)[:, None, None] for numbers in (MEAN, SPREAD))
        seen = self.model.vision_model(pixel_values=(square - mean) / spread)
        return F.normalize(self.model.visual_projection(seen.pooler_output), dim=-1)

    @torch.no_grad()
    def encode_texts(self, texts: Sequence[str]) -> Float[Tensor, "B D"]:
        """Return the vectors of texts, each cut to the model's maximum length. Raises ValueError without a text."""
        if not texts:
            raise ValueError("Expected at least one text, got none.")
        given = self.tokenizer(list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt")
        read = self.model.text_model(input_ids=given["input_ids"], attention_mask=given["attention_mask"])
        return F.normalize(self.model.text_projection(read.pooler_output), dim=-1)


def local_clip(folder: str | PathLike[str]) -> LocalClip:
    """Return CLIP with the weights and the tokenizer in a folder such as `openai/clip-vit-base-patch32`, downloaded before.

    Nothing is downloaded. Raises ImportError without `transformers`, FileNotFoundError if the folder or its config.json is
    missing, and ValueError for another kind of model.
    """
    path = Path(folder)
    if not (path / "config.json").is_file():
        raise FileNotFoundError(
            f"There is no {path / 'config.json'}. Expected a folder in Hugging Face's format: config.json, model.safetensors, "
            "and the tokenizer's files."
        )
    try:
        from transformers import AutoConfig, AutoTokenizer, CLIPModel
    except ImportError as error:
        raise ImportError('CLIP needs the package transformers: pip install "attention-course[clip]"') from error
    kind = AutoConfig.from_pretrained(path, local_files_only=True).model_type
    if kind != "clip":
        raise ValueError(f"Expected the folder of a CLIP model, got one of the kind {kind!r}: {path}.")
    model = CLIPModel.from_pretrained(path, local_files_only=True, use_safetensors=True)
    return LocalClip(model, AutoTokenizer.from_pretrained(path, local_files_only=True))
