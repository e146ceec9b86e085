//! The data of a file besides its pixels: whether there are more frames, and the file without the
//! rest.
//!
//! Only data that affects the pixels is kept. Unknown parts are left out, and so is everything
//! behind the end of the picture.

use crate::media_format::MediaFormat;

/// Returns whether a picture has more than one frame. A JPEG has one.
pub(super) fn is_animated(bytes: &[u8], format: MediaFormat) -> bool {
    match format {
        MediaFormat::Png => png_chunks(bytes).any(|chunk| chunk.kind == b"acTL"),
        MediaFormat::Gif => has_second_frame(bytes).unwrap_or(false),
        // The second bit of the flags of the extended header.
        MediaFormat::WebP => {
            bytes.get(12..16) == Some(b"VP8X") && bytes.get(20).is_some_and(|flags| flags & 2 != 0)
        }
        _ => false,
    }
}

/// Returns a PNG or JPEG with only its pixels. Returns `None` for other formats, and for a file
/// whose parts cannot be told apart.
pub(super) fn without(bytes: &[u8], format: MediaFormat) -> Option<Vec<u8>> {
    match format {
        MediaFormat::Png => png(bytes),
        MediaFormat::Jpeg => jpeg(bytes),
        _ => None,
    }
}

/// The chunks of a PNG that determine its pixels.
const PNG_KEPT: [&[u8; 4]; 8] =
    [b"IHDR", b"PLTE", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"IDAT", b"IEND"];

fn png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut clean = bytes.get(..8)?.to_vec();
    for chunk in png_chunks(bytes) {
        if PNG_KEPT.iter().any(|kept| **kept == *chunk.kind) {
            clean.extend_from_slice(chunk.whole);
        }
        if chunk.kind == b"IEND" {
            return Some(clean);
        }
    }
    None
}

struct PngChunk<'a> {
    kind: &'a [u8],
    /// With its length and its checksum.
    whole: &'a [u8],
}

/// Lists the chunks of a PNG, up to the first that is not whole.
fn png_chunks(bytes: &[u8]) -> impl Iterator<Item = PngChunk<'_>> {
    let mut rest = bytes.get(8..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
        let end = usize::try_from(length).ok()?.checked_add(12)?;
        let whole = rest.get(..end)?;
        let kind = whole.get(4..8)?;
        rest = rest.get(end..)?;
        Some(PngChunk { kind, whole })
    })
}

fn jpeg(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut clean = bytes.get(..2)?.to_vec();
    let mut at = 2;
    loop {
        (*bytes.get(at)? == 0xff).then_some(())?;
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            0xd9 => {
                clean.extend_from_slice(&[0xff, 0xd9]);
                return Some(clean);
            }
            0x01 | 0xd0..=0xd8 => {
                clean.extend_from_slice(bytes.get(at..at + 2)?);
                at += 2;
            }
            _ => {
                let length = u16::from_be_bytes(bytes.get(at + 2..at + 4)?.try_into().ok()?);
                let end = at + 2 + usize::from(length.max(2));
                let segment = bytes.get(at..end)?;
                // Comments, and data of applications; the two that are kept say how colours are
                // stored.
                let is_added = matches!(marker, 0xe0..=0xef | 0xfe);
                if !is_added || matches!(marker, 0xe0 | 0xee) {
                    clean.extend_from_slice(segment);
                }
                at = end;
                if marker == 0xda {
                    let data = scan_length(bytes.get(at..)?)?;
                    clean.extend_from_slice(bytes.get(at..at + data)?);
                    at += data;
                }
            }
        }
    }
}

/// Returns the length of the coded data up to the next marker. Inside of it a byte of ones is followed by
/// a zero or a restart.
fn scan_length(data: &[u8]) -> Option<usize> {
    data.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7))
}

/// Returns whether a GIF has two frames.
fn has_second_frame(bytes: &[u8]) -> Option<bool> {
    let mut at = 13 + colours(*bytes.get(10)?);
    let mut frames = 0;
    loop {
        match *bytes.get(at)? {
            // An extension: its label, and blocks.
            0x21 => at = behind_blocks(bytes, at + 2)?,
            0x2c => {
                frames += 1;
                if frames == 2 {
                    return Some(true);
                }
                // Its own colours and the size of its codes, and blocks.
                let own = colours(*bytes.get(at + 9)?);
                at = behind_blocks(bytes, at + 10 + own + 1)?;
            }
            _ => return Some(false),
        }
    }
}

/// Returns the number of bytes of the colour table that these flags describe.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << (usize::from(flags & 7) + 1) }
}

/// Returns the place behind a chain of blocks.
fn behind_blocks(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += 1 + length;
        if length == 0 {
            return Some(at);
        }
    }
}
