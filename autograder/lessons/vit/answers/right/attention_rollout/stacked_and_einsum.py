"""All blocks stacked at once; diagonals raised on a new tensor; einsum."""
def attention_rollout(weights):
    hats = 0.5 * torch.stack(tuple(weights)).mean(dim=2)
    hats = hats + torch.diag_embed(torch.full_like(hats[..., 0], 0.5))
    R = hats[0]
    for hat in hats[1:]:
        R = torch.einsum("bij,bjk->bik", hat, R)
    return R
