"""A flag says that an id has been used; the result is a tuple."""
def merge_pair(ids, pair, new):
    out, used = [], False
    for here, behind in zip(ids, [*ids[1:], None]):
        if used:
            used = False
        elif (here, behind) == tuple(pair):
            out.append(new)
            used = True
        else:
            out.append(here)
    return tuple(out)
