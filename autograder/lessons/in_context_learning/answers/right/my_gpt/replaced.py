"""The fields of a first configuration are replaced."""
from dataclasses import replace


def my_gpt():
    small = layers.TransformerConfig(kind="decoder", vocab_size=75, activation="gelu", dropout=0.0, max_length=19)
    return GPT(replace(small, model_width=64, num_heads=4, hidden_width=4 * 64, decoder_blocks=2))
