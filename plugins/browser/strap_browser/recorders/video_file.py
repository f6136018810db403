"""A video of pictures that come as they like: WebM, with a caption below and a frame on them.

Chromium and players read it while it grows, and after a crash up to its last second.
"""

import os
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

from strap import ActionError, Extra, make_private
from strap_browser.common.text import clip
from strap_browser.engine.frames.geometry import Box

VIDEO = Extra(name="video", modules=("av", "PIL"))
WIDTH, HEIGHT, STRIP = 1280, 720, 40
"""Pixels of the picture, and of the strip below it: a page as strap opens it has its full size."""
FONT, LETTERS = 20, 118
"""Pixels of the caption, and characters that fit in it."""
LINE, COLOUR = 4, "#e11d48"
"""Pixels and colour of the frame around an element."""
BITS = 1_200_000
"""A second, at most: text stays readable, and half an hour stays below 200 MB."""
FASTEST = {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "threads": "1"}
"""libvpx: some 12 ms a picture; several threads take five times that, as they wait in loops."""
GROWING = {"cluster_time_limit": "1000", "flush_packets": "1"}
MS = Fraction(1, 1000)


class VideoFile:
    """A new file for the user alone; not for several threads at a time.

    Raises `OSError`, also where the file exists, and `ActionError` "missing_extra".
    """

    def __init__(self, path: Path) -> None:
        self._av, self._pil = _libraries()
        make_private(path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        os.close(os.open(path, flags, 0o600))
        self.size, self.count = 0, 0
        self._file = self._av.open(str(path), "w", format="webm", options=GROWING)
        self._stream = self._file.add_stream("libvpx", options=FASTEST, time_base=MS)
        self._stream.width, self._stream.height = WIDTH, HEIGHT + STRIP
        self._stream.pix_fmt, self._stream.bit_rate = "yuv420p", BITS
        self._last = -1

    def add(
        self, jpeg: bytes, at_ms: int, caption: str, box: Box | None = None, width: float = WIDTH
    ) -> None:
        """Add a picture of a page that is `width` CSS pixels wide; raises `OSError`."""
        image, drawing = self._pil
        canvas = image.new("RGB", (WIDTH, HEIGHT + STRIP), "#18181b")
        pen = drawing.ImageDraw.Draw(canvas)
        if jpeg:
            seen = image.open(BytesIO(jpeg)).convert("RGB")
            seen.thumbnail((WIDTH, HEIGHT))
            canvas.paste(seen, (left := (WIDTH - seen.width) // 2, 0))
            if box is not None:
                scale = seen.width / width
                x, y, wide, high = (round(each * scale) for each in box)
                corners = (left + x - LINE, y - LINE, left + x + wide + LINE, y + high + LINE)
                pen.rectangle(corners, outline=COLOUR, width=LINE)
                pen.rectangle((0, HEIGHT, WIDTH, HEIGHT + STRIP), fill="#18181b")
        font = drawing.ImageFont.load_default(FONT)
        pen.text((12, HEIGHT + 8), clip(caption, LETTERS), fill="white", font=font)
        frame = self._av.VideoFrame.from_image(canvas)
        frame.pts = self._last = max(self._last + 1, at_ms)
        frame.time_base = MS
        self._write(frame)
        self.count += 1

    def close(self) -> None:
        """Write no more; raises `OSError`."""
        if self._file is not None:
            file, self._file = self._file, None
            try:
                for packet in self._stream.encode() if self.count else ():
                    file.mux(packet)
            finally:
                file.close()

    def _write(self, frame: Any) -> None:
        for packet in self._stream.encode(frame):
            self.size += packet.size
            self._file.mux(packet)


def _libraries() -> tuple[Any, tuple[Any, Any]]:
    try:
        import av
        import PIL.Image
        import PIL.ImageDraw
        import PIL.ImageFont
    except ImportError:
        raise ActionError(
            "A video is written with the packages av and pillow, which are not installed.",
            hint=f"Install them: {VIDEO.install}",
            code="missing_extra",
        ) from None
    return av, (PIL.Image, PIL)
