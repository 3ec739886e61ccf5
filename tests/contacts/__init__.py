"""Contacts: gaps that close and open, impacts, what is at rest."""
