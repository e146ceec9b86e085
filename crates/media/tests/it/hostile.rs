//! Files that were made to do harm.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat};
use proptest::prelude::*;
use silcrow_media::{ErrorKind, FitLimits, fit};

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(24, 16).write_to(&mut file, format).unwrap();
    file.into_inner()
}

const FORMATS: [ImageFormat; 4] =
    [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];

#[test]
fn picture_exceeding_pixel_limit_is_refused_by_header() {
    let mut png = picture(ImageFormat::Png);
    png[16..20].copy_from_slice(&50_000_u32.to_be_bytes());
    png[20..24].copy_from_slice(&50_000_u32.to_be_bytes());
    let error = fit(&png, &FitLimits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(error.to_string(), "the picture has 50000 × 50000 pixels, and 64 million are read");
}

#[test]
fn picture_with_false_dimensions_is_damaged() {
    let mut png = picture(ImageFormat::Png);
    png[16..20].copy_from_slice(&5000_u32.to_be_bytes());
    let error = fit(&png, &FitLimits::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
}

#[test]
fn a_file_of_many_bytes_is_refused() {
    let mut png = picture(ImageFormat::Png);
    png.resize(21 << 20, 0);
    let error = fit(&png, &FitLimits::default()).unwrap_err();
    assert_eq!(error.to_string(), "the picture has 21 MiB, and 20 are read");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is cut or changed, the result is a picture within the limits, or an error.
    #[test]
    fn broken_pictures_end(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let limits = FitLimits { read_pixels: 100_000, ..FitLimits::default() };
        for format in FORMATS {
            let mut bytes = picture(format);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            let whole = fit(&bytes, &limits);
            if let Ok(fitted) = whole {
                prop_assert!(fitted.size.long_edge() <= 1920);
                image::load_from_memory(&fitted.bytes).unwrap();
            }
            bytes.truncate(cut.index(bytes.len()));
            if let Ok(fitted) = fit(&bytes, &limits) {
                image::load_from_memory(&fitted.bytes).unwrap();
            }
        }
    }
}
