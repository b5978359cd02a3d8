"""Rules about forms and links that the agent shows to the user."""
