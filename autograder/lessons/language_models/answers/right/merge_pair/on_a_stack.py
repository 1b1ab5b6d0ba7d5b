"""A stack: what has been written last and what comes next make the pair."""
def merge_pair(ids, pair, new):
    a, b = pair
    stack, fresh = [], False
    for each in ids:
        if stack and not fresh and stack[-1] == a and each == b:
            stack[-1], fresh = new, True
        else:
            stack.append(each)
            fresh = False
    return stack
