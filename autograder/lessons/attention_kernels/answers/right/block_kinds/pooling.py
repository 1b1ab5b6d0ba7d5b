"""The largest and the smallest number of each tile, by pooling with a ceiling."""


def block_kinds(allowed, block_q, block_k):
    values = allowed.float()[None]
    tile = (block_q, block_k)
    largest = F.max_pool2d(values, tile, tile, ceil_mode=True)
    smallest = -F.max_pool2d(-values, tile, tile, ceil_mode=True)
    return (largest + smallest)[0].long()
