# The newer JSON of tvm.ir.save_json.
import tvm
from tvm.script import ir as I
from tvm.script import relax as R

metadata = tvm.ir.load_json("""{
 \"root_index\": 7,
 \"nodes\": [
  {
   \"type\": \"None\"
  },
  {
   \"type\": \"ffi.String\",
   \"data\": \"relax.expr.Constant\"
  },
  {
   \"type\": \"ffi.Tensor\",
   \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAADAPwAAAMA=\"
  },
  {
   \"type\": \"relax.expr.Constant\",
   \"data\": {
    \"data\": 2,
    \"span\": 0
   }
  },
  {
   \"type\": \"ffi.Tensor\",
   \"data\": \"P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAEBAQADAAAAAAAAAAMAAAAAAAAAAQAB\"
  },
  {
   \"type\": \"relax.expr.Constant\",
   \"data\": {
    \"data\": 4,
    \"span\": 0
   }
  },
  {
   \"type\": \"ffi.Array\",
   \"data\": [
    3,
    5
   ]
  },
  {
   \"type\": \"ffi.Map\",
   \"data\": [
    1,
    6
   ]
  }
 ],
 \"metadata\": {
  \"tvm_version\": \"0.23.0\"
 }
}""")


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((3,), dtype="bool")):
        y: R.Tensor((2,), dtype="float32") = R.add(x, metadata["relax.expr.Constant"][0])
        return (y, metadata["relax.expr.Constant"][1])
