"""A file whose path ends in ``..`` once it is cut to two hundred characters: writing it then fails, and with it what comes after."""

ANSWER = """
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    return F.scaled_dot_product_attention(Q, K, V, is_causal=causal)
"""


def hand_in(folder, notebook, save):
    for length in (198, 197, 196, 200):
        path = folder / ("a" * 99) / ("b" * (length - 100)) / "..c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "blockwise_attention":
            cell["source"] = ANSWER
    save(notebook)
