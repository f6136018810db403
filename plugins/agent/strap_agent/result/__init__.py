"""What a run answers: its status, its errors, the JSON object."""
