"""The class seen by its teacher: one page, without a network, for an assignment or for the whole course."""
