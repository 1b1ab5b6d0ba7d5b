"""Every id is a character, and str.replace carries out each merge; only merges whose parts are there."""
def bpe_encode(ids, merges):
    text = "".join(chr(n) for n in ids)
    for k in range(len(merges)):
        a, b = merges[k]
        if chr(a) in text:
            text = text.replace(chr(a) + chr(b), chr(256 + k))
    return tuple(ord(letter) for letter in text)
