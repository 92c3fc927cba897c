"""Processes of our own that do what the server must not do itself, and the pipes between them and us.

process       starts a child, exchanges frames with it and ends it
supervisor    keeps one child: started on first use, stopped when idle, started anew after a crash
server_pipe   the child's side: frames from and to the server
frames        a message as bytes with their length ahead
worker_group  several copies of a program, started anew when one dies, and ended together
environment   the environment that a child is given
"""
