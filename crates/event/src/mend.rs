//! JSON as models write it, and the JSON that they meant.
//!
//! This module mends one object, and only if it can be read in exactly one way.

mod mender;

use std::fmt;

use self::mender::JsonMender;

/// An object that could be mended.
///
/// ```
/// use silcrow_event::{JsonMend, mend_json};
///
/// let mended = mend_json("{path: 'src', deep: True,} // all of it").unwrap();
/// assert_eq!(mended.json, r#"{"path":"src","deep":true}"#);
/// let what: Vec<_> = mended.mends.iter().map(|mend| mend.as_str()).collect();
/// assert_eq!(what, ["bare keys", "quotes", "words of Python", "commas", "comments"]);
///
/// // It is valid, so nothing is to be mended.
/// assert_eq!(mend_json(r#"{"path":"src"}"#), None);
/// // Is the text `it`, or `it's here`?
/// assert_eq!(mend_json("{'text': 'it's here'}"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MendedJson {
    /// The object as valid JSON, without white space between its tokens.
    pub json: String,
    /// The kinds of repairs that were made, each once, in the order of the text.
    pub mends: Vec<JsonMend>,
}

/// A kind of repair of invalid JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonMend {
    /// Strings in single or typographic quotes.
    Quotes,
    /// Keys without quotes.
    BareKeys,
    /// Missing and trailing commas, and full-width commas and colons.
    Commas,
    /// Comments: `// …`, `# …` and `/* … */`.
    Comments,
    /// `True`, `False` and `None`.
    PythonWords,
    /// Numbers such as `.5`, `5.` and `+5`.
    Numbers,
    /// Quotes that are written as `&quot;`.
    Entities,
    /// White space between tokens that JSON does not have, such as a no-break space.
    Blanks,
    /// Line breaks and other control characters in strings.
    ControlCharacters,
    /// Backslashes that escape nothing, as in `"\d+"`.
    Backslashes,
}

impl JsonMend {
    /// Returns the name, in words.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Quotes => "quotes",
            Self::BareKeys => "bare keys",
            Self::Commas => "commas",
            Self::Comments => "comments",
            Self::PythonWords => "words of Python",
            Self::Numbers => "numbers",
            Self::Entities => "entities",
            Self::Blanks => "blanks",
            Self::ControlCharacters => "control characters",
            Self::Backslashes => "backslashes",
        }
    }
}

impl fmt::Display for JsonMend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Mends an object that is not valid JSON. Returns `None` if it is valid, or if it can be read in
/// several ways or in none.
///
/// A string ends at the first closing quote, and the text after it has to fit. A backslash that
/// escapes nothing is a backslash, unless another one in the same string escapes a control
/// character: then both may have been meant as they stand. Nothing that is missing at the end is
/// added. The time is linear in the length of the text.
///
/// ```
/// use silcrow_event::mend_json;
///
/// let mended = mend_json("{path: 'src'}").unwrap();
/// assert_eq!(mended.json, r#"{"path":"src"}"#);
/// ```
pub fn mend_json(text: &str) -> Option<MendedJson> {
    let entities = !text.contains('"') && text.contains("&quot;");
    let unescaped;
    let mut reader = JsonMender::new(match entities {
        true => {
            unescaped = unescape(text);
            &unescaped
        }
        false => text,
    });
    if entities {
        reader.note(JsonMend::Entities);
    }
    reader.read().filter(|mended| !mended.mends.is_empty())
}

/// Replaces the entities of HTML.
fn unescape(text: &str) -> String {
    const ENTITIES: [(&str, &str); 7] = [
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        // Last, so that `&amp;lt;` is the text `&lt;`.
        ("&amp;", "&"),
    ];
    let mut text = text.to_owned();
    for (entity, sign) in ENTITIES {
        text = text.replace(entity, sign);
    }
    text
}
