"""The sizes in a dictionary by name."""


def my_search():
    sizes = dict(width=48, num_heads=4, num_blocks=2, max_length=40)
    return TwoTower(query_words=len(french_vocabulary()), document_words=len(english_vocabulary()), **sizes).eval()
