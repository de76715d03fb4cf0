/* The tally, an imaginary accelerator that computes with rows of 64 floats. Its scratch memory has
   8 rows. A program is lines of text, which it runs for each 64 elements of its operands:

       program SYMBOL OPERANDS RESULTS
       load ROW OPERAND        row = the next elements of the operand
       fill ROW BITS           row = the float with these bits, 64 times
       add ROW ROW ROW         and the other instructions below: the first row = f(the others)
       store RESULT ROW        the next elements of the result = row
       end
*/
#ifndef TALLY_H
#define TALLY_H

enum { TALLY_LANES = 64, TALLY_ROWS = 8, TALLY_TENSORS = 16, TALLY_SYMBOL = 127 };

/* X(instruction, operator of Relax, pattern, rows that it reads, value for the numbers a and b) */
#define TALLY_INSTRUCTIONS(X)                            \
    X(add, "add", "(add x y)", 2, a + b)                 \
    X(sub, "subtract", "(subtract x y)", 2, a - b)       \
    X(mul, "multiply", "(multiply x y)", 2, a *b)        \
    X(max, "maximum", "(maximum x y)", 2, a > b ? a : b) \
    X(min, "minimum", "(minimum x y)", 2, a < b ? a : b) \
    X(neg, "negative", "(negative x)", 1, -a)            \
    X(relu, "nn.relu", "(nn.relu x)", 1, a > 0 ? a : 0)

#endif
