"""The same decoder with its equations written out."""
class WrittenOut(CaptionDecoder):
    def step(self, words, state, features, allowed=None):
        hidden = torch.tanh(F.linear(state, self.attention.W.weight).unsqueeze(1) + self.attention.U(features))
        scores = (hidden * self.attention.v.weight[0]).sum(-1)
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -1e9)
        weights = scores.softmax(-1)
        context = torch.einsum("bn,bnd->bd", weights, features)
        state = self.cell(torch.hstack([self.embedding(words), context]), state)
        return self.output(torch.hstack([state, context])), state, weights


def my_captioner():
    return WrittenOut(len(scene_vocabulary()), 32, 128, 32, 32)
