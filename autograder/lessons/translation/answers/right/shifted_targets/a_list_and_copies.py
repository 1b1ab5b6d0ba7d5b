"""Copies, in a list."""
def shifted_targets(translations):
    B, T = translations.shape
    if T < 2:
        raise ValueError(f"nothing to predict in {T} places")
    return [translations[..., : T - 1].clone(), translations[..., 1:].clone()]
