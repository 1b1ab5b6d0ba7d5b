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

# %% [markdown]
r"""
### 1.3 A room of your own
A room repeats a signal $d$ steps later, with a part $c$ of its strength:

$$y_i = x_i + c \, x_{i-d}$$

Your room is not that of your neighbour.
"""

# %%
from course_lib import variants

variants.i_am("")  # your id, between the quotation marks

# %%
own = variants.numbers("echo")
delay, strength = own.randrange(2, 40), round(own.uniform(0.2, 0.9), 2)
print(f"d = {delay} and c = {strength}")

# %% [markdown]
r"""
**Exercise 3.** Write `echo`, with your $d$ and $c$.
"""

# %% nbgrader={"grade_id": "echo", "solution": true}
def echo(x):
    """Return x with the echo of your room; what x was before its first value is 0."""
    ### BEGIN SOLUTION Add to x the same signal, later and weaker.
    late = torch.zeros_like(x)
    late[delay:] = x[:-delay]
    return x + strength * late
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-echo", "grade": true}
check("echo")
