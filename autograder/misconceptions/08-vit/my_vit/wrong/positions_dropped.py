"""The model adds no positions, so it cannot tell where a patch lies."""


class Unordered(VisionTransformer):
    def forward(self, images, need_weights=True):
        X = self.embedding(images)
        X = torch.cat((self.class_token.expand(len(images), -1, -1), X), dim=1)
        Y, weights = self.encoder(X, need_weights=need_weights)
        return self.head(Y[:, 0]), weights


def my_vit():
    return Unordered(ViTConfig())
