//! Prepares pictures, documents and sound for language models: recognizes file types, measures
//! pictures, estimates tokens, and, with the feature `decode`, converts a picture into a form that
//! every vendor accepts.
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
//! Without features, the crate decodes nothing and reads only headers. [`medium`] turns a file into
//! a part of a message.
//!
//! If a vendor rejects a picture, the picture stays in the conversation and every later request
//! fails, too. With the feature `decode`, a program can make a picture fit before it becomes part
//! of a message:
//!
//! ```
//! # #[cfg(feature = "decode")] {
//! use silcrow_media::{FitLimits, MediaFormat, fit};
//!
//! // A picture of 4000 × 1000 pixels.
//! let picture = image::DynamicImage::new_rgb8(4000, 1000);
//! let mut file = std::io::Cursor::new(Vec::new());
//! picture.write_to(&mut file, image::ImageFormat::WebP).unwrap();
//! let file = file.into_inner();
//!
//! let fitted = fit(&file, &FitLimits::default()).unwrap();
//! assert_eq!(fitted.format, MediaFormat::Jpeg);
//! assert_eq!((fitted.size.width, fitted.size.height), (1920, 480));
//! # }
//! ```
//!
//! # What it does not do
//!
//! - It does not read or write files: bytes in, bytes out.
//! - It trusts neither file names nor declared types.
//! - It does not decode video or sound. Of documents it reads only PDFs: their text
//!   with the feature `pdf`, and their pages as pictures with `pdf-pages`.
//! - It has no time limit. Decode pictures from strangers where you can stop the work, such as in a
//!   confined process.

#![warn(clippy::disallowed_types)]

mod document_text;
#[cfg(feature = "pdf-pages")]
mod draw_pdf;
mod drawn_pages;
mod error;
#[cfg(feature = "decode")]
mod fit;
mod fit_limits;
mod image_region;
mod image_size;
mod image_tokens;
mod media_decoder;
mod media_format;
mod medium;
mod model_name;
mod pdf_page;
mod pdf_text;
#[cfg(feature = "pdf")]
mod read_pdf;
mod senses;

pub use document_text::DocumentText;
pub use drawn_pages::DrawnPages;
pub use error::{Error, ErrorKind};
#[cfg(feature = "decode")]
pub use fit::{FittedImage, fit, fit_region};
pub use fit_limits::FitLimits;
pub use image_region::ImageRegion;
pub use image_size::ImageSize;
pub use image_tokens::ImageTokenRule;
pub use media_decoder::{DirectDecoder, MediaDecoder};
pub use media_format::{MediaClass, MediaFormat};
pub use medium::{medium, region_medium};
pub use pdf_page::PdfPage;
pub use pdf_text::{PageRange, PdfText, ShownPages};
pub use senses::Senses;
