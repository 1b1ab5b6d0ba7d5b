"""One student's work seen closely: why it has its points, the same result again, a look inside, its answer as a case."""
