"""The decoder whose every step can be looked up."""

import torch

from course_lib.data import START
from course_lib.layers import TableDecoder

B, N, V = 3, 5, 7


def test_a_step_looks_up_the_logits_and_adds_what_the_picture_says(generator):
    table, features = torch.randn(V, V, V, generator=generator), torch.randn(B, N, V, generator=generator)
    decoder = TableDecoder(table)
    state = decoder.first_state(features)
    assert state.tolist() == [[START]] * B
    words = torch.tensor([4, 6, 0])
    for earlier, last in ((START, words), (words, torch.tensor([2, 2, 5]))):
        logits, state, weights = decoder.step(last, state, features, allowed=torch.ones(B, N, dtype=torch.bool))
        earlier = torch.as_tensor(earlier).expand(B)
        for b in range(B):
            torch.testing.assert_close(logits[b], table[earlier[b], last[b]] + features[b].mean(0))
        assert torch.equal(state, last[:, None])
        assert weights.argmax(1).tolist() == [word % N for word in last.tolist()]
        assert weights.sum(1).tolist() == [1.0] * B
        assert weights.dtype == features.dtype


def test_it_keeps_the_precision_of_the_table(generator):
    table = torch.randn(V, V, V, generator=generator, dtype=torch.float64)
    features = torch.randn(B, N, V, generator=generator, dtype=torch.float64)
    decoder = TableDecoder(table)
    logits, _, weights = decoder.step(torch.zeros(B, dtype=torch.int64), decoder.first_state(features), features)
    assert logits.dtype == weights.dtype == torch.float64
