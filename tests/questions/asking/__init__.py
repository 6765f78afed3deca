"""How questions are asked to servers behind `lro proxy`, judged and counted."""
