//! Facts about a person, and which texts are one.
//!
//! This module checks one fact at a time. The profile limits their number.

use std::fmt;

use serde::{Deserialize, Serialize};
use silcrow_event::Timestamp;
use silcrow_sanitize::{mask_key_shapes, sanitize_line};

/// A fact about a person: one line of text, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    text: String,
    origin: FactOrigin,
    learned_at: Timestamp,
}

/// The source of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a person or a model writes facts, and nobody else")]
pub enum FactOrigin {
    /// The person wrote the fact.
    Person,
    /// A model noted the fact.
    Model {
        /// The conversation that it was noted from.
        conversation: String,
        /// The position of the message that it was noted from.
        seq: u64,
    },
}

/// The reason why a text was not kept as a fact.
///
/// ```
/// use silcrow_event::Timestamp;
/// use silcrow_profile::{Profile, RefusedFact};
///
/// let (mut profile, now) = (Profile::default(), Timestamp::from_nanos(1));
/// assert_eq!(profile.add("The person is called Ann.", now), Ok(()));
/// assert_eq!(profile.add("The person  is called Ann.", now), Err(RefusedFact::Known));
/// let key = "The key is sk-ant-api03-0123456789abcdefABCDEF0123456789abcdefABCDEF.";
/// assert_eq!(profile.add(key, now), Err(RefusedFact::Secret));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedFact {
    /// The text is empty or only white space.
    Empty,
    /// The text is too long.
    TooLong,
    /// A part of the text looks like a key.
    Secret,
    /// The profile has this fact.
    Known,
    /// The profile is full.
    Full,
}

impl Fact {
    /// Creates a fact. White space becomes single blanks, and other hidden characters become their
    /// code points.
    pub(crate) fn new(
        text: &str,
        origin: FactOrigin,
        learned_at: Timestamp,
    ) -> Result<Self, RefusedFact> {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = sanitize_line(&line).into_owned();
        if text.is_empty() {
            return Err(RefusedFact::Empty);
        }
        if text.len() > MAX_TEXT {
            return Err(RefusedFact::TooLong);
        }
        if mask_key_shapes(&text) != text {
            return Err(RefusedFact::Secret);
        }
        Ok(Self { text, origin, learned_at })
    }

    /// Returns the text, which is one line.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the source.
    pub const fn origin(&self) -> &FactOrigin {
        &self.origin
    }

    /// Returns the time at which the fact was noted.
    pub const fn learned_at(&self) -> Timestamp {
        self.learned_at
    }

    /// Returns whether two facts say the same in the same words.
    pub(crate) fn says_same(&self, other: &Self) -> bool {
        self.text.to_lowercase() == other.text.to_lowercase()
    }

    pub(crate) fn is_by_person(&self) -> bool {
        self.origin == FactOrigin::Person
    }

    /// Returns the word for the source in JSON.
    pub(crate) const fn by(&self) -> &'static str {
        match self.origin {
            FactOrigin::Person => "person",
            FactOrigin::Model { .. } => "model",
        }
    }
}

/// A fact as it is written in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrittenFact {
    text: String,
    by: WrittenOrigin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// The whole seconds since 1970.
    learned_at: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenOrigin {
    Person,
    Model,
}

impl From<&Fact> for WrittenFact {
    fn from(fact: &Fact) -> Self {
        let (by, conversation, seq) = match fact.origin.clone() {
            FactOrigin::Person => (WrittenOrigin::Person, None, None),
            FactOrigin::Model { conversation, seq } => {
                (WrittenOrigin::Model, Some(conversation), Some(seq))
            }
        };
        let learned_at = fact.learned_at.as_nanos().div_euclid(NANOS);
        Self { text: fact.text.clone(), by, conversation, seq, learned_at }
    }
}

impl WrittenFact {
    /// Returns the fact, or the error in it.
    pub(crate) fn read(self) -> Result<Fact, String> {
        let origin = match (self.by, self.conversation, self.seq) {
            (WrittenOrigin::Person, None, None) => FactOrigin::Person,
            (WrittenOrigin::Person, ..) => {
                return Err("a fact by the person has no `conversation` and no `seq`".to_owned());
            }
            (WrittenOrigin::Model, Some(conversation), Some(seq)) => {
                FactOrigin::Model { conversation, seq }
            }
            (WrittenOrigin::Model, ..) => {
                return Err("a fact by a model needs `conversation` and `seq`".to_owned());
            }
        };
        let time = Timestamp::from_nanos(self.learned_at.saturating_mul(NANOS));
        Fact::new(&self.text, origin, time).map_err(|refused| refused.to_string())
    }
}

impl fmt::Display for RefusedFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the fact is empty; write a sentence"),
            Self::TooLong => write!(f, "the fact is longer than {MAX_TEXT} bytes; shorten it"),
            Self::Secret => f.write_str("a part of the fact looks like a key; leave it out"),
            Self::Known => f.write_str("the profile has this fact already"),
            Self::Full => f.write_str("the profile is full; forget a fact first"),
        }
    }
}

impl std::error::Error for RefusedFact {}

/// The length of the longest text, in bytes.
pub(crate) const MAX_TEXT: usize = 300;

const NANOS: i64 = 1_000_000_000;
