"""A cell that waits for a person."""

# replaces: softmax
answer = input("Your grade? ")
