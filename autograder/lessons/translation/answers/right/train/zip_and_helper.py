"""A helper for one step, and the gradients cleared by the model after each step."""
def one_step(model, optimizer, loss, rate, clip):
    for group in optimizer.param_groups:
        group.update(lr=rate)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=clip)
    optimizer.step()
    model.zero_grad()
    return float(loss)


def train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0):
    optimizer, losses = make_optimizer(model.parameters()), []
    for batch in batches:
        model.train()
        losses += [one_step(model, optimizer, loss_of(model, batch), rate_of(len(losses) + 1), clip)]
    model.train(False)
    return losses
