"""Column by column: those before in this column, and all of the columns before, that chose the same expert."""


def within_capacity(chosen, num_experts, capacity):
    before = torch.zeros(num_experts, dtype=torch.long, device=chosen.device)
    columns = []
    for column in chosen.unbind(dim=1):
        same = column[:, None] == column[None, :]
        position = torch.tril(same, diagonal=-1).sum(dim=1) + before[column]
        columns.append(position < capacity)
        before = before + torch.bincount(column, minlength=num_experts)
    return torch.stack(columns, dim=1)
