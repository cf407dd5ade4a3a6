"""How the demo is shown: in a terminal as a screen that is drawn anew, elsewhere as lines that are added.

Words say everything; colours, where there are any (see NO_COLOR), say it again.
"""

import os
import shutil
import sys

COLOURS = {"fired": 32, "failed": 31, "cancelled": 90, "due": 33, "title": 1, "call": 36}
HEIGHT = 24


def make():
    size = shutil.get_terminal_size()
    able = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    return Screen(size.columns) if able and size.lines >= HEIGHT and size.columns >= 80 else Lines()


class Lines:
    """Prints what happens, when it happens, and what has changed."""

    def __init__(self):
        self.told = set()

    def call(self, at, text, answer):
        print(f"{at:6.2f} s  {text}\n          -> {answer}", flush=True)

    def remark(self, at, text):
        print(f"\n{at:6.2f} s  {text}", flush=True)

    def show(self, at, title, timers, facts):
        for timer in timers:
            line = (timer["id"], timer["state"], timer["tries"])
            if timer["note"] + timer["state"] not in ("pending", "due") and line not in self.told:
                self.told.add(line)
                print(f"{at:6.2f} s  timer {timer['id']}, {timer['what']}: {timer['state']}{timer['note']}", flush=True)
        for fact in facts:
            if fact["last"] and fact["text"] not in self.told:
                self.told.add(fact["text"])
                print(f"{at:6.2f} s  {fact['name']}: {fact['text']}", flush=True)

    def end(self):
        print()


class Screen:
    """Draws a frame over the one before."""

    def __init__(self, columns):
        self.columns = min(columns, 110) - 1
        self.coloured = not os.environ.get("NO_COLOR")
        self.calls, self.text, self.started = [], "", False

    def call(self, at, text, answer):
        room = self.columns - len(f"   -> {answer}")
        text = text if len(text) <= room else text[:room - 4] + " ..."
        self.calls = (self.calls + [f"{text} -> {answer}"])[-3:]

    def remark(self, at, text):
        self.text = text

    def paint(self, text, colour):
        text = text[:self.columns]
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.coloured and colour in COLOURS else text

    def show(self, at, title, timers, facts):
        rows = [self.paint(f"{title:<{self.columns - 14}}{min(at, 20):6.1f} of 20 s", "title"), "", self.paint(self.text, "title"), "",
                f"{'id':>4}  {'timer':<24}{'is due':>11}  state"]
        for timer in timers:
            line = f"{timer['id']:>4}  {timer['what']:<24}{timer['due']:>11}  {timer['state']}{timer['note']}"
            rows.append(self.paint(line, timer["state"]))
        rows += [""] * (8 - len(timers)) + [f"{fact['name']:>15}  {fact['text']}"[:self.columns] for fact in facts]
        rows += ["", "last calls"] + [self.paint("  " + call, "call") for call in self.calls]
        # the first time the screen is cleared; then each line replaces one
        sys.stdout.write(("\x1b[H" if self.started else "\x1b[2J\x1b[H") + "".join(f"{row}\x1b[K\n" for row in rows) + "\x1b[J")
        sys.stdout.flush()
        self.started = True

    def end(self):
        print()
