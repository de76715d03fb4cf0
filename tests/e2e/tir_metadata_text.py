metadata = tvm.ir.load_json("""{\"root_index\": 3, \"nodes\": [
  {\"type\": \"ffi.String\", \"data\": \"ffi.String\"},
  {\"type\": \"ffi.String\", \"data\": \"n is small,\\nless than one\"},
  {\"type\": \"ffi.Array\", \"data\": [1]},
  {\"type\": \"ffi.Map\", \"data\": [0, 2]}], \"metadata\": {\"tvm_version\": \"0.26.0\"}}""")
# The metadata block holds multi-line texts: attributes, messages, names.
# call main: int 2 => int 4
# fail main: int 0 => n is small,
from tvm.script import ir as I, tirx as T
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(n: T.int32) -> T.int32:
        T.func_attr({"note": metadata["ffi.String"][0]})
        assert n > 0, ("ValueError", [metadata["ffi.String"][0]])
        return n * 2
