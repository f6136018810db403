"""Identity of callers: tokens that the operator names, and access tokens of OAuth issuers."""
