"""What pyproject.toml cannot say: the site hook, and the built libraries in a wheel.

`VEDETTE_WHEEL_LIBRARIES` names the lib folder of an installation; what a find takes goes from there into vedette/lib,
and the wheel is one for this platform. See build_wheel.
"""

import os
import shutil
import stat

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

LIBRARIES = os.environ.get("VEDETTE_WHEEL_LIBRARIES")
# Beside the packages, where Python reads it at every start: the line does nothing unless VEDETTE_HOOK is set.
SITE_HOOK = 'import os; os.environ.get("VEDETTE_HOOK") and __import__("vedette.site_hook")\n'


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        hook = os.path.join(self.build_lib, "vedette.pth")
        with open(hook, "w", encoding="ascii") as file:
            file.write(SITE_HOOK)
        self.added = [hook]
        if LIBRARIES:
            target = os.path.join(self.build_lib, "vedette", "lib")
            shutil.rmtree(target, ignore_errors=True)
            # A wheel holds no links: the one name under which the library is loaded.
            self._add(os.path.join(LIBRARIES, "libvedette.so.1"), os.path.join(target, "libvedette.so.1"))
            for folder, _, files in os.walk(os.path.join(LIBRARIES, "vedette")):
                for name in files:
                    if name.startswith("vedette-bench"):
                        continue  # measures; finds nothing
                    path = os.path.join(folder, name)
                    self._add(path, os.path.join(target, os.path.relpath(path, LIBRARIES)))

    def _add(self, source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.realpath(source), target)
        os.chmod(target, 0o644 | stat.S_IMODE(os.stat(source).st_mode) & 0o111)
        self.added.append(target)

    def get_outputs(self, include_bytecode=1):
        return super().get_outputs(include_bytecode) + getattr(self, "added", [])


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return bool(LIBRARIES)


command = {"build_py": BuildWithLibraries}
if LIBRARIES:
    try:
        from setuptools.command.bdist_wheel import bdist_wheel
    except ImportError:
        from wheel.bdist_wheel import bdist_wheel

    class AnyPythonWheel(bdist_wheel):
        """The libraries are of one platform, but the package has no compiled extension: any Python 3 will do."""

        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = False

        def get_tag(self):
            return ("py3", "none", super().get_tag()[2])

    command["bdist_wheel"] = AnyPythonWheel

setup(cmdclass=command, distclass=PlatformDistribution)
