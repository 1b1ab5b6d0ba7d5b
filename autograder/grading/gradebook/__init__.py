"""Points in nbgrader's gradebook: written, brought up to date, queried, and shown on feedback pages."""
