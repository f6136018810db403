"""Settings for the operator: `[plugins.browser]`, its profiles and its agent."""
