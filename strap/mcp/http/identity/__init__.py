"""Who calls: tokens that the operator names, and access tokens of OAuth issuers."""
