"""Recursive, from the id down to its bytes; all ids are looked at first."""
def bpe_decode(ids, merges):
    known = 256 + len(merges)
    strange = [n for n in ids if n < 0 or n >= known]
    if strange:
        raise ValueError(f"ids go from 0 to {known - 1}, and these do not: {strange[:3]}")

    def expand(n):
        return [n] if n < 256 else sum((expand(part) for part in merges[n - 256]), [])

    return [byte for n in ids for byte in expand(n)]
