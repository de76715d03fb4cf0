# Constants inside PrimFuncs become arguments of their calls: in a loop's scope, declared whole or in
# parts, taken from the metadata. `direct` is called without call_tir and keeps its constant.
# module tests/e2e/constants_in_prim_funcs.py
