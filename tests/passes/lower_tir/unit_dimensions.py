# Dimensions of 1 do not keep their neighbours from being one index.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def f(a: T.handle, o: T.handle):
        n = T.int64()
        h = T.int64()
        A = T.match_buffer(a, (n, h, T.int64(1), T.int64(16)))
        O = T.match_buffer(o, (n, T.int64(1), h, T.int64(16)))
        for i in T.parallel(n * h * T.int64(16)):
            with T.block("O"):
                vi = T.axis.spatial(n, i // (h * T.int64(16)))
                vj = T.axis.spatial(h, i // T.int64(16) % h)
                vk = T.axis.spatial(T.int64(16), i % T.int64(16))
                O[vi, T.int64(0), vj, vk] = T.exp(A[vi, vj, T.int64(0), vk])
