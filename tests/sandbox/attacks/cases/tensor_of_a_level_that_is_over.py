"""A result out of torch.vmap and torch.func.grad that has left them, with a level that is over."""

# replaces: softmax
left = []


def softmax(E, dim=-1):
    def keep(row):
        left.append(row * 1)
        return row.sum()

    torch.vmap(keep)(E.reshape(-1, 1))
    torch.func.grad(keep)(E.reshape(-1))
    return left[-2] if len(left) % 4 else left[-1]
