"""Sets of pairs, as in the equation."""
def alignment_error_rate(found, sure, possible):
    if len({tuple(x.shape) for x in (found, sure, possible)}) > 1:
        raise ValueError("found, sure and possible need one shape")
    A, S, P = ({tuple(pair) for pair in x.nonzero().tolist()} for x in (found, sure, possible))
    if not A and not S:
        return 0.0
    return 1 - (len(A & S) + len(A & P)) / (len(A) + len(S))
