# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# 6 Language models

HEAD (written at the end by the editor)
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.language_models import check
from course_lib import devices, layers, plots

# part A imports

# part B imports

# part C imports

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Tokens

PART A
"""

# %% [markdown]
r"""
## 2 A model of what comes next

PART B
"""

# %% [markdown]
r"""
## 3 From probabilities to text

PART B
"""

# %% [markdown]
r"""
## 4 Two directions, kept apart

PART C
"""

# %% [markdown]
r"""
## 5 Learning in context

PART C
"""

# %% [markdown]
r"""
## 6 A language about which everything is known, and one about which nothing is

PART C (6.1, 6.2: the entropy by hand, my_gpt), PART B (6.3: real English)
"""

# %% [markdown]
r"""
## 7 What came of it

PART C
"""

# %% [markdown]
r"""
## 8 What to take along

PART C
"""
