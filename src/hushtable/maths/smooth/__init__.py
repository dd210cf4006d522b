"""Smooth questions: means over rows of smooth functions of real columns, in bases with proven errors."""
