"""Other names for the arguments, behind a function that passes everything on."""


def _train(net, criterion, data, new_optimizer, schedule, limit=1.0):
    optimizer, losses = new_optimizer(net.parameters()), []
    net.train()
    for number, batch in enumerate(data, start=1):
        for group in optimizer.param_groups:
            group["lr"] = schedule(number)
        optimizer.zero_grad()
        loss = criterion(net, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), limit)
        optimizer.step()
        losses.append(loss.item())
    net.eval()
    return losses


def train(*args, **kwargs):
    return _train(*args, **kwargs)
