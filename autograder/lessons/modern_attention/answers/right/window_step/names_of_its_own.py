"""Other names for the arguments, and the rows written by index."""


def window_step(queries, keys, values, cache, done, sinks=0):
    held_keys, held_values = cache
    slots, rows = held_keys.shape[-2], []
    for i in range(queries.shape[-2]):
        place = done + i if done + i < slots else sinks + (done + i - sinks) % (slots - sinks)
        held_keys[..., place, :] = keys[..., i, :]
        held_values[..., place, :] = values[..., i, :]
        used = min(done + i + 1, slots)
        row, _ = scaled_dot_product_attention(
            queries[..., i : i + 1, :], held_keys[..., :used, :], held_values[..., :used, :]
        )
        rows.append(row)
    return torch.cat(rows, dim=-2)
