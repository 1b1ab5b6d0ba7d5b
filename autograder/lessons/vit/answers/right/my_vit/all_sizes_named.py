"""Every size is written out."""
def my_vit():
    config = ViTConfig(
        height=8,
        width=8,
        channels=3,
        patch_size=2,
        model_width=64,
        num_heads=4,
        num_blocks=3,
        hidden_width=128,
        classes=10,
        dropout=0.0,
    )
    return VisionTransformer(config)
