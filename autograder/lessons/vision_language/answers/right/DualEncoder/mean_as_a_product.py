"""The mean as a product with shares."""


class DualEncoder(nn.Module):
    """An encoder of pictures and one of texts that end in one space (Radford et al. 2021)."""

    def __init__(self, config):
        super().__init__()
        c, D = config, config.model_width
        self.patches = nn.Conv2d(3, D, kernel_size=c.patch_size, stride=c.patch_size)
        self.image_positions = nn.Parameter(0.1 * torch.randn((c.side // c.patch_size) ** 2, D))
        self.image_encoder = layers.Encoder(c.image_blocks, D, c.num_heads, c.hidden_width, norm="pre", activation="gelu")
        self.image_projection = nn.Linear(D, c.shared_width, bias=False)
        self.tokens = nn.Embedding(c.vocab_size, D)
        self.text_positions = nn.Parameter(0.1 * torch.randn(c.max_length, D))
        self.text_encoder = layers.Encoder(c.text_blocks, D, c.num_heads, c.hidden_width, norm="pre", activation="gelu")
        self.text_projection = nn.Linear(D, c.shared_width, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))          # as in the paper

    def encode_images(self, images):
        """Return one vector of length 1 for each of images (B, 3, side, side): (B, shared_width)."""
        X = self.patches(images).flatten(2).mT + self.image_positions            # (B, N, D)
        Y, _ = self.image_encoder(X, need_weights=False)
        return F.normalize(self.image_projection(Y.mean(dim=1)), dim=-1)

    def encode_texts(self, ids):
        """Return one vector of length 1 for each of the texts ids (B, T): (B, shared_width). Id 0 is padding, behind the text."""
        real = ids.ne(0)
        X = self.tokens(ids) + self.text_positions[: ids.shape[1]]
        Y, _ = self.text_encoder(X, real[:, None, None], need_weights=False)
        share = real.to(Y.dtype) / real.sum(dim=1, keepdim=True)
        mean = torch.bmm(share[:, None], Y)[:, 0]
        return F.normalize(self.text_projection(mean), dim=-1)

    def forward(self, images, ids):
        """Return the vectors of the pictures and those of the texts."""
        return self.encode_images(images), self.encode_texts(ids)
