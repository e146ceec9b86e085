//! A file as a medium of a message: its format by its first bytes, within limits.

use silcrow_event::MediaRef;

use crate::error::{Error, ErrorKind};
use crate::fit_limits::FitLimits;
use crate::image_region::ImageRegion;
use crate::media_format::{MediaClass, MediaFormat};

/// Makes a file a medium that a message or a result may have. This stores nothing.
///
/// A picture is made to fit with the feature `decode`. Without it, a PNG or a JPEG within the
/// limits stays as it is, and any other picture is refused. Documents and sounds stay as they are.
/// A picture of 12 megapixels takes some 100 ms, so call it on a thread that may be busy.
///
/// ```
/// use silcrow_media::{FitLimits, medium};
///
/// let pdf = medium(b"%PDF-1.7 ...", "a.pdf", &FitLimits::default()).unwrap();
/// assert_eq!(pdf.line(), "[document: a.pdf, PDF, 1 kB]");
/// assert!(medium(b"a text", "a.png", &FitLimits::default()).is_err());
/// ```
///
/// # Errors
///
/// - [`NotAnImage`](ErrorKind::NotAnImage) for a file that is not a medium.
/// - [`TooLarge`](ErrorKind::TooLarge) for a document of more than 10 MiB, and for a sound of more than the
///   bytes that are read.
/// - The errors of `fit` for a picture.
pub fn medium(bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
    let Some(format) = MediaFormat::detect(bytes) else {
        let text = "the file is no picture, document or sound";
        return Err(Error::new(ErrorKind::NotAnImage, text));
    };
    let most = match format.class() {
        MediaClass::Image => return picture(bytes, name, limits),
        MediaClass::Document => MOST_OF_DOCUMENT,
        MediaClass::Sound => limits.read_bytes,
    };
    if bytes.len() > most {
        let (has, most) = (bytes.len() >> 20, most >> 20);
        let text = format!("the {format} file has {has} MiB, and {most} are sent");
        return Err(Error::new(ErrorKind::TooLarge, text));
    }
    Ok(MediaRef::new(format.mime(), bytes).with_name(name))
}

/// Makes a region of a picture a medium, at its own size if that fits.
///
/// ```
/// # #[cfg(feature = "decode")] {
/// # let picture = image::DynamicImage::new_rgb8(4000, 1000);
/// # let mut file = std::io::Cursor::new(Vec::new());
/// # picture.write_to(&mut file, image::ImageFormat::Png).unwrap();
/// # let file = file.into_inner();
/// use silcrow_media::{FitLimits, ImageRegion, region_medium};
///
/// // `file` is a PNG of 4000 × 1000 pixels.
/// let region = ImageRegion { x: 100, y: 50, width: 400, height: 300 };
/// let medium = region_medium(&file, "plan.png", region, &FitLimits::default()).unwrap();
/// assert_eq!(medium.line(), "[image: plan.png, PNG, 400 × 300: the region at 100, 50]");
/// # }
/// ```
///
/// # Errors
///
/// As `fit_region`; [`Unsupported`](ErrorKind::Unsupported) without the feature `decode`.
pub fn region_medium(
    bytes: &[u8],
    name: &str,
    region: ImageRegion,
    limits: &FitLimits,
) -> Result<MediaRef, Error> {
    #[cfg(feature = "decode")]
    {
        let ImageRegion { x, y, .. } = region;
        let fitted = crate::fit::fit_region(bytes, region, limits)?;
        let first = if fitted.is_first_frame { " of the first frame" } else { "" };
        Ok(fitted_medium(fitted, name, format!("the region at {x}, {y}{first}")))
    }
    #[cfg(not(feature = "decode"))]
    {
        let _ = (bytes, name, region, limits);
        Err(Error::new(ErrorKind::Unsupported, "this program decodes no pictures"))
    }
}

#[cfg(feature = "decode")]
fn picture(bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
    let fitted = crate::fit::fit(bytes, limits)?;
    let first = if fitted.is_first_frame { "the first frame of an animation" } else { "" };
    Ok(fitted_medium(fitted, name, first))
}

#[cfg(feature = "decode")]
fn fitted_medium(fitted: crate::fit::FittedImage, name: &str, alt: impl Into<String>) -> MediaRef {
    let (width, height) = (fitted.size.width, fitted.size.height);
    let original = fitted.original.map(|whole| (whole.width, whole.height));
    MediaRef::new(fitted.format.mime(), fitted.bytes)
        .with_name(name)
        .with_size(width, height)
        .with_original(original)
        .with_alt(alt)
}

#[cfg(not(feature = "decode"))]
fn picture(bytes: &[u8], name: &str, limits: &FitLimits) -> Result<MediaRef, Error> {
    let damaged = || Error::new(ErrorKind::Damaged, "the picture ends before its size");
    let size = crate::image_size::ImageSize::read(bytes).ok_or_else(damaged)?;
    let format = MediaFormat::detect(bytes).filter(|format| format.is_read_everywhere());
    let fits = size.long_edge() <= limits.long_edge
        && size.short_edge() >= limits.short_edge
        && bytes.len() <= limits.bytes;
    let Some(format) = format.filter(|_| fits) else {
        let edge = limits.long_edge;
        let text = format!(
            "this program makes no pictures fit: give it a PNG or a JPEG of at most {edge} pixels a side"
        );
        return Err(Error::new(ErrorKind::Unsupported, text));
    };
    Ok(MediaRef::new(format.mime(), bytes).with_name(name).with_size(size.width, size.height))
}

/// The most bytes of a document.
const MOST_OF_DOCUMENT: usize = 10 << 20;
