"""Text files that are not what is read here: other encodings, and what is no text at all."""

from __future__ import annotations

_MARKS = {  # that a file begins with; the longer ones first
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_WAY_OUT = "save the file as UTF-8, for instance with `iconv -f {} -t UTF-8`"


def check_text(head: bytes) -> None:
    """The beginning of a table is text, and the names of its columns are UTF-8."""
    seen = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if seen is None and b"\0" in head:
        seen = _with_zeros(head)
    if seen is not None:
        raise ValueError(f"its text is {seen}, and UTF-8 is read; {_WAY_OUT.format(seen)}")
    end = end_of_line(head)
    names = head if end < 0 else head[:end]
    try:
        names.decode()
    except UnicodeDecodeError as error:
        if error.end == len(head) and error.reason == "unexpected end of data":
            return  # a name that is cut where the head is
        byte = names[error.start]
        raise ValueError(
            f"the names of its columns are not UTF-8: byte 0x{byte:02x} at place {error.start}. "
            + other_encoding()
        ) from None


def end_of_line(head: bytes) -> int:
    """Where the first line ends, −1 where it does not."""
    ends = [place for place in (head.find(b"\n"), head.find(b"\r")) if place >= 0]
    return min(ends, default=-1)


def other_encoding() -> str:
    """What a file that is not UTF-8 probably is, and what to do."""
    return f"It may be Latin-1 or Windows-1252: {_WAY_OUT.format('WINDOWS-1252')}"


def told(message: str, block: int) -> str:
    """What pyarrow says of rows that are too long, in words about the file."""
    if "straddl" not in message:
        return message
    return (
        f"a row is longer than {block / 1e6:.0f} MB; probably a quote is not closed, or a cell "
        "holds what is no part of a table"
    )


def _with_zeros(head: bytes) -> str:
    """UTF-16 without a mark has a zero beside every plain letter."""
    some = head[:1000]
    if max(some[::2].count(0), some[1::2].count(0)) > len(some) // 4:
        return "UTF-16"
    line = head[: head.index(b"\0")].count(b"\n") + 1
    raise ValueError(f"there is a zero byte in line {line}: this is no text, or a damaged file")
