"""narrow."""
def shifted_targets(translations):
    T = translations.size(1)
    if T <= 1:
        raise ValueError("A sentence needs START and something behind it.")
    return translations.narrow(1, 0, T - 1), translations.narrow(1, 1, T - 1)
