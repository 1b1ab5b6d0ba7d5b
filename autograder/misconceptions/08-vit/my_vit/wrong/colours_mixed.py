"""The model looks at the mean of the three colours, so it cannot know which digit is red."""


class Gray(VisionTransformer):
    def forward(self, images, need_weights=True):
        return super().forward(images.mean(dim=1, keepdim=True).expand(-1, 3, -1, -1), need_weights)


def my_vit():
    return Gray(ViTConfig())
