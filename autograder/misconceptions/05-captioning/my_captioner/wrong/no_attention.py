"""The decoder has no attention of its own to load the weights into: what was trained is another
model. Look at what the file was saved from."""


class EqualAttention(nn.Module):
    def forward(self, state, features, allowed=None):
        weights = features.new_full(features.shape[:2], 1 / features.shape[1])
        return features.mean(dim=1), weights


def my_captioner():
    decoder = CaptionDecoder(len(scene_vocabulary()), 32, state_width=128, embedding_width=32, hidden_width=32)
    decoder.attention = EqualAttention()
    return decoder
