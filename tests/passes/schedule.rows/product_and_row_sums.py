# The row sums get their own block after the tiles;
# pass schedule merges the two.
# module tests/passes/schedule.tile/product_and_row_sums.py
