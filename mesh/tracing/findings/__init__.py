"""Where agent runs spend more than needed, and what to change: findings and suggestions."""
