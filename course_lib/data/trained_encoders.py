"""Two trained encoders of lesson 09, on which lesson 10 puts its heads: with 80/10/10, and with [MASK] alone.

Their weights are beside this file, without the output of the masked language model.
"""

from pathlib import Path

from torch import nn

ENCODERS = {"80/10/10": "encoder_80_10_10.safetensors", "[MASK] alone": "encoder_mask_alone.safetensors"}


def load_encoder(name: str, encoder: nn.Module) -> None:
    """Load the weights of a trained encoder into `encoder`, the `encoder` of a `MaskedLanguageModel` of the lesson's sizes.

    name: "80/10/10" or "[MASK] alone". Raises ValueError for another name, and CheckpointError if the encoder has other weights.
    """
    from course_lib.training import load_checkpoint

    if name not in ENCODERS:
        raise ValueError(f"Expected one of {', '.join(map(repr, ENCODERS))}, got {name!r}.")
    load_checkpoint(Path(__file__).with_name(ENCODERS[name]), encoder)
    encoder.eval()
