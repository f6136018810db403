"""What every part of the plugin may use: background tasks, redaction, addresses, texts."""
