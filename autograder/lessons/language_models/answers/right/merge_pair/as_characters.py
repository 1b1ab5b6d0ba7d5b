"""Every id is a character; Python's own replace goes from left to right without overlaps."""
def merge_pair(ids, pair, new):
    text = "".join(map(chr, ids))
    return [ord(letter) for letter in text.replace(chr(pair[0]) + chr(pair[1]), chr(new))]
