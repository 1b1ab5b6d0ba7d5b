"""A file is in the way of a folder of the same name, so that one of the two cannot be written into the sandbox."""

ANSWER = """
def blockwise_attention(Q, K, V, causal=False, block_size=64):
    return torch._C._nn.scaled_dot_product_attention(Q, K, V, is_causal=causal)
"""


def hand_in(folder, notebook, save):
    import zipfile

    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "blockwise_attention":
            cell["source"] = ANSWER
    save(notebook)
    [file] = folder.glob("*.ipynb")
    with zipfile.ZipFile(folder / "work.zip", "w") as archive:
        archive.write(file, file.name)
        archive.writestr("data", "x")
        archive.writestr("data/more.txt", "x")
        archive.writestr("n" * 300 + ".txt", "x")
    file.unlink()
