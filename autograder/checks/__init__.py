"""The library for authors of checks: ``from autograder.checks import exercise, points, Student, Draw, expect``."""

from autograder.checks import expect, inputs, loading, modules, weights
from autograder.checks.dropout import (
    FEW,
    independent_elements,
    is_random,
    same_dropout_distribution,
    share_is,
    slack,
    within_error_rate,
)
from autograder.checks.expect import close_numbers, scalar
from autograder.checks.inputs import Draw, Sizes
from autograder.checks.losses import SIZE, Loss
from autograder.checks.matrix_view import Matrix
from autograder.checks.modules import (
    BothModes,
    ModulePair,
    expect_still,
    explain_randomness,
    no_side_effects,
    parameter_gradients,
)
from autograder.checks.parameters import field_taken_for_another, has_parameters, parameters_are
from autograder.checks.properties import (
    alike,
    all_of,
    computed,
    computes,
    describe,
    equal,
    first_of,
    function_gradients_agree,
    function_works_where_its_inputs_are,
    is_stateless,
    mixes_devices,
    no_weights,
    pair,
    raises_value_error,
    same_twice,
    sees_what_came_before,
    tuple_of,
    uses_its_inputs,
    works_where_its_inputs_are,
)
from autograder.checks.timing import SpeedTarget
from autograder.checks.weights import weights_in
from autograder.content.lesson import exercise, measured, points, promises
from autograder.runtime.errors import CheckFailure, PartialCredit, no_return
from autograder.runtime.state import matching
from autograder.runtime.student import Constructed, Request, SeededGenerator, StandIn, Student

__all__ = [
    "FEW",
    "SIZE",
    "BothModes",
    "CheckFailure",
    "Constructed",
    "Draw",
    "Loss",
    "Matrix",
    "ModulePair",
    "PartialCredit",
    "Request",
    "SeededGenerator",
    "Sizes",
    "SpeedTarget",
    "StandIn",
    "Student",
    "alike",
    "all_of",
    "close_numbers",
    "computed",
    "computes",
    "describe",
    "equal",
    "exercise",
    "expect",
    "expect_still",
    "explain_randomness",
    "field_taken_for_another",
    "first_of",
    "function_gradients_agree",
    "function_works_where_its_inputs_are",
    "has_parameters",
    "independent_elements",
    "inputs",
    "is_random",
    "is_stateless",
    "loading",
    "matching",
    "measured",
    "mixes_devices",
    "modules",
    "no_return",
    "no_side_effects",
    "no_weights",
    "pair",
    "parameter_gradients",
    "parameters_are",
    "points",
    "promises",
    "raises_value_error",
    "same_dropout_distribution",
    "same_twice",
    "scalar",
    "sees_what_came_before",
    "share_is",
    "slack",
    "tuple_of",
    "uses_its_inputs",
    "weights",
    "weights_in",
    "within_error_rate",
    "works_where_its_inputs_are",
]
