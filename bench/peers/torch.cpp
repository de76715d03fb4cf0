// PyTorch as a peer of pair.c: TorchScript, frozen and optimized for inference, run from C++.
//
// A shared object of its own, since PyTorch's interface is C++: built against the headers and
// libraries of the wheel (libtorch_cpu, libc10), so neither Python nor CUDA takes part. A model is
// two files that torch_models.py writes: M.script has a line "NAME DIM..." for each weight, an
// empty line, and the text of forward; M.script.weights has their float32 values in that order.
#include <ATen/Parallel.h>
#include <torch/script.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include "bench/peers/peer.h"
}

namespace
{
struct Model {
    torch::jit::Module module;
    std::vector<torch::jit::IValue> input;

    at::Tensor forward()
    {
        // Without the bookkeeping of gradients, which a model in use would not carry.
        c10::InferenceMode guard;
        return module.forward(input).toTensor();
    }
};

// The caller is C: no exception may pass.
template <typename F> auto guarded(F f) -> decltype(f())
{
    try {
        return f();
    } catch (const std::exception &e) {
        std::fprintf(stderr, "PyTorch: %s\n", e.what());
        std::exit(1);
    }
}

Model *read(const std::string &path)
{
    std::ifstream script(path), weights(path + ".weights", std::ios::binary);
    torch::jit::Module module("model");
    std::string line;
    while (std::getline(script, line) && !line.empty()) {
        std::istringstream words(line);
        std::string name;
        std::vector<int64_t> dims;
        words >> name;
        for (int64_t dim; words >> dim;)
            dims.push_back(dim);
        at::Tensor values = torch::empty(dims);
        weights.read(static_cast<char *>(values.data_ptr()), (std::streamsize)values.nbytes());
        module.register_parameter(name, values, false);
    }
    TORCH_CHECK(script && weights, path, " or its weights cannot be read");
    std::ostringstream text;
    text << script.rdbuf();
    module.define(text.str());
    module.eval();
    module = torch::jit::freeze(module);
    return new Model{torch::jit::optimize_for_inference(module), {}};
}

void *open_model(void *, const char *path, int threads)
{
    at::set_num_threads(threads); // of the process
    return guarded([&] { return read(path); });
}

void close_model(void *model)
{
    delete static_cast<Model *>(model);
}

void run(void *model)
{
    guarded([&] { static_cast<Model *>(model)->forward(); });
}

void set_input(void *model, float *data, size_t, const int64_t *dims, size_t ndim)
{
    auto *m = static_cast<Model *>(model);
    m->input = {torch::from_blob(data, at::IntArrayRef(dims, ndim))};
    // The executor watches the first calls of a shape and then compiles for it.
    for (int i = 0; i < 4; i++)
        run(model);
}

size_t result(void *model, float *out, size_t count)
{
    return guarded([&] {
        const at::Tensor y = static_cast<Model *>(model)->forward().contiguous();
        const size_t n = (size_t)y.numel();
        std::memcpy(out, y.data_ptr<float>(), sizeof *out * (n < count ? n : count));
        return n;
    });
}
} // namespace

extern "C" __attribute__((visibility("default"))) void bench_peer(peer_library *out)
{
    *out = {"PyTorch", nullptr, open_model, close_model, set_input, run, result};
}
