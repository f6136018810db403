"""What a document says: extraction of text, in processes that can be killed."""
