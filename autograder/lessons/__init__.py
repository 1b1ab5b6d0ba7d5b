"""The lessons: a package each, with all of its content: settings, checks, references, known answers, benchmark."""

#: Old names of assignments, understood in this version: each with its new name, or with those of its parts. A part of
#: 03-transformer-blocks has become 04-transformer; the other has kept the name, which says nothing of its age.
RENAMED = {
    "04-translation": ("05-translation",),
    "05-captioning": ("06-captioning",),
    "06-language-models": ("07-language-models", "08-in-context-learning"),
    "07-mlm-pretraining": ("09-mlm-pretraining", "10-fine-tuning"),
    "08-vit": ("11-vit",),
    "09-vision-language": ("12-vision-language",),
    "10-retrieval": ("13-retrieval", "14-recommendation"),
}
