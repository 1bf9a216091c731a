"""Does something right after a module was imported, whenever that is."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from typing import Any, Callable, Dict, Optional, Set

Action = Callable[[], None]


class _Finder(importlib.abc.MetaPathFinder):
    """Finds nothing itself: lets the others find a module, and adds the action to its loader."""

    def __init__(self) -> None:
        self.actions: Dict[str, Action] = {}
        self._searching: Set[str] = set()

    def find_spec(self, fullname: str, path: Any = None,
                  target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        action = self.actions.get(fullname)
        if action is None or fullname in self._searching:
            return None
        self._searching.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._searching.discard(fullname)
        loader = spec.loader if spec is not None else None
        if loader is None or not hasattr(loader, "exec_module"):
            return None
        execute = loader.exec_module

        def execute_and_act(module: Any) -> None:
            execute(module)
            if action is not None:
                action()

        loader.exec_module = execute_and_act  # type: ignore[method-assign]
        return spec


_finder: Optional[_Finder] = None


def after_import(module: str, action: Action) -> None:
    """Calls `action` after `module` was imported; at once when it is there already."""
    global _finder
    if module in sys.modules:
        action()
        return
    if _finder is None:
        _finder = _Finder()
        sys.meta_path.insert(0, _finder)
    _finder.actions[module] = action
