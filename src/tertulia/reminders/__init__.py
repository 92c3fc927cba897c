"""Reminders: told in the app, by e-mail and by web push, once each."""
