"""Both functions everywhere, and torch.where chooses."""
def sinusoidal_positions(N, D):
    columns = torch.arange(D)
    exponents = torch.div(columns, 2, rounding_mode="floor").double() * 2 / D
    angles = torch.arange(N, dtype=torch.double).unsqueeze(-1) * torch.pow(10000.0, -exponents)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos()).to(torch.float)
