"""Generic algebra: the same algorithm over floats, arrays, symbols and whatever else adds and multiplies."""
