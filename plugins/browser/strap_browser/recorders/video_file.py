"""A video of pictures that come as they like: WebM, with a caption below and a frame on them.

Chromium and players read it while it grows, and after a crash up to its last second.
"""

import os
from fractions import Fraction
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
DARK, GREY, BRIGHT = 36, 128, 235
"""Brightness of the strip, colour of what has none, and brightness of text, as videos have them."""
LINE, COLOUR = 4, "#e11d48"
"""Pixels and colour of the frame around an element."""
BITS = 1_200_000
"""A second, at most: text stays readable, and half an hour stays below 200 MB."""
FASTEST = {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0", "threads": "1"}
"""libvpx: some 5 ms a picture; several threads take five times that, as they wait in loops."""
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
        self._decoder = self._av.CodecContext.create("mjpeg", "r")
        self._decoder.thread_count = 1
        self._graph: Any = None
        self._graph_of: tuple[Any, ...] = ()
        """Size, format and frame that the filters are for."""
        self._shown: tuple[str | None, bytes] = (None, b"")
        """The last caption, and its pixels."""

    def add(
        self, jpeg: bytes, at_ms: int, caption: str, box: Box | None = None, width: float = WIDTH
    ) -> None:
        """Add a picture of a page that is `width` CSS pixels wide; raises `OSError`."""
        frame = self._page_frame(jpeg, box, width) if jpeg else self._blank()
        luma = memoryview(frame.planes[0])
        luma[HEIGHT * frame.planes[0].line_size :] = self._strip(caption, frame.planes[0].line_size)
        frame.pts = self._last = max(self._last + 1, at_ms)
        frame.time_base = MS
        self._write(frame)
        self.count += 1

    def _page_frame(self, jpeg: bytes, box: Box | None, width: float) -> Any:
        """Return a picture at the size of the video, above an empty strip."""
        [seen] = self._decoder.decode(self._av.Packet(jpeg))
        scale = seen.width / width
        known = seen.width, seen.height, seen.format.name, box and tuple(e * scale for e in box)
        if self._graph_of != known:
            self._graph, self._graph_of = self._new_graph(seen, known[3]), known
        self._graph.push(seen)
        frame = self._graph.pull()
        frame.pict_type = 0  # as each JPEG is a whole picture, each would be a key frame
        return frame

    def _new_graph(self, seen: Any, box: tuple[float, ...] | None) -> Any:
        """Return filters that frame an element and fit a picture in; colours become a video's."""
        graph = self._av.filter.Graph()
        graph.threads = 1
        steps = [
            ("scale", f"{WIDTH}:{HEIGHT}:force_original_aspect_ratio=decrease:out_range=tv"),
            ("format", "yuv420p"),
            ("pad", f"{WIDTH}:{HEIGHT + STRIP}:(ow-iw)/2:0:color=#18181b"),
            ("buffersink", None),
        ]
        if box is not None:
            x, y, wide, high = map(round, box)
            corners = f"{x - LINE}:{y - LINE}:{wide + 2 * LINE}:{high + 2 * LINE}"
            steps.insert(0, ("drawbox", f"{corners}:color={COLOUR}:t={LINE}"))
        source = {"width": seen.width, "height": seen.height, "format": seen.format}
        graph.link_nodes(
            graph.add_buffer(**source, time_base=MS), *(graph.add(*step) for step in steps)
        ).configure()
        return graph

    def _blank(self) -> Any:
        frame = self._av.VideoFrame(WIDTH, HEIGHT + STRIP, "yuv420p")
        for plane, value in zip(frame.planes, (DARK, GREY, GREY), strict=True):
            plane.update(bytes([value]) * plane.buffer_size)
        return frame

    def _strip(self, caption: str, line: int) -> bytes:
        """Return the brightness of a caption's pixels."""
        if self._shown[0] != caption:
            image, drawing = self._pil
            strip = image.new("L", (line, STRIP), DARK)
            font = drawing.ImageFont.load_default(FONT)
            where = drawing.ImageDraw.Draw(strip)
            where.text((12, 8), clip(caption, LETTERS), fill=BRIGHT, font=font)
            self._shown = caption, strip.tobytes()
        return self._shown[1]

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
        import av.filter
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
