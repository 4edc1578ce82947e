"""``ttl tune``: tries configurations on the emulated chip, checks their results, and keeps the fastest correct one."""
