"""Whether what a long conversation needs is shown when it is needed, and nothing that was taken back."""
