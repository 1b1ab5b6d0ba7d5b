"""Detect a function that caches results instead of computing every call from its inputs."""

from autograder.judging.failure import CheckFailure
from autograder.judging.tools import expect


def computes_afresh(call, reference, inputs, draw):
    """Call three times with the same tensors, holding new numbers each time, and compare each result with the reference.

    ``call`` and ``reference`` take ``inputs`` and return one tensor.
    """
    expect.close(expect.tensor(call(*inputs), "Y"), reference(*inputs), "Y", setting="the first call")
    for _ in range(2):
        for tensor in inputs:
            tensor.copy_(draw.normal(*tensor.shape))
        try:
            expect.close(
                expect.tensor(call(*inputs), "Y"), reference(*inputs), "Y", setting="the same tensors, new numbers"
            )
        except CheckFailure as failure:
            failure.kind, failure.cause = "memory", "results remembered"
            failure.hint = (
                "The first call was right; a later one uses what it computed then. Compute every call from its inputs."
            )
            raise
