# A packed function that may write its arguments gets copies of those that are read later: of
# parameters, constants, and operands of other bindings.
# module tests/e2e/call_inplace_packed.py
