"""A formula for the encoder-decoder is used whatever the configuration describes. Look at what
kind, norm, tied, segments, pooler and classes change."""


def parameter_count(config):
    D, D_F = config.model_width, config.hidden_width
    attention = 4 * (D * D + D)
    feed_forward = 2 * D * D_F + D_F + D
    norm = 2 * D
    encoder = config.encoder_blocks * (attention + feed_forward + 2 * norm)
    decoder = config.decoder_blocks * (2 * attention + feed_forward + 3 * norm)
    return config.vocab_size * D + encoder + decoder
