"""Wide questions: estimates about many attributes from released statistics of few, with noise and bias."""
