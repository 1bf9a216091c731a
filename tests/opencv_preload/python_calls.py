"""Calls of cv2.matchTemplate as scripts make them.

    python_calls.py SAMPLE_FOLDER OUT.npz       writes every result
    python_calls.py compare A.npz B.npz         exits with 1 when they differ by more than 1e-4
    python_calls.py finite                      run with VEDETTE_OPENCV=finite: what OpenCV divides by nothing is finite
"""
import os
import sys
import threading

import cv2
import numpy as np


def sure(image, template):
    """Where OpenCV's TM_CCOEFF_NORMED is good to 1e-4: its transforms round to 2^-20 of the largest terms, and a window
    with little contrast divides that by next to nothing."""
    height, width = template.shape[:2]
    sums, squares = cv2.integral2(image, sdepth=cv2.CV_64F, sqdepth=cv2.CV_64F)

    def windows(integral):
        whole = integral[height:, width:] - integral[:-height, width:] - integral[height:, :-width] + integral[:-height, :-width]
        return whole.reshape(whole.shape[0], whole.shape[1], -1)

    energy = windows(squares).sum(axis=2)
    variance = energy - (windows(sums) ** 2).sum(axis=2) / (width * height)
    values = template.reshape(width * height, -1).astype(np.float64)
    template_energy, template_variance = (values**2).sum(), ((values - values.mean(axis=0)) ** 2).sum()
    return variance * template_variance > energy.max() * template_energy * (2.0**-20 / 1e-4) ** 2


def results(folder):
    screen = cv2.imread(os.path.join(folder, "screen.png"))[:600, :900]
    key = cv2.imread(os.path.join(folder, "key7.png"))
    gray_screen, gray_key = (cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) for image in (screen, key))
    mask = np.zeros(key.shape[:2], np.uint8)
    mask[3:-3, 4:-5] = 255
    for method in range(6):
        yield f"bgr{method}", cv2.matchTemplate(screen, key, method)
        yield f"gray{method}", cv2.matchTemplate(gray_screen, gray_key, method)
        yield f"mask{method}", cv2.matchTemplate(screen[200:500, 40:400], key, method, mask=mask)
        part = screen[200:500:2, 40:400:2]  # a view with strides of its own
        yield f"strides{method}", cv2.matchTemplate(part, key[::2, ::2], method)
        yield f"float{method}", cv2.matchTemplate(gray_screen[200:400].astype(np.float32), gray_key.astype(np.float32), method)
    yield "bgr5 sure", sure(screen, key)
    yield "gray5 sure", sure(gray_screen, gray_key)
    for name, arguments in {
        "larger": (gray_key, gray_screen[:20], 5),
        "method": (gray_screen, gray_key, 9),
        "type": (gray_screen, key, 5),
        "word": (gray_screen.astype(np.uint16), gray_key.astype(np.uint16), 5),
    }.items():
        try:
            cv2.matchTemplate(*arguments)
            raise SystemExit(f"{name}: no exception")
        except cv2.error as error:
            yield name, np.array([float(error.code)])
    yield "flat", cv2.matchTemplate(gray_screen, np.full((9, 9), 100, np.uint8), cv2.TM_CCOEFF_NORMED)
    out = {}
    threads = [
        threading.Thread(target=lambda i=i: out.__setitem__(i, cv2.matchTemplate(gray_screen, gray_key, i)))
        for i in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in sorted(out.items()):
        yield f"thread{i}", result


def compare(first, second):
    a, b = np.load(first), np.load(second)
    assert a.files == b.files, (a.files, b.files)
    for name in a.files:
        if name.endswith(" sure"):
            continue
        x, y = a[name].astype(np.float64), b[name].astype(np.float64)
        assert x.shape == y.shape, name
        assert np.isfinite(y).all() or not np.isfinite(x).all(), name
        defined = np.isfinite(x)
        scale = max(1.0, float(np.abs(x[defined]).max()))
        # Scores of windows without contrast under a mask are OpenCV's rounding errors; they are compared where it is sure.
        if name + " sure" in a.files:
            defined &= a[name + " sure"]
            assert defined.mean() > 0.05, name
        share = float((np.abs(x - y)[defined] <= 1e-4 * scale).mean())
        least = 0.95 if name in ("mask1", "mask5", "strides5", "float5", "thread5") else 1.0
        print(f"{name:9} equal within 1e-4: {share:.6f}  largest {np.abs(x - y)[defined].max() / scale:.2e}")
        assert share >= least, name
        # The best place is among OpenCV's best: CCORR of a white page has many of one value.
        if x.ndim == 2 and name not in ("flat", "mask1", "mask5"):
            least_is_best = name[-1] in "01"
            place = y.argmin() if least_is_best else y.argmax()
            assert abs(x.flat[place] - (x.min() if least_is_best else x.max())) <= 1e-5 * scale, name


def finite():
    rng = np.random.default_rng(3)
    screen = rng.integers(0, 256, (60, 80, 3), dtype=np.uint8)
    screen[20:50, 20:60] = 90
    flat = np.full((7, 9, 3), 90, np.uint8)
    score = cv2.matchTemplate(screen, flat, cv2.TM_CCOEFF_NORMED)
    assert (score == 0).all(), "a template without contrast correlates with nothing"
    textured = screen[2:12, 3:18].copy()
    mask = np.zeros((10, 15), np.uint8)
    for method in range(6):
        assert np.isfinite(cv2.matchTemplate(screen, textured, method, mask=mask)).all(), method
    mask[3:6, 2:9] = 255
    for method in range(6):
        assert np.isfinite(cv2.matchTemplate(screen, textured, method, mask=mask)).all(), method
        assert np.isfinite(cv2.matchTemplate(screen, flat, method, mask=mask[:7, :9].copy())).all(), method


if sys.argv[1] == "compare":
    compare(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "finite":
    finite()
else:
    np.savez(sys.argv[2], **dict(results(sys.argv[1])))
