//! A picture that every vendor takes.
//!
//! This module decides how a picture changes. `pixels` decodes and encodes it, and `metadata`
//! removes metadata from one that stays as it is.

mod metadata;
pub(crate) mod pixels;

use crate::error::{Error, ErrorKind};
use crate::fit_limits::FitLimits;
use crate::image_region::ImageRegion;
use crate::image_size::ImageSize;
use crate::media_format::{MediaClass, MediaFormat};
use pixels::Pixels;

/// A picture within the bounds, without metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FittedImage {
    /// The file: PNG or JPEG.
    pub bytes: Vec<u8>,
    /// Its format.
    pub format: MediaFormat,
    /// Its size, upright.
    pub size: ImageSize,
    /// The size of the picture or region that it was made from, upright, if that was larger.
    pub original: Option<ImageSize>,
    /// Whether it is the first of several frames.
    pub is_first_frame: bool,
}

/// Makes a picture fit: a PNG, JPEG, GIF or WebP becomes a PNG or a JPEG within the bounds.
///
/// A picture that fits keeps its pixels byte for byte, and loses its metadata: its location,
/// thumbnails, texts, colour profiles, and bytes after its end. One that is rotated by its
/// metadata, animated, too large, or in another format is written anew. It becomes a JPEG, unless
/// it was a PNG or has transparency and fits as a PNG.
///
/// The same bytes and bounds give the same picture. It takes some 100 ms for a photo of 12
/// megapixels, so call it on a thread that may be busy.
///
/// # Errors
///
/// - [`NotAnImage`](ErrorKind::NotAnImage) and [`Unsupported`](ErrorKind::Unsupported) for other files.
/// - [`TooLarge`](ErrorKind::TooLarge) and [`TooSmall`](ErrorKind::TooSmall) by the limits; nothing
///   is decoded then.
/// - [`Damaged`](ErrorKind::Damaged) if it cannot be decoded to its end.
///
/// ```
/// # let picture = image::DynamicImage::new_rgb8(300, 200);
/// # let mut file = std::io::Cursor::new(Vec::new());
/// # picture.write_to(&mut file, image::ImageFormat::Gif).unwrap();
/// # let file = file.into_inner();
/// use silcrow_media::{FitLimits, MediaFormat, fit};
///
/// // `file` is a GIF of 300 × 200 pixels.
/// let fitted = fit(&file, &FitLimits::default()).unwrap();
/// assert_eq!(fitted.format, MediaFormat::Jpeg);
/// assert_eq!(fitted.size.width, 300);
/// assert_eq!(fitted.original, None);
/// ```
pub fn fit(bytes: &[u8], limits: &FitLimits) -> Result<FittedImage, Error> {
    // A picture that cannot be decoded would fail at the vendor, so each is decoded, even if it
    // stays as it is.
    let (pixels, format) = decode(bytes, limits)?;
    let is_first_frame = metadata::is_animated(bytes, format);
    let whole = pixels.size();
    let stays = format.is_read_everywhere() && !is_first_frame && !pixels.is_turned();
    if stays
        && whole.long_edge() <= limits.long_edge
        && let Some(clean) = metadata::without(bytes, format)
        && clean.len() <= limits.bytes
    {
        let size = whole;
        return Ok(FittedImage { bytes: clean, format, size, original: None, is_first_frame });
    }
    let (bytes, format, size) = pixels.write(format, limits)?;
    let original = (size != whole).then_some(whole);
    Ok(FittedImage { bytes, format, size, original, is_first_frame })
}

/// Cuts a region out of a picture, and makes that fit: small text in a large picture can be read then.
///
/// A region that reaches beyond the picture ends with it. [`original`](FittedImage::original) is the size of
/// the region in the picture.
///
/// # Errors
///
/// As [`fit`], and [`OutsideImage`](ErrorKind::OutsideImage) for a region without a pixel of the picture.
///
/// ```
/// # let picture = image::DynamicImage::new_rgb8(4000, 1000);
/// # let mut file = std::io::Cursor::new(Vec::new());
/// # picture.write_to(&mut file, image::ImageFormat::Png).unwrap();
/// # let file = file.into_inner();
/// use silcrow_media::{FitLimits, ImageRegion, fit_region};
///
/// // `file` is a PNG of 4000 × 1000 pixels.
/// let region = ImageRegion { x: 3800, y: 0, width: 400, height: 100 };
/// let fitted = fit_region(&file, region, &FitLimits::default()).unwrap();
/// assert_eq!((fitted.size.width, fitted.size.height), (200, 100));
/// ```
pub fn fit_region(
    bytes: &[u8],
    region: ImageRegion,
    limits: &FitLimits,
) -> Result<FittedImage, Error> {
    let (pixels, format) = decode(bytes, limits)?;
    let is_first_frame = metadata::is_animated(bytes, format);
    let whole = pixels.size();
    let region = region.within(whole).ok_or_else(|| {
        let ImageSize { width, height } = whole;
        let text =
            format!("the region is outside of the picture, which has {width} × {height} pixels");
        Error::new(ErrorKind::OutsideImage, text)
    })?;
    let cut = ImageSize { width: region.width, height: region.height };
    check_edge(cut, "region", limits)?;
    let (bytes, format, size) = pixels.cut(region).write(format, limits)?;
    let original = (size != cut).then_some(cut);
    Ok(FittedImage { bytes, format, size, original, is_first_frame })
}

/// Decodes a picture within the limits for reading.
fn decode(bytes: &[u8], limits: &FitLimits) -> Result<(Pixels, MediaFormat), Error> {
    let format = image_type(bytes)?;
    if bytes.len() > limits.read_bytes {
        let most = limits.read_bytes >> 20;
        let text = format!("the picture has {} MiB, and {most} are read", bytes.len() >> 20);
        return Err(Error::new(ErrorKind::TooLarge, text));
    }
    let stored = ImageSize::read(bytes).ok_or_else(|| damaged("it ends before its size"))?;
    let ImageSize { width, height } = stored;
    if stored.pixels() > limits.read_pixels {
        let most = limits.read_pixels / 1_000_000;
        let text =
            format!("the picture has {width} × {height} pixels, and {most} million are read");
        return Err(Error::new(ErrorKind::TooLarge, text));
    }
    check_edge(stored, "picture", limits)?;
    Ok((Pixels::decode(bytes, format, stored)?, format))
}

/// Refuses a picture that is too narrow for a model.
fn check_edge(size: ImageSize, what: &str, limits: &FitLimits) -> Result<(), Error> {
    if size.short_edge() >= limits.short_edge {
        return Ok(());
    }
    let ImageSize { width, height } = size;
    let least = limits.short_edge;
    let text = format!("the {what} has {width} × {height} pixels, and a side needs {least}");
    Err(Error::new(ErrorKind::TooSmall, text))
}

/// Returns the type of a picture that can be decoded.
fn image_type(bytes: &[u8]) -> Result<MediaFormat, Error> {
    let Some(format) = MediaFormat::detect(bytes) else {
        return Err(Error::new(ErrorKind::NotAnImage, "the file is not a picture"));
    };
    match format {
        MediaFormat::Png | MediaFormat::Jpeg | MediaFormat::Gif | MediaFormat::WebP => Ok(format),
        other if other.class() == MediaClass::Image => {
            let from = other.extension();
            let text = format!(
                "models do not read {other}; convert it, for example with \
                 `magick picture.{from} picture.png`"
            );
            Err(Error::new(ErrorKind::Unsupported, text))
        }
        other => {
            Err(Error::new(ErrorKind::NotAnImage, format!("the file is a {other}, not a picture")))
        }
    }
}

fn damaged(why: &str) -> Error {
    Error::new(ErrorKind::Damaged, format!("the picture cannot be decoded: {why}"))
}
