//! Sizes from headers, compared with a decoder's.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use proptest::prelude::*;
use silcrow_media::ImageSize;

const FORMATS: [ImageFormat; 4] =
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];

fn file(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(width, height).write_to(&mut file, format).unwrap();
    file.into_inner()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_header_says_the_size(width in 1..90_u32, height in 1..90_u32) {
        for format in FORMATS {
            let bytes = file(width, height, format);
            prop_assert_eq!(ImageSize::read(&bytes), Some(ImageSize { width, height }));
        }
    }

    /// A header that is cut says nothing, and never a wrong size.
    #[test]
    fn truncated_header_yields_no_wrong_size(cut in 0..700_usize) {
        for format in FORMATS {
            let bytes = file(33, 7, format);
            let size = ImageSize::read(&bytes[..cut.min(bytes.len())]);
            let whole = ImageSize { width: 33, height: 7 };
            prop_assert_eq!(size.unwrap_or(whole), whole);
        }
    }

    #[test]
    fn any_bytes_are_fine(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for start in [&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff", b"GIF89a", b"RIFF0000WEBPVP8X"] {
            bytes.splice(..0, start.iter().copied());
            ImageSize::read(&bytes);
        }
    }
}

#[test]
fn the_three_kinds_of_webp_say_their_size() {
    let lossy = b"RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0\x30\x01\0\x9d\x01\x2a\x21\x40\x07\x80";
    assert_eq!(ImageSize::read(lossy), Some(ImageSize { width: 33, height: 7 }));
    let extended = b"RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\x20\0\0\x06\0\0";
    assert_eq!(ImageSize::read(extended), Some(ImageSize { width: 33, height: 7 }));
}
