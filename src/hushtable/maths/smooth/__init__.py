"""Smooth questions: the mean over rows of any smooth function of real columns. Public mathematics, no rows."""
