"""Work that outlives the call: clients that give up, pages that are watched, kills, principals."""
