#!/usr/bin/env python3
"""What a find takes and answers in programs that link OpenCV, without and with Vedette: measure_programs.py BUILD

As tests/python/measure_tools.py, for os-autoinst's tinycv (Perl), Debian's python3-opencv and libopencv-java, each
unmodified, with the preloaded library or the agent of the build; screens and needles are the same. Needs the package
vedette and numpy (PYTHONPATH, VEDETTE_LIBRARY) for making these.
"""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

import measure_tools as tools  # noqa: E402
import vedette  # noqa: E402

# Each prints "X Y MILLISECONDS", X and Y -1 when nothing is there: the least of some runs.
PERL = r'''
use tinycv; use Time::HiRes 'time';
my ($margin, $file, $part, $x, $y, $runs) = @ARGV;
my $screen = tinycv::read($file); my $needle = tinycv::read($part);
# On the needle's picture the element lies elsewhere, towards the middle, with what is around it: the area is blurred.
my $dx = $x > $screen->xres / 2 ? $x - 20 : $x + 20; my $dy = $y > $screen->yres / 2 ? $y - 9 : $y + 9;
my $picture = $screen->copy;
$picture->blend($screen->copyrect($x - 8, $y - 8, $needle->xres + 16, $needle->yres + 16), $dx - 8, $dy - 8);
$picture->blend($needle, $dx, $dy);
my ($least, @found) = 1e9;
for (1 .. $runs) {
    my $begin = time;
    @found = $screen->search_needle($picture, $dx, $dy, $needle->xres, $needle->yres, $margin);
    my $took = (time - $begin) * 1000; $least = $took if $took < $least;
}
printf "%d %d %.3f\n", ($found[0] >= 0.96 ? @found[1, 2] : (-1, -1)), $least;
'''
PYTHON = r'''
import sys, time, cv2
screen, part = cv2.imread(sys.argv[1]), cv2.imread(sys.argv[2])
least = 1e9
for _ in range(int(sys.argv[5])):
    begin = time.perf_counter()
    _, best, _, place = cv2.minMaxLoc(cv2.matchTemplate(screen, part, cv2.TM_CCOEFF_NORMED))
    least = min(least, (time.perf_counter() - begin) * 1000)
print(*(place if best > 0.7 else (-1, -1)), least)
'''
JAVA = r'''
import org.opencv.core.*;
import org.opencv.imgcodecs.Imgcodecs;
import org.opencv.imgproc.Imgproc;
public class Measure {
    public static void main(String[] arguments) {
        System.loadLibrary(Core.NATIVE_LIBRARY_NAME);
        Mat screen = Imgcodecs.imread(arguments[0]), part = Imgcodecs.imread(arguments[1]), scores = new Mat();
        double least = 1e9;
        Core.MinMaxLocResult found = null;
        for (int i = 0; i < Integer.parseInt(arguments[4]); ++i) {
            long begin = System.nanoTime();
            Imgproc.matchTemplate(screen, part, scores, Imgproc.TM_CCOEFF_NORMED);
            found = Core.minMaxLoc(scores);
            least = Math.min(least, (System.nanoTime() - begin) / 1e6);
        }
        boolean there = found.maxVal > 0.7;
        System.out.println((there ? (int) found.maxLoc.x : -1) + " " + (there ? (int) found.maxLoc.y : -1) + " " + least);
    }
}
'''
JAR = "/usr/share/java/opencv.jar"


def found(path, pattern):
    """The first file of that name below a folder."""
    for folder, _, files in os.walk(path):
        if pattern in files:
            return os.path.join(folder, pattern)
    return None


def programs(build, folder):
    """Name, how it is hooked, the command, and what the environment gets for Vedette."""
    preload = {"LD_PRELOAD": found(build, "libvedette_opencv_preload.so"), "VEDETTE_OPENCV": "finite"}
    agent = found(build, "libvedette_java_agent.so")
    if os.path.isdir("/usr/lib/os-autoinst"):
        for area, margin in (("needle +- 50 pixels", "50"), ("whole screen", "10000")):
            yield (f"os-autoinst 4.6, {area}", "`LD_PRELOAD`",
                   ["perl", "-I/usr/lib/os-autoinst", "-e", PERL, margin], preload)
    if subprocess.run(["/usr/bin/python3", "-c", "import cv2"], capture_output=True, check=False).returncode == 0:
        yield ("python3-opencv 4.6, CCOEFF_NORMED > 0.7", "`LD_PRELOAD`", ["/usr/bin/python3", "-c", PYTHON], preload)
    if agent and shutil.which("javac") and os.path.exists(JAR):
        source = os.path.join(folder, "Measure.java")
        with open(source, "w", encoding="utf-8") as file:
            file.write(JAVA)
        subprocess.run(["javac", "-nowarn", "-cp", JAR, "-d", folder, source], check=True,
                       stderr=subprocess.DEVNULL)
        yield ("libopencv-java 4.6, as SikuliX: CCOEFF_NORMED > 0.7", "`-agentpath`",
               ["java", "-Djava.library.path=/usr/lib/jni", "-cp", f"{JAR}:{folder}", "Measure"],
               {"JAVA_TOOL_OPTIONS": f"-agentpath:{agent}", "VEDETTE_OPENCV": "finite"})


def run(command, environment, arguments):
    done = subprocess.run(command + [str(one) for one in arguments], env={**os.environ, **environment}, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    x, y, milliseconds = done.stdout.split()
    return (int(x), int(y)) if int(x) >= 0 else None, float(milliseconds)


def main():
    build = sys.argv[1]
    print(tools.HEADING)
    with tempfile.TemporaryDirectory() as folder:
        for screen in (tools.SCREEN, tools.large_screen(folder)):
            size = "%d x %d" % vedette.default_context().screen(screen).size
            wanted = tools.needles(screen, folder)
            near = wanted["there"][1]
            for name, hooked, command, environment in programs(build, folder):
                for what, (needle, place) in wanted.items():
                    cells = []
                    for extra in ({}, environment):
                        answer, milliseconds = run(command, extra, [screen, needle, *near, tools.RUNS])
                        cells.append(tools.cell([answer], [milliseconds], place))
                    print(f"| {name} | {hooked} | {size} | {what} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
