"""One function that makes every Transformer of the course."""

from torch import nn

from course_lib.layers.bert import TokenEncoder
from course_lib.layers.config import TransformerConfig
from course_lib.layers.gpt import LanguageModel
from course_lib.layers.transformer import Transformer
from course_lib.layers.vit import VisionTransformer

MODELS: dict[str, type[nn.Module]] = {
    "encoder-decoder": Transformer,
    "encoder": TokenEncoder,
    "decoder": LanguageModel,
    "vision": VisionTransformer,
}


def make_model(config: TransformerConfig) -> nn.Module:
    """Return the model that `config` describes, with fresh parameters; each model's forward returns (output, weights).

    encoder-decoder: `Transformer`. encoder: `TokenEncoder`, as BERT. decoder: `LanguageModel`, as GPT-2.
    vision: `VisionTransformer`. Under `with torch.device("meta"):` it takes no memory, which is enough to count.
    """
    return MODELS[config.kind](config)
