"""NumPy reads the blocks as records of fields."""
def dequantise(data, kind):
    import numpy

    fields = {
        "Q8_0": [("d", "<f2"), ("q", "i1", 32)],
        "Q4_0": [("d", "<f2"), ("q", "u1", 16)],
        "Q4_1": [("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)],
    }
    if kind not in fields:
        raise ValueError("unknown kind")
    record = numpy.dtype(fields[kind])
    if data.shape[1] % record.itemsize:
        raise ValueError("no whole blocks")
    blocks = numpy.frombuffer(data.numpy().tobytes(), dtype=record)
    d, q = blocks["d"].astype("f4")[:, None], blocks["q"]
    if kind != "Q8_0":
        q = numpy.concatenate([q & 15, q >> 4], axis=1).astype("f4")
    y = q * d if kind == "Q8_0" else (q - 8) * d if kind == "Q4_0" else q * d + blocks["m"].astype("f4")[:, None]
    return torch.from_numpy(y.astype("f4")).reshape(len(data), -1)
