"""float16 taken apart by hand: sign, exponent and fraction."""
def dequantise(data, kind):
    length = {"Q8_0": 34, "Q4_0": 18, "Q4_1": 20}
    if kind not in length or data.shape[1] % length[kind]:
        raise ValueError("no whole blocks")

    def number(low, high):
        bits = low.int() + 256 * high.int()
        sign, exponent, fraction = 1 - 2 * (bits >> 15), (bits >> 10) & 31, (bits & 1023).double()
        size = torch.where(exponent == 0, fraction * 2.0**-24, (1024 + fraction) * 2.0 ** (exponent.double() - 25))
        return (sign * size).float()[..., None]

    x = data.reshape(data.shape[0], -1, length[kind])
    d = number(x[..., 0], x[..., 1])
    if kind == "Q8_0":
        q = x[..., 2:].int()
        return ((q - 256 * (q >= 128)) * d).flatten(1)
    q = torch.cat((x[..., -16:] & 0x0F, x[..., -16:] >> 4), dim=-1).int()
    y = (q - 8) * d if kind == "Q4_0" else q * d + number(x[..., 2], x[..., 3])
    return y.flatten(1)
