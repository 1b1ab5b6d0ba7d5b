"""The sizes by name, and the model in evaluation mode."""


def my_recommender():
    model = SequentialRecommender(num_videos=10_000, width=48, num_heads=4, num_blocks=2, max_length=16)
    return model.eval()
