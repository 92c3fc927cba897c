"""The web edge: how errors, requests and shared parts meet the framework."""
