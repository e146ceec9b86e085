//! The kinds of input, besides text, that a model takes.
//!
//! The table is of November 2026. A server's list or a person's setting takes precedence.

use crate::model_name::find;

/// The kinds of input, besides text, that a model takes.
///
/// ```
/// use silcrow_media::Senses;
///
/// assert!(Senses::of_model("openai/gpt-4o").unwrap().images);
/// assert_eq!(Senses::of_model("deepseek-chat"), Some(Senses::NONE));
/// // Nothing is known about this one.
/// assert_eq!(Senses::of_model("my-own-model"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "each sense is known or not")]
pub struct Senses {
    /// It looks at pictures.
    pub images: bool,
    /// It reads documents in PDF.
    pub documents: bool,
    /// It listens to sound.
    pub sound: bool,
}

impl Senses {
    /// Text alone.
    pub const NONE: Self = Self { images: false, documents: false, sound: false };

    /// Pictures alone.
    pub const IMAGES: Self = Self { images: true, documents: false, sound: false };

    /// Pictures and documents.
    pub const SIGHT: Self = Self { images: true, documents: true, sound: false };

    /// Everything.
    pub const ALL: Self = Self { images: true, documents: true, sound: true };

    /// Returns the kinds of input of a model by the beginning of its name, ignoring case and the
    /// name of a vendor, an API or a server before it. Returns `None` for a model that is not in
    /// the table.
    pub fn of_model(name: &str) -> Option<Self> {
        find(&MODELS, name).copied()
    }

    /// Reads a list of the words `images`, `documents` and `sound`.
    ///
    /// # Errors
    ///
    /// Returns a word that is none of these.
    ///
    /// ```
    /// use silcrow_media::Senses;
    ///
    /// assert_eq!(Senses::of_words(["images"]), Ok(Senses::IMAGES));
    /// assert_eq!(Senses::of_words(["smell"]), Err("smell"));
    /// ```
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, &'w str> {
        let mut senses = Self::NONE;
        for word in words {
            match word {
                "images" => senses.images = true,
                "documents" => senses.documents = true,
                "sound" => senses.sound = true,
                other => return Err(other),
            }
        }
        Ok(senses)
    }

    /// Returns whether the model takes a type in MIME.
    pub fn takes(self, mime: &str) -> bool {
        match () {
            () if mime.starts_with("image/") => self.images,
            () if mime.starts_with("audio/") => self.sound,
            () => self.documents && mime == "application/pdf",
        }
    }
}

/// Prefixes of names. A longer one comes before a shorter one that begins it.
const MODELS: [(&str, Senses); 35] = [
    ("claude", Senses::SIGHT),
    ("gpt-3", Senses::NONE),
    ("gpt-4o-audio", Senses { sound: true, ..Senses::NONE }),
    ("gpt-4o", Senses::SIGHT),
    ("gpt-4.1", Senses::SIGHT),
    ("gpt-4-turbo", Senses::IMAGES),
    ("gpt-4", Senses::NONE),
    ("gpt-5", Senses::SIGHT),
    ("gpt-6", Senses::SIGHT),
    ("gpt-oss", Senses::NONE),
    ("gpt-realtime", Senses { sound: true, ..Senses::IMAGES }),
    ("o1-mini", Senses::NONE),
    ("o1", Senses::SIGHT),
    ("o3-mini", Senses::NONE),
    ("o3", Senses::SIGHT),
    ("o4-mini", Senses::SIGHT),
    ("gemini", Senses::ALL),
    ("gemma-3-1b", Senses::NONE),
    ("gemma-3", Senses::IMAGES),
    ("gemma3:1b", Senses::NONE),
    ("gemma3", Senses::IMAGES),
    ("pixtral", Senses::IMAGES),
    ("mistral-small-3.1", Senses::IMAGES),
    ("mistral-medium-3", Senses::IMAGES),
    ("llama-4", Senses::IMAGES),
    ("llama-3.2-11b-vision", Senses::IMAGES),
    ("llava", Senses::IMAGES),
    ("qwen2-vl", Senses::IMAGES),
    ("qwen2.5-vl", Senses::IMAGES),
    ("qwen3-vl", Senses::IMAGES),
    ("internvl", Senses::IMAGES),
    ("minicpm-v", Senses::IMAGES),
    ("deepseek", Senses::NONE),
    ("rehearsal", Senses::NONE),
    ("grok-4", Senses::IMAGES),
];
