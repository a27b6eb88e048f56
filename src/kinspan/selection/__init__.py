"""Step 6b: candidates for the rules of every task, and the evidence that combines them."""
