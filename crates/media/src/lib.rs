//! Pictures, documents and sound for language models: what a file is, how large a picture is, how many
//! tokens it costs, and, with the feature `decode`, a picture that every vendor takes.
//!
//! ```toml
//! [dependencies]
//! silcrow-media = "0.1"
//! ```
//!
//! ```
//! use silcrow_media::{ImageSize, ImageTokenRule, MediaFormat};
//!
//! let gif = b"GIF89a\x40\x01\xf0\x00\x00\x00\x00";
//! assert_eq!(MediaFormat::detect(gif), Some(MediaFormat::Gif));
//! let size = ImageSize::read(gif).unwrap();
//! assert_eq!(size, ImageSize { width: 320, height: 240 });
//! // What it costs is known before it is sent.
//! assert_eq!(ImageTokenRule::of_model("claude-haiku-4-5").tokens(size), 108);
//! ```
//!
//! So far the crate decodes nothing, and reads headers only. [`medium`] makes a file a part of a message.
//!
//! A picture that a vendor refuses stays in a conversation, and then every later request fails. With the
//! feature `decode` a program makes a picture fit before it becomes part of a message:
//!
//! ```
//! # #[cfg(feature = "decode")] {
//! # let picture = image::DynamicImage::new_rgb8(4000, 1000);
//! # let mut file = std::io::Cursor::new(Vec::new());
//! # picture.write_to(&mut file, image::ImageFormat::WebP).unwrap();
//! # let file = file.into_inner();
//! use silcrow_media::{FitLimits, MediaFormat, fit};
//!
//! // `file` is a WebP of 4000 × 1000 pixels.
//! let fitted = fit(&file, &FitLimits::default()).unwrap();
//! assert_eq!(fitted.format, MediaFormat::Jpeg);
//! assert_eq!((fitted.size.width, fitted.size.height), (1920, 480));
//! # }
//! ```
//!
//! # What it does not do
//!
//! - It reads no files and writes none: bytes in, bytes out.
//! - It believes no names and no declared types.
//! - It decodes neither video, sound nor documents.
//! - It sets no limit on time. A program that decodes pictures of strangers does so where it can stop it,
//!   such as in a confined process.

#![warn(clippy::disallowed_types)]

mod error;
#[cfg(feature = "decode")]
mod fit;
mod fit_limits;
mod image_size;
mod image_tokens;
mod media_format;
mod medium;
mod model_name;
mod senses;

pub use error::{Error, ErrorKind};
#[cfg(feature = "decode")]
pub use fit::{FittedImage, fit};
pub use fit_limits::FitLimits;
pub use image_size::ImageSize;
pub use image_tokens::ImageTokenRule;
pub use media_format::{MediaClass, MediaFormat};
pub use medium::medium;
pub use senses::Senses;
