//! The number of tokens that a picture costs, by the formulas that vendors publish.
//!
//! The formulas are of November 2026. The count that a vendor reports after a request is
//! authoritative; these numbers decide beforehand whether a picture fits into the window and the
//! budget.

use crate::image_size::ImageSize;
use crate::model_name::find;

/// A formula for the tokens of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageTokenRule {
    /// A token for each square of 28 pixels, after the picture was scaled down to this long edge and to
    /// this many tokens: Claude.
    Squares {
        /// Pixels of the long edge.
        long_edge: u32,
        /// The most tokens of a picture.
        most: u32,
    },
    /// A number of tokens for each square of 32 pixels, after the picture was scaled down to this many
    /// squares: newer models of OpenAI.
    Patches {
        /// The most squares of a picture.
        most: u32,
        /// Thousandths of a token for a square.
        per_mille: u32,
    },
    /// 85 tokens, and 170 for each tile of 512 pixels, after the picture was scaled into 2048 × 2048 and
    /// to a short side of 768: older models of OpenAI.
    Tiles,
    /// 258 tokens for each tile of 768 pixels, and 258 for a small picture: Gemini 2.
    LargeTiles,
    /// The same number for every picture: Gemini 3, Gemma, and models with an unknown formula.
    Fixed(u32),
}

impl ImageTokenRule {
    /// The rule of a model whose formula is not known.
    pub const UNKNOWN: Self = Self::Fixed(1600);

    /// Returns the rule of a model by the beginning of its name, in any case of letters, with or without a
    /// vendor's name and a slash before it.
    ///
    /// ```
    /// use silcrow_media::ImageTokenRule;
    ///
    /// assert_eq!(ImageTokenRule::of_model("openai/gpt-4o"), ImageTokenRule::Tiles);
    /// assert_eq!(ImageTokenRule::of_model("my-own-model"), ImageTokenRule::UNKNOWN);
    /// ```
    pub fn of_model(name: &str) -> Self {
        find(&MODELS, name).copied().unwrap_or(Self::UNKNOWN)
    }

    /// Returns the tokens of a file: a picture by this rule, a document by the size of its file,
    /// because its pages were not counted, and a sound by about 16 kB and 32 tokens a second.
    ///
    /// ```
    /// use silcrow_media::ImageTokenRule;
    ///
    /// let rule = ImageTokenRule::Fixed(256);
    /// assert_eq!(rule.tokens_of_file("image/png", 90_000, Some((640, 480))), 256);
    /// assert_eq!(rule.tokens_of_file("audio/mpeg", 160_000, None), 320);
    /// ```
    pub fn tokens_of_file(self, mime: &str, bytes: u64, size: Option<(u32, u32)>) -> u64 {
        match () {
            () if mime.starts_with("image/") => {
                let (width, height) = size.unwrap_or((1, 1));
                self.tokens(ImageSize { width, height }).into()
            }
            () if mime.starts_with("audio/") => bytes / 500,
            () => bytes / 20,
        }
    }

    /// Returns the tokens of a picture of this size; at least 1.
    ///
    /// ```
    /// use silcrow_media::{ImageSize, ImageTokenRule};
    ///
    /// let screen = ImageSize { width: 1280, height: 800 };
    /// assert_eq!(ImageTokenRule::Tiles.tokens(screen), 1105);
    /// assert_eq!(ImageTokenRule::of_model("claude-haiku-4-5").tokens(screen), 1334);
    /// ```
    pub fn tokens(self, size: ImageSize) -> u32 {
        let (width, height) = (f64::from(size.width.max(1)), f64::from(size.height.max(1)));
        let tokens = match self {
            Self::Squares { long_edge, most } => {
                let scale = (f64::from(long_edge) / width.max(height)).min(1.0);
                squares(width * scale, height * scale, 28.0, most)
            }
            Self::Patches { most, per_mille } => {
                squares(width, height, 32.0, most) * f64::from(per_mille) / 1000.0
            }
            Self::Tiles => {
                let scale = (2048.0 / width.max(height)).min(1.0);
                let scale = scale.min(768.0 / width.min(height));
                170.0f64.mul_add(tiles(width * scale, height * scale, 512.0), 85.0)
            }
            Self::LargeTiles if width <= 384.0 && height <= 384.0 => 258.0,
            Self::LargeTiles => 258.0 * tiles(width, height, 768.0),
            Self::Fixed(tokens) => f64::from(tokens),
        };
        // Conversions saturate, and a picture costs at least one token.
        (tokens.ceil() as u32).max(1)
    }
}

/// Returns the number of squares of this side that cover a picture, scaled down to the most: until
/// one side is whole squares, as OpenAI describes it.
fn squares(width: f64, height: f64, side: f64, most: u32) -> f64 {
    let most = f64::from(most);
    let whole = tiles(width, height, side);
    if whole <= most {
        return whole;
    }
    let scale = (most * side * side / (width * height)).sqrt();
    let (along, down) = (width * scale / side, height * scale / side);
    let fitting = (along.floor() / along).min(down.floor() / down).max(f64::MIN_POSITIVE);
    tiles(width * scale * fitting, height * scale * fitting, side).min(most)
}

/// Returns the number of tiles of this side that cover a picture. Scaling is not exact, so a
/// ten-thousandth of a tile is ignored.
fn tiles(width: f64, height: f64, side: f64) -> f64 {
    let along = |length: f64| (length / side - 1e-4).ceil().max(1.0);
    along(width) * along(height)
}

/// Prefixes of names. A longer one comes before a shorter one that begins it.
const MODELS: [(&str, ImageTokenRule); 17] = [
    ("claude-opus-4-7", NEWER_CLAUDE),
    ("claude-opus-5", NEWER_CLAUDE),
    ("claude-sonnet-5", NEWER_CLAUDE),
    ("claude", ImageTokenRule::Squares { long_edge: 1568, most: 1568 }),
    ("gpt-4.1-mini", MINI),
    ("gpt-4.1-nano", ImageTokenRule::Patches { most: 1536, per_mille: 2460 }),
    ("o4-mini", MINI),
    ("gpt-5.4-mini", MINI),
    ("gpt-6", ImageTokenRule::Patches { most: 2500, per_mille: 1200 }),
    ("gpt-4o", ImageTokenRule::Tiles),
    ("gpt-4.1", ImageTokenRule::Tiles),
    ("gpt-5", ImageTokenRule::Tiles),
    ("o1", ImageTokenRule::Tiles),
    ("o3", ImageTokenRule::Tiles),
    ("gemini-2", ImageTokenRule::LargeTiles),
    ("gemini", ImageTokenRule::Fixed(1120)),
    ("gemma-3", ImageTokenRule::Fixed(256)),
];

const NEWER_CLAUDE: ImageTokenRule = ImageTokenRule::Squares { long_edge: 2576, most: 4784 };
const MINI: ImageTokenRule = ImageTokenRule::Patches { most: 1536, per_mille: 1620 };
