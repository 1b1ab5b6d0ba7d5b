"""The sizes are bound beforehand."""
import functools

_config = functools.partial(layers.TransformerConfig, kind="decoder", vocab_size=8, model_width=32, num_heads=2, hidden_width=128,
                            max_length=65, dropout=0.0, norm="pre", activation="gelu", tied=True)
my_learner = lambda num_blocks=2: GPT(_config(decoder_blocks=num_blocks))
