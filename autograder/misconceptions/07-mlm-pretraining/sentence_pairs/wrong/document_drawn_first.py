"""First a document is drawn and then one of its sentences, so that the sentences of short documents
come too often. Draw from one list of all sentences of all other documents."""


def sentence_pairs(documents, generator):
    if len(documents) < 2:
        raise ValueError("Expected at least two documents: a random second sentence comes from another one.")
    rows, segments, is_next = [], [], []
    for d, document in enumerate(documents):
        others = [sentence for e, other in enumerate(documents) if e != d for sentence in other]
        for a, b in zip(document, document[1:]):
            follows = torch.rand((), generator=generator).item() < 0.5
            if not follows:
                e = int(torch.randint(len(documents) - 1, (), generator=generator))
                other = documents[e + (e >= d)]
                b = other[torch.randint(len(other), (), generator=generator)]
            rows.append(torch.tensor([CLS, *a, SEP, *b, SEP]))
            segments.append(torch.tensor([0] * (len(a) + 2) + [1] * (len(b) + 1)))
            is_next.append(follows)
    pad = nn.utils.rnn.pad_sequence
    return pad(rows, batch_first=True, padding_value=PAD), pad(segments, batch_first=True), torch.tensor(is_next)
