"""Planning: free time, tasks on the calendar, and what a day holds."""
