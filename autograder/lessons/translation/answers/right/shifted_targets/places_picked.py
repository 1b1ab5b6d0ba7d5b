"""index_select with the places."""
def shifted_targets(translations):
    places = torch.arange(translations.shape[1] - 1, device=translations.device) if translations.shape[1] > 1 else None
    if places is None:
        raise ValueError(f"Expected at least START and END, got sentences of {translations.shape[1]}.")
    return translations.index_select(1, places), translations.index_select(1, places + 1)
