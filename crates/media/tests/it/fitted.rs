//! Pictures that are made to fit.

use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::{DynamicImage, Frame, ImageEncoder as _, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use silcrow_media::{
    ErrorKind, FitLimits, FittedImage, ImageRegion, ImageSize, MediaFormat, fit, fit_region,
};

fn written(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// A picture whose left half is red and whose right half is blue.
fn halves(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, _| match x < width / 2 {
        true => Rgb([250, 10, 10]),
        false => Rgb([10, 10, 250]),
    })
    .into()
}

/// A picture that no encoder can make small.
fn noise(width: u32, height: u32) -> DynamicImage {
    let mut state = 7_u32;
    RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.rotate_left(9).to_le_bytes();
        Rgb([a, b, c])
    })
    .into()
}

fn usual(bytes: &[u8]) -> FittedImage {
    fit(bytes, &FitLimits::default()).unwrap()
}

/// A segment of a JPEG with metadata that turns the picture by a quarter, and names a place.
fn exif() -> Vec<u8> {
    let mut tiff = b"MM\0*\0\0\0\x08\0\x01".to_vec();
    // Orientation, one short: 6.
    tiff.extend_from_slice(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0 Lisbon");
    let length = u16::try_from(tiff.len() + 8).unwrap().to_be_bytes();
    [&b"\xff\xe1"[..], &length, b"Exif\0\0", &tiff].concat()
}

#[test]
fn fitting_picture_keeps_its_pixels() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let file = written(&halves(300, 200), format);
        let fitted = usual(&file);
        let (before, after) = (
            image::load_from_memory(&file).unwrap(),
            image::load_from_memory(&fitted.bytes).unwrap(),
        );
        assert_eq!(before, after);
        assert_eq!((fitted.original, fitted.is_first_frame), (None, false));
        // Cleaning twice changes nothing.
        assert_eq!(usual(&fitted.bytes).bytes, fitted.bytes);
    }
}

#[test]
fn metadata_and_trailing_bytes_are_removed() {
    let jpeg = written(&halves(40, 30), ImageFormat::Jpeg);
    let comment = b"\xff\xfe\0\x08SECRET";
    let secret = [&jpeg[..2], &comment[..], &jpeg[2..], b"PK\x03\x04 SECRET"].concat();
    let png = written(&halves(40, 30), ImageFormat::Png);
    let text = b"\0\0\0\x08tEXta\0SECRET\0\0\0\0";
    let secret_png = [&png[..33], &text[..], &png[33..], b"<script>SECRET</script>"].concat();
    for file in [secret, secret_png] {
        let fitted = usual(&file);
        assert!(!fitted.bytes.windows(6).any(|bytes| bytes == b"SECRET"));
        assert_eq!(fitted.size, ImageSize { width: 40, height: 30 });
    }
}

#[test]
fn a_turned_picture_is_upright() {
    let jpeg = written(&halves(80, 40), ImageFormat::Jpeg);
    let turned = [&jpeg[..2], &exif()[..], &jpeg[2..]].concat();
    let fitted = usual(&turned);
    assert_eq!(fitted.size, ImageSize { width: 40, height: 80 });
    let image = image::load_from_memory(&fitted.bytes).unwrap().to_rgb8();
    // The left edge is now at the top.
    let (top, bottom) = (image.get_pixel(20, 10).0, image.get_pixel(20, 70).0);
    assert!(top[0] > 200 && bottom[2] > 200, "{top:?} {bottom:?}");
    assert!(!fitted.bytes.windows(6).any(|bytes| bytes == b"Lisbon"));
}

#[test]
fn a_large_picture_is_scaled() {
    let limits = FitLimits { long_edge: 192, ..FitLimits::default() };
    let fitted = fit(&written(&halves(384, 100), ImageFormat::Png), &limits).unwrap();
    assert_eq!(fitted.format, MediaFormat::Png);
    assert_eq!(fitted.size, ImageSize { width: 192, height: 50 });
    assert_eq!(fitted.original, Some(ImageSize { width: 384, height: 100 }));
}

#[test]
fn large_picture_is_reencoded_smaller() {
    let limits = FitLimits { bytes: 8000, ..FitLimits::default() };
    let fitted = fit(&written(&noise(160, 160), ImageFormat::Png), &limits).unwrap();
    assert!(fitted.bytes.len() <= 8000);
    assert_eq!(fitted.format, MediaFormat::Jpeg);
    assert_eq!(image::load_from_memory(&fitted.bytes).unwrap().width(), fitted.size.width);
    // No picture fits into nothing.
    let none = FitLimits { bytes: 10, ..limits };
    let error = fit(&written(&halves(90, 90), ImageFormat::Png), &none).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
}

#[test]
fn other_types_convert_to_widely_supported_one() {
    let webp = usual(&written(&halves(60, 40), ImageFormat::WebP));
    assert_eq!(webp.format, MediaFormat::Jpeg);
    let clear: DynamicImage = RgbaImage::from_pixel(60, 40, Rgba([0, 0, 0, 0])).into();
    let fitted = usual(&written(&clear, ImageFormat::WebP));
    assert_eq!(fitted.format, MediaFormat::Png);
}

#[test]
fn jpeg_conversion_turns_transparency_white() {
    let mut clear = noise(100, 100).to_rgba8();
    clear.pixels_mut().take(100 * 50).for_each(|pixel| *pixel = Rgba([0, 0, 0, 0]));
    let limits = FitLimits { bytes: 9000, ..FitLimits::default() };
    let fitted = fit(&written(&clear.into(), ImageFormat::Png), &limits).unwrap();
    assert_eq!(fitted.format, MediaFormat::Jpeg);
    let image = image::load_from_memory(&fitted.bytes).unwrap().to_rgb8();
    let top = image.get_pixel(image.width() / 2, 4).0;
    assert!(top.iter().all(|colour| *colour > 240), "{top:?}");
}

#[test]
fn first_of_several_frames_is_used() {
    let mut file = Vec::new();
    let mut encoder = GifEncoder::new(&mut file);
    for colour in [[200, 0, 0, 255], [0, 0, 200, 255]] {
        let frame = RgbaImage::from_pixel(20, 20, Rgba(colour));
        encoder.encode_frame(Frame::new(frame)).unwrap();
    }
    drop(encoder);
    let fitted = usual(&file);
    assert!(fitted.is_first_frame);
    let image = image::load_from_memory(&fitted.bytes).unwrap().to_rgb8();
    assert!(image.get_pixel(10, 10).0[0] > 150);
    assert!(!usual(&written(&halves(20, 20), ImageFormat::Gif)).is_first_frame);
}

#[test]
fn other_files_are_refused_by_name() {
    let refused = |bytes: &[u8]| fit(bytes, &FitLimits::default()).unwrap_err();
    assert_eq!(refused(b"hello").kind(), ErrorKind::NotAnImage);
    assert_eq!(refused(b"%PDF-1.7").to_string(), "the file is a PDF, not a picture");
    let heic = refused(b"\0\0\0\x18ftypheic");
    assert_eq!(heic.kind(), ErrorKind::Unsupported);
    assert_eq!(
        heic.to_string(),
        "models do not read HEIC; convert it, for example with `magick picture.heic picture.png`"
    );
    let small = refused(&written(&halves(7, 70), ImageFormat::Png));
    assert_eq!(small.kind(), ErrorKind::TooSmall);
}

#[test]
fn sixteen_bits_a_colour_are_read() {
    let mut file = Vec::new();
    let pixels = vec![0x80; 16 * 16 * 6];
    let encoder = image::codecs::png::PngEncoder::new(&mut file);
    encoder.write_image(&pixels, 16, 16, image::ExtendedColorType::Rgb16).unwrap();
    assert_eq!(usual(&file).size, ImageSize { width: 16, height: 16 });
}

fn region(x: u32, y: u32, width: u32, height: u32) -> ImageRegion {
    ImageRegion { x, y, width, height }
}

#[test]
fn region_keeps_its_pixels() {
    let file = written(&halves(4000, 3000), ImageFormat::Png);
    let limits = FitLimits::default();
    let cut = fit_region(&file, region(1990, 0, 20, 3000), &limits).unwrap();
    // It is too high, and made smaller; the bytes of a whole picture would not show where the
    // halves meet.
    assert_eq!(cut.original, Some(ImageSize { width: 20, height: 3000 }));
    let cut = fit_region(&file, region(1990, 5, 20, 10), &limits).unwrap();
    assert_eq!((cut.format, cut.original), (MediaFormat::Png, None));
    assert_eq!(image::load_from_memory(&cut.bytes).unwrap(), halves(20, 10));
    // It ends with the picture.
    let cut = fit_region(&file, region(3900, 2900, 4000, u32::MAX), &limits).unwrap();
    assert_eq!(cut.size, ImageSize { width: 100, height: 100 });
}

#[test]
fn region_is_of_the_upright_picture() {
    let jpeg = written(&halves(60, 40), ImageFormat::Jpeg);
    let turned = [&jpeg[..2], &exif(), &jpeg[2..]].concat();
    // Upright, it is 40 wide and 60 high, and red above.
    let cut = fit_region(&turned, region(0, 0, 40, 20), &FitLimits::default()).unwrap();
    let pixels = image::load_from_memory(&cut.bytes).unwrap().to_rgb8();
    assert_eq!(pixels.dimensions(), (40, 20));
    assert!(pixels.pixels().all(|pixel| pixel.0[0] > 200 && pixel.0[2] < 60));
    assert!(!cut.bytes.windows(6).any(|bytes| bytes == b"Lisbon"));
}

#[test]
fn region_without_pixels_is_refused() {
    let file = written(&halves(300, 200), ImageFormat::Png);
    for (region, kind, said) in [
        (
            region(300, 0, 9, 9),
            ErrorKind::OutsideImage,
            "outside of the picture, which has 300 × 200",
        ),
        (region(0, 200, 9, 9), ErrorKind::OutsideImage, "300 × 200 pixels"),
        (region(0, 0, 0, 0), ErrorKind::OutsideImage, "300 × 200 pixels"),
        (
            region(295, 0, 50, 50),
            ErrorKind::TooSmall,
            "the region has 5 × 50 pixels, and a side needs 8",
        ),
    ] {
        let error = fit_region(&file, region, &FitLimits::default()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
}
