//! The pixels of a picture: decoded, upright, scaled and written again.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

use super::{FitLimits, damaged};
use crate::error::{Error, ErrorKind};
use crate::image_region::ImageRegion;
use crate::image_size::ImageSize;
use crate::media_format::MediaFormat;

/// A decoded picture, upright.
pub(crate) struct Pixels {
    image: DynamicImage,
    is_turned: bool,
}

impl Pixels {
    /// Decodes the first frame of a picture whose header says this size.
    pub(super) fn decode(
        bytes: &[u8],
        format: MediaFormat,
        stored: ImageSize,
    ) -> Result<Self, Error> {
        let decoded = match format {
            MediaFormat::Png => ImageFormat::Png,
            MediaFormat::Jpeg => ImageFormat::Jpeg,
            MediaFormat::Gif => ImageFormat::Gif,
            _ => ImageFormat::WebP,
        };
        let mut limits = Limits::default();
        limits.max_image_width = Some(stored.width);
        limits.max_image_height = Some(stored.height);
        // Eight bytes a pixel at most, and as much again while it is decoded.
        limits.max_alloc = Some((stored.pixels() * 16).max(1 << 20));
        let mut reader = ImageReader::with_format(Cursor::new(bytes), decoded);
        reader.limits(limits);
        let mut decoder = reader.into_decoder().map_err(|error| damaged(&error.to_string()))?;
        // Metadata that cannot be read turns nothing.
        let turned = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let mut image =
            DynamicImage::from_decoder(decoder).map_err(|error| damaged(&error.to_string()))?;
        image.apply_orientation(turned);
        Ok(Self { image, is_turned: turned != Orientation::NoTransforms })
    }

    /// Returns pixels of red, green and blue, row by row, as a picture. Returns `None` if there are
    /// too few.
    #[cfg(feature = "pdf-pages")]
    pub(crate) fn drawn(rgb: Vec<u8>, size: ImageSize) -> Option<Self> {
        let image = image::RgbImage::from_raw(size.width, size.height, rgb)?;
        Some(Self { image: image.into(), is_turned: false })
    }

    /// Returns a region, which is within the picture.
    pub(super) fn cut(&self, region: ImageRegion) -> Self {
        let ImageRegion { x, y, width, height } = region;
        Self { image: self.image.crop_imm(x, y, width, height), is_turned: self.is_turned }
    }

    /// Returns the size, upright.
    pub(super) fn size(&self) -> ImageSize {
        ImageSize { width: self.image.width(), height: self.image.height() }
    }

    /// Returns whether the picture is stored in another direction than it is seen in.
    pub(super) const fn is_turned(&self) -> bool {
        self.is_turned
    }

    /// Writes the picture within the bounds, as small as it has to be.
    pub(crate) fn write(
        &self,
        from: MediaFormat,
        limits: &FitLimits,
    ) -> Result<(Vec<u8>, MediaFormat, ImageSize), Error> {
        let mut edge = limits.long_edge.min(self.size().long_edge());
        // Each round makes the picture smaller, so this ends.
        while edge >= limits.short_edge.max(1) {
            let image = self.scaled(edge);
            let size = ImageSize { width: image.width(), height: image.height() };
            let keeps = from == MediaFormat::Png || is_transparent(&image);
            if keeps && let Some(png) = png(&image).filter(|png| png.len() <= limits.bytes) {
                return Ok((png, MediaFormat::Png, size));
            }
            let opaque = on_white(&image);
            for quality in [85, 70, 50] {
                let jpeg = jpeg(&opaque, quality)?;
                if jpeg.len() <= limits.bytes {
                    return Ok((jpeg, MediaFormat::Jpeg, size));
                }
            }
            edge = edge * 3 / 4;
        }
        let most = limits.bytes;
        Err(Error::new(ErrorKind::TooLarge, format!("the picture does not fit into {most} bytes")))
    }

    fn scaled(&self, edge: u32) -> DynamicImage {
        match self.size().long_edge() > edge {
            true => self.image.resize(edge, edge, FilterType::Lanczos3),
            false => self.image.clone(),
        }
    }
}

/// Returns whether a pixel is not opaque.
fn is_transparent(image: &DynamicImage) -> bool {
    image.color().has_alpha() && image.to_rgba8().pixels().any(|pixel| pixel.0[3] < 255)
}

/// Returns the picture as it looks on white paper, in 8 bits a colour.
fn on_white(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.to_rgb8().into();
    }
    let mut pixels = image.to_rgba8();
    for pixel in pixels.pixels_mut() {
        let [.., alpha] = pixel.0;
        let alpha = u32::from(alpha);
        for colour in &mut pixel.0[..3] {
            let mixed = (u32::from(*colour) * alpha + 255 * (255 - alpha)) / 255;
            *colour = u8::try_from(mixed).unwrap_or(u8::MAX);
        }
    }
    DynamicImage::from(pixels).to_rgb8().into()
}

fn png(image: &DynamicImage) -> Option<Vec<u8>> {
    let mut file = Cursor::new(Vec::new());
    // Models see 8 bits a colour.
    let image: DynamicImage = match image.color().has_alpha() {
        true => image.to_rgba8().into(),
        false => image.to_rgb8().into(),
    };
    image.write_to(&mut file, ImageFormat::Png).ok()?;
    Some(file.into_inner())
}

fn jpeg(image: &DynamicImage, quality: u8) -> Result<Vec<u8>, Error> {
    let mut file = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut file, quality);
    image.write_with_encoder(encoder).map_err(|error| damaged(&error.to_string()))?;
    Ok(file)
}
