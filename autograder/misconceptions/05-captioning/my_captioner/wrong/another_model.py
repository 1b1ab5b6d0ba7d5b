"""A model of another class is returned. Look at which one the weights in the file belong to."""


def my_captioner():
    return nn.GRU(32, 128, batch_first=True)
