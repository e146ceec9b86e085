//! The format of a file, by its first bytes.
//!
//! Names and declared types are not believed: a page may call a program a picture.

use std::fmt;

/// The format of a file with a picture, a document or a sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaFormat {
    /// A picture in PNG, maybe animated.
    Png,
    /// A picture in JPEG.
    Jpeg,
    /// A picture in GIF, maybe animated.
    Gif,
    /// A picture in WebP, maybe animated.
    WebP,
    /// A picture in BMP, which few models read.
    Bmp,
    /// A picture in TIFF, which few models read.
    Tiff,
    /// A picture in HEIC, as phones make them, which few models read.
    Heic,
    /// A picture in AVIF, which few models read.
    Avif,
    /// A document in PDF.
    Pdf,
    /// Sound in WAV.
    Wav,
    /// Sound in MP3.
    Mp3,
    /// Sound in FLAC.
    Flac,
    /// Sound in an Ogg container, such as Vorbis or Opus.
    Ogg,
}

/// The way a model uses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "callers decide about all of them")]
pub enum MediaClass {
    /// It looks at it.
    Image,
    /// It reads it.
    Document,
    /// It listens to it.
    Sound,
}

impl MediaFormat {
    /// Lists every format.
    pub const ALL: [Self; 13] = [
        Self::Png,
        Self::Jpeg,
        Self::Gif,
        Self::WebP,
        Self::Bmp,
        Self::Tiff,
        Self::Heic,
        Self::Avif,
        Self::Pdf,
        Self::Wav,
        Self::Mp3,
        Self::Flac,
        Self::Ogg,
    ];

    /// Returns the format of a file that begins with these bytes; 32 are enough. Text has none, SVG
    /// included.
    ///
    /// ```
    /// use silcrow_media::MediaFormat;
    ///
    /// assert_eq!(MediaFormat::detect(b"%PDF-1.7\n"), Some(MediaFormat::Pdf));
    /// assert_eq!(MediaFormat::detect(b"# A heading\n"), None);
    /// ```
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        let at =
            |place: usize, mark: &[u8]| bytes.get(place..).is_some_and(|b| b.starts_with(mark));
        Some(match () {
            () if at(0, b"\x89PNG\r\n\x1a\n") => Self::Png,
            () if at(0, b"\xff\xd8\xff") => Self::Jpeg,
            () if at(0, b"GIF87a") || at(0, b"GIF89a") => Self::Gif,
            () if at(0, b"RIFF") && at(8, b"WEBP") => Self::WebP,
            () if at(0, b"RIFF") && at(8, b"WAVE") => Self::Wav,
            () if at(0, b"BM") && at(6, &[0; 4]) => Self::Bmp,
            () if at(0, b"II*\0") || at(0, b"MM\0*") => Self::Tiff,
            () if at(4, b"ftyp") => iso_brand(bytes)?,
            () if at(0, b"%PDF-") => Self::Pdf,
            () if at(0, b"ID3") || is_mp3_frame(bytes) => Self::Mp3,
            () if at(0, b"fLaC") => Self::Flac,
            () if at(0, b"OggS") => Self::Ogg,
            () => return None,
        })
    }

    /// Returns the name of the format in MIME, such as `image/png`.
    pub const fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Tiff => "image/tiff",
            Self::Heic => "image/heic",
            Self::Avif => "image/avif",
            Self::Pdf => "application/pdf",
            Self::Wav => "audio/wav",
            Self::Mp3 => "audio/mpeg",
            Self::Flac => "audio/flac",
            Self::Ogg => "audio/ogg",
        }
    }

    /// Returns the usual ending of names of such files, without a dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::WebP => "webp",
            Self::Bmp => "bmp",
            Self::Tiff => "tiff",
            Self::Heic => "heic",
            Self::Avif => "avif",
            Self::Pdf => "pdf",
            Self::Wav => "wav",
            Self::Mp3 => "mp3",
            Self::Flac => "flac",
            Self::Ogg => "ogg",
        }
    }

    /// Returns the usual name, such as `PNG`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
            Self::Heic => "HEIC",
            Self::Avif => "AVIF",
            Self::Pdf => "PDF",
            Self::Wav => "WAV",
            Self::Mp3 => "MP3",
            Self::Flac => "FLAC",
            Self::Ogg => "Ogg",
        }
    }

    /// Returns a model's use of it.
    pub const fn class(self) -> MediaClass {
        match self {
            Self::Pdf => MediaClass::Document,
            Self::Wav | Self::Mp3 | Self::Flac | Self::Ogg => MediaClass::Sound,
            _ => MediaClass::Image,
        }
    }

    /// Returns whether every vendor whose models see takes pictures in this format as they are.
    ///
    /// Realtime sessions and some local servers read neither GIF nor WebP.
    pub const fn is_read_everywhere(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg)
    }
}

impl fmt::Display for MediaFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the format of a file in the container of MPEG-4, by its brands.
fn iso_brand(bytes: &[u8]) -> Option<MediaFormat> {
    match bytes.get(8..12)? {
        b"avif" | b"avis" => Some(MediaFormat::Avif),
        b"heic" | b"heix" | b"hevc" | b"heim" | b"heis" | b"mif1" | b"msf1" => {
            Some(MediaFormat::Heic)
        }
        _ => None,
    }
}

/// Returns whether the bytes begin with the header of a frame of MPEG audio, layer III.
fn is_mp3_frame(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, second, third, ..] => {
            let is_layer_3 = second & 0b1110_0110 == 0b1110_0010;
            let (bitrate, rate) = (third >> 4, (third >> 2) & 0b11);
            is_layer_3 && !matches!(bitrate, 0 | 15) && rate != 3
        }
        _ => false,
    }
}
