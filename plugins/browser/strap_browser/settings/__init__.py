"""What the operator can set: `[plugins.browser]`, its profiles and its agent."""
