//! The size of a picture, from its header.
//!
//! Nothing is decoded, so a picture of 50,000 × 50,000 pixels costs as little as a small one.

use crate::media_format::MediaFormat;

/// The size of a picture in pixels, as it is stored: a rotation that its metadata asks for is not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a picture has two sides")]
pub struct ImageSize {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl ImageSize {
    /// Reads the size of a PNG, JPEG, GIF or WebP. Other files, and files that end before their
    /// size, have none.
    ///
    /// A JPEG says it after its metadata, which can take some hundred kilobytes; the others within 30
    /// bytes.
    ///
    /// ```
    /// use silcrow_media::ImageSize;
    ///
    /// let gif = b"GIF89a\x02\x00\x03\x00";
    /// assert_eq!(ImageSize::read(gif), Some(ImageSize { width: 2, height: 3 }));
    /// assert_eq!(ImageSize::read(b"GIF89a"), None);
    /// ```
    pub fn read(bytes: &[u8]) -> Option<Self> {
        match MediaFormat::detect(bytes)? {
            MediaFormat::Png => {
                (bytes.get(12..16)? == b"IHDR").then_some(())?;
                Some(Self { width: be32(bytes, 16)?, height: be32(bytes, 20)? })
            }
            MediaFormat::Gif => {
                Some(Self { width: le16(bytes, 6)?.into(), height: le16(bytes, 8)?.into() })
            }
            MediaFormat::Jpeg => jpeg(bytes),
            MediaFormat::WebP => webp(bytes),
            _ => None,
        }
    }

    /// Returns the number of pixels.
    pub const fn pixels(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    /// Returns the longer side.
    pub const fn long_edge(self) -> u32 {
        if self.width > self.height { self.width } else { self.height }
    }

    /// Returns the shorter side.
    pub const fn short_edge(self) -> u32 {
        if self.width > self.height { self.height } else { self.width }
    }
}

/// Reads the frame header of a JPEG, before which other segments may stand.
fn jpeg(bytes: &[u8]) -> Option<ImageSize> {
    let mut at = 2;
    loop {
        // Any number of fill bytes may stand before a marker.
        (*bytes.get(at)? == 0xff).then_some(())?;
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            // These markers have no length: restarts and TEM.
            0x01 | 0xd0..=0xd7 => at += 2,
            // A frame, except for the tables among these numbers.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some(ImageSize {
                    height: be16(bytes, at + 5)?.into(),
                    width: be16(bytes, at + 7)?.into(),
                });
            }
            // The picture begins, or ends, without a frame.
            0xd8..=0xda => return None,
            _ => at += 2 + usize::from(be16(bytes, at + 2)?.max(2)),
        }
    }
}

/// Reads the first part of a WebP, which is of one of three kinds.
fn webp(bytes: &[u8]) -> Option<ImageSize> {
    match bytes.get(12..16)? {
        b"VP8X" => Some(ImageSize { width: le24(bytes, 24)? + 1, height: le24(bytes, 27)? + 1 }),
        b"VP8L" => {
            (*bytes.get(20)? == 0x2f).then_some(())?;
            let bits = u32::from(le16(bytes, 21)?) | u32::from(le16(bytes, 23)?) << 16;
            Some(ImageSize { width: (bits & 0x3fff) + 1, height: (bits >> 14 & 0x3fff) + 1 })
        }
        b"VP8 " => {
            (bytes.get(23..26)? == b"\x9d\x01\x2a").then_some(())?;
            // The highest two bits are the scale for display.
            let side = |at| Some(u32::from(le16(bytes, at)? & 0x3fff));
            Some(ImageSize { width: side(26)?, height: side(28)? })
        }
        _ => None,
    }
}

fn be16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn le16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    let [low, middle, high] = bytes.get(at..at + 3)?.try_into().ok()?;
    Some(u32::from_le_bytes([low, middle, high, 0]))
}
