"""The special tokens of BERT (Devlin et al. 2019, section 3), as the first ids of every vocabulary here."""

PAD, UNK, CLS, SEP, MASK = range(5)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ORDINARY = len(SPECIAL)  # the first id of an ordinary token
