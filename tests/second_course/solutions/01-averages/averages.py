# %% [markdown]
r"""
# 1 Averages
A signal is a row of numbers $x_1 \dots x_N$. Two steps make signals comparable: give each the same mean and spread, then
smooth it.
"""

# %%
import torch

from signal_lessons.averages import check

# %% [markdown]
r"""
### 1.1 Same mean, same spread
$$z_i = \frac{x_i - \bar x}{\sigma}$$

**Exercise 1.** Write `standardise`. $\sigma^2$ is the mean of $(x_i - \bar x)^2$.
"""

# %% nbgrader={"grade_id": "standardise", "solution": true}
def standardise(x):
    """Return x with mean 0 and standard deviation 1."""
    ### BEGIN SOLUTION Subtract the mean, divide by the standard deviation.
    centred = x - x.mean()
    return centred / (centred**2).mean().sqrt()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-standardise", "grade": true}
check("standardise")

# %% [markdown]
r"""
### 1.2 Windows
$$y_i = \frac{1}{w} \sum_{j=i}^{i+w-1} z_j$$

**Exercise 2.** Write `moving_average`. It standardises first.
"""

# %% nbgrader={"grade_id": "moving_average", "solution": true}
def moving_average(x, width):
    """Return the means of all windows of `width` standardised values."""
    ### BEGIN SOLUTION Average every full window of the standardised signal.
    z = standardise(x)
    return torch.stack([z[i : i + width].mean() for i in range(len(z) - width + 1)])
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-moving_average", "grade": true}
check("moving_average")
