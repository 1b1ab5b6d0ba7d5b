"""A model of another kind is returned. Look at which one the weights in the file belong to."""


def my_language_model():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4), 2)
