#!/usr/bin/env python3
"""Takes the picture of docs/report.md and README.md: tests/browser/picture.py PAGE.html PICTURE.png"""

import sys
from pathlib import Path

from chromium import Browser, find

WIDTH, HEIGHT = 780, 1250

page, picture = map(Path, sys.argv[1:])
with Browser(find() or sys.exit("no chromium")) as browser:
    browser.open(page.resolve().as_uri(), WIDTH, dark=False)
    browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    browser.screenshot(picture, full=False)
