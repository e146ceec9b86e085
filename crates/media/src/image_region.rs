//! A part of a picture.

use crate::image_size::ImageSize;

/// A rectangle of a picture, in pixels from its upper left corner, once it is upright.
///
/// ```
/// use silcrow_media::{ImageRegion, ImageSize};
///
/// let picture = ImageSize { width: 3840, height: 2400 };
/// let region = ImageRegion { x: 3000, y: 100, width: 2000, height: 300 };
/// // It ends where the picture ends.
/// assert_eq!(region.within(picture), Some(ImageRegion { width: 840, ..region }));
/// assert_eq!(ImageRegion { x: 3840, ..region }.within(picture), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a rectangle has a corner and a size")]
pub struct ImageRegion {
    /// The pixels to the left of it.
    pub x: u32,
    /// The pixels above it.
    pub y: u32,
    /// Its width.
    pub width: u32,
    /// Its height.
    pub height: u32,
}

impl ImageRegion {
    /// Returns the part of the region inside a picture of this size, or `None` if that is empty.
    pub fn within(self, size: ImageSize) -> Option<Self> {
        let width = self.width.min(size.width.saturating_sub(self.x));
        let height = self.height.min(size.height.saturating_sub(self.y));
        (width > 0 && height > 0).then_some(Self { width, height, ..self })
    }
}
