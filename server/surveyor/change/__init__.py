"""What a change leaves behind that does not fit it any more: calls, overrides, names."""
