"""What each model is shown: the best prompt that its budget allows."""
