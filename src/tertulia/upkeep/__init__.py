"""What keeps conversations in order after a turn: titles, summaries and compression, each as a job."""
