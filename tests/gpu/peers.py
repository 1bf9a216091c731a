#!/usr/bin/env python3
"""Times of CuPy and PyTorch, where python3 has them, beside which tests/gpu/run puts those of Vedette.

Prints a line of JSON for each piece of work, as gpu_peers does: the median of 21 samples, each the time between two CUDA
events around one run, warm. What python3 lacks, or what fails, is a line that says so.
"""
import json
import time

RUNS = 21
WARM_SECONDS = 0.2
WIDTH, HEIGHT = 3840, 2160


def tell(peer, work, **values):
    print(json.dumps({"peer": peer, "work": work, **values}), flush=True)


def measure(peer, work, sample):
    """sample(): one run; its time on the device in milliseconds."""
    try:
        end = time.monotonic() + WARM_SECONDS
        sample()
        while time.monotonic() < end:
            sample()
        times = sorted(sample() for _ in range(RUNS))
    except Exception as error:  # a peer that fails must not end the others
        tell(peer, work, skipped=f"{type(error).__name__}: {error}".splitlines()[0])
        return
    tell(peer, work, ms=times[RUNS // 2], ms_min=times[0], ms_max=times[-1], runs=RUNS)


def time_cupy():
    import cupy
    from cupyx.scipy.signal import fftconvolve

    peer = "CuPy " + cupy.__version__
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()

    def timed(run):
        def sample():
            begin.record()
            run()
            end.record()
            end.synchronize()
            return cupy.cuda.get_elapsed_time(begin, end)

        return sample

    random = cupy.random.RandomState(1)
    screen = random.randint(0, 256, (HEIGHT, WIDTH)).astype(cupy.float32)
    for side in (32, 128):
        pattern = random.randint(0, 256, (side, side)).astype(cupy.float32)
        pattern -= pattern.mean()
        # Correlation is convolution with the pattern turned round. The products alone: no norms, no search for peaks.
        turned = cupy.ascontiguousarray(pattern[::-1, ::-1])
        measure(peer, f"{WIDTH}x{HEIGHT} fftconvolve {side}x{side}",
                timed(lambda turned=turned: fftconvolve(screen, turned, mode="valid")))
    bytes_of_screen = screen.astype(cupy.uint8)
    measure(peer, f"{WIDTH}x{HEIGHT} two cumsum",
            timed(lambda: cupy.cumsum(cupy.cumsum(bytes_of_screen, axis=0, dtype=cupy.int32), axis=1)))


def time_torch():
    import torch
    from torch.nn import functional

    peer = "PyTorch " + torch.__version__
    if not torch.cuda.is_available():
        tell(peer, "all", skipped="this PyTorch sees no GPU")
        return
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def timed(run):
        def sample():
            begin.record()
            run()
            end.record()
            end.synchronize()
            return begin.elapsed_time(end)

        return sample

    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    with torch.inference_mode():
        screen = torch.randint(0, 256, (1, 1, HEIGHT, WIDTH), device="cuda")
        patterns = torch.randint(0, 256, (64, 1, 32, 32), device="cuda").float()
        patterns -= patterns.mean(dim=(2, 3), keepdim=True)
        # The products alone: no norms, no search for peaks.
        half_screen, half_patterns = screen.half(), patterns.half()
        measure(peer, f"{WIDTH}x{HEIGHT} conv2d 64 of 32x32, fp16",
                timed(lambda: functional.conv2d(half_screen, half_patterns)))
        float_screen = screen.float()
        measure(peer, f"{WIDTH}x{HEIGHT} conv2d 64 of 32x32, fp32",
                timed(lambda: functional.conv2d(float_screen, patterns)))
        del half_screen, half_patterns, float_screen

        picture = torch.randint(0, 256, (HEIGHT, WIDTH, 3), device="cuda", dtype=torch.uint8)

        def darknet():
            planar = picture.permute(2, 0, 1).unsqueeze(0).float() / 255
            return functional.interpolate(planar, (608, 608), mode="bilinear", align_corners=True)

        measure(peer, f"{WIDTH}x{HEIGHT} interpolate to 608x608, planar float", timed(darknet))

        count = 10000
        query = torch.randint(0, 151, (count, 128), device="cuda").half()
        train = torch.randint(0, 151, (count, 128), device="cuda").half()
        # Largest products rather than least distances of rows with one norm; fp16 is not exact.
        query, train = functional.normalize(query, dim=1), functional.normalize(train, dim=1)
        measure(peer, f"{count} x {count} fp16 product, topk 2", timed(lambda: torch.topk(query @ train.T, 2, dim=1)))


def main():
    for name, run in (("CuPy", time_cupy), ("PyTorch", time_torch)):
        try:
            run()
        except Exception as error:  # ImportError, or no GPU for it
            tell(name, "all", skipped=f"{type(error).__name__}: {error}".splitlines()[0])


if __name__ == "__main__":
    main()
