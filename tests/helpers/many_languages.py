"""Texts in 24 languages: lists of countries, from the Unicode project's tables."""

import random

from babel import Locale

LANGUAGES = "en de fr es it pt ru uk el tr ar he hi bn th vi zh ja ko fa sw ta fi pl"
ODD = ("naïve café 🤗 👩‍💻", "x = 1234; ½ ²\n\t\tdon't I'LL", "\x01 ～　ａ\u200b\u2028b \u202e", "  ", "")


def texts_in_many_languages(number):
    """Return `number` texts, and a few odd ones."""
    draw = random.Random(0)
    languages = LANGUAGES.split(" ")
    names = {language: [*Locale.parse(language).territories.values()] for language in languages}
    texts = [", ".join(draw.sample(names[languages[n % len(languages)]], draw.randint(3, 8))) for n in range(number)]
    return [*texts, *ODD]
