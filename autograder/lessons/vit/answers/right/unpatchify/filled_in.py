"""An empty canvas, filled square by square."""
def unpatchify(patches, patch_size, height, width):
    B, N, K = patches.shape
    P = patch_size
    if height % P or width % P or N != (height // P) * (width // P) or K % (P * P):
        raise ValueError("do not fill it")
    C, h, w = K // (P * P), height // P, width // P
    canvas = patches.new_zeros(B, C, height, width)
    for n in range(N):
        top, left = P * (n // w), P * (n % w)
        canvas[:, :, top : top + P, left : left + P] = (
            patches[:, n].view(B, C, P, P) if patches.is_contiguous() else patches[:, n].reshape(B, C, P, P)
        )
    return canvas
