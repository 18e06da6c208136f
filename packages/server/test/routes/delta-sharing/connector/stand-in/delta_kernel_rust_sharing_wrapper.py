"""Lets the connector be imported. It needs this library only for the Delta response format."""
