//! The limits of pictures for models.

/// The limits of a picture that is sent to models.
///
/// The defaults are accepted by all vendors today, for any number of pictures: a long edge of 1,920
/// pixels and 3.5 MiB, which are less than 5 MB of base64.
///
/// ```
/// use silcrow_media::FitLimits;
///
/// // For models that read more.
/// let limits = FitLimits { long_edge: 2576, ..FitLimits::default() };
/// assert_eq!(limits.bytes, 3_670_016);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "each bound is a choice of the caller")]
pub struct FitLimits {
    /// The most pixels of the long edge afterwards.
    pub long_edge: u32,
    /// The most bytes afterwards.
    pub bytes: usize,
    /// The most bytes of a file that is read at all.
    pub read_bytes: usize,
    /// The most pixels of a picture that is decoded at all.
    pub read_pixels: u64,
    /// The fewest pixels of a side.
    pub short_edge: u32,
}

impl Default for FitLimits {
    fn default() -> Self {
        Self {
            long_edge: 1920,
            bytes: 7 << 19,
            read_bytes: 20 << 20,
            read_pixels: 64_000_000,
            short_edge: 8,
        }
    }
}
