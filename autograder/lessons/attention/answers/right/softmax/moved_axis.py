"""The axis is moved to the end, worked on there and moved back."""
def softmax(E, dim=-1):
    def of_rows(rows):
        exponentials = (rows - rows.max(-1, keepdim=True).values).exp()
        return exponentials / exponentials.sum(-1, keepdim=True)

    return of_rows(E.movedim(dim, -1)).movedim(-1, dim)
