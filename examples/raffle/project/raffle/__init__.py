"""A raffle: tickets are sold, some of them win."""
