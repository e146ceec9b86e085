//! The parameters of a model's output: the choice of words, its length, and where it stops.
//!
//! This module has names and values. Each API passes on the ones that it supports.

use std::fmt;
use std::str::FromStr;

use silcrow_event::UnknownWord;

/// The sampling parameters of a request. A provider passes on those that its API has, and leaves out
/// the rest; the documentation of each says which.
///
/// ```
/// use silcrow_provider::{Effort, Sampling, SamplingField};
///
/// let mut chosen = Sampling::new();
/// chosen.effort = Some(Effort::High);
/// let mut usual = Sampling::new();
/// usual.effort = Some(Effort::Low);
/// usual.seed = Some(7);
/// let both = chosen.or(&usual);
/// assert_eq!((both.effort, both.seed), (Some(Effort::High), Some(7)));
/// assert!(!both.without(SamplingField::Seed).has(SamplingField::Seed));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sampling {
    /// The sampling temperature, from 0. Some models reject it.
    pub temperature: Option<f64>,
    /// The most tokens of an answer, with the model's thoughts.
    pub max_tokens: Option<u32>,
    /// The amount of thinking before the model writes.
    pub effort: Option<Effort>,
    /// The most tokens of the model's thoughts; with 0 it does not think.
    pub thinking_budget: Option<u32>,
    /// The part of the model's thoughts that the server sends.
    pub thinking_display: Option<ThinkingDisplay>,
    /// The seed, with which some servers repeat an answer.
    pub seed: Option<u32>,
    /// The texts before which an answer ends. A server removes them from the answer, so no
    /// delimiter of a dialect belongs here.
    pub stop: Vec<String>,
}

/// An amount of thinking before a model writes. No model supports all of these.
///
/// ```
/// use silcrow_provider::{Effort, Sampling, SamplingField};
///
/// let mut sampling = Sampling::new();
/// sampling.effort = Some(Effort::High);
/// // A model that does not think is asked without it.
/// assert_eq!(sampling.without(SamplingField::Effort).effort, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effort {
    /// The model does not think.
    None,
    /// The minimum that a model can think.
    Minimal,
    /// Little thinking, for simple questions.
    Low,
    /// The usual amount of thinking.
    Medium,
    /// Much thinking, for hard questions.
    High,
    /// More than that, for long work.
    XHigh,
    /// The most that a model can think.
    Max,
}

/// The part of a model's thoughts that a server sends. Most vendors show a summary at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThinkingDisplay {
    /// The thoughts are not sent.
    Omitted,
    /// The thoughts are sent, or a summary of them.
    Summarized,
    /// As much of the thoughts is sent as the vendor allows.
    Detailed,
}

/// A field of [`Sampling`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SamplingField {
    /// [`Sampling::temperature`].
    Temperature,
    /// [`Sampling::max_tokens`].
    MaxTokens,
    /// [`Sampling::effort`].
    Effort,
    /// [`Sampling::thinking_budget`].
    ThinkingBudget,
    /// [`Sampling::thinking_display`].
    ThinkingDisplay,
    /// [`Sampling::seed`].
    Seed,
    /// [`Sampling::stop`].
    Stop,
}

impl Sampling {
    /// Creates sampling in which nothing is set.
    pub const fn new() -> Self {
        Self {
            temperature: None,
            max_tokens: None,
            effort: None,
            thinking_budget: None,
            thinking_display: None,
            seed: None,
            stop: Vec::new(),
        }
    }

    /// Returns these values, with the values of `other` for the fields that are not set.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            temperature: self.temperature.or(other.temperature),
            max_tokens: self.max_tokens.or(other.max_tokens),
            effort: self.effort.or(other.effort),
            thinking_budget: self.thinking_budget.or(other.thinking_budget),
            thinking_display: self.thinking_display.or(other.thinking_display),
            seed: self.seed.or(other.seed),
            stop: if self.stop.is_empty() { other.stop.clone() } else { self.stop },
        }
    }

    /// Returns whether a field is set.
    pub fn has(&self, field: SamplingField) -> bool {
        match field {
            SamplingField::Temperature => self.temperature.is_some(),
            SamplingField::MaxTokens => self.max_tokens.is_some(),
            SamplingField::Effort => self.effort.is_some(),
            SamplingField::ThinkingBudget => self.thinking_budget.is_some(),
            SamplingField::ThinkingDisplay => self.thinking_display.is_some(),
            SamplingField::Seed => self.seed.is_some(),
            SamplingField::Stop => !self.stop.is_empty(),
        }
    }

    /// Returns the values with one field unset.
    #[must_use]
    pub fn without(mut self, field: SamplingField) -> Self {
        match field {
            SamplingField::Temperature => self.temperature = None,
            SamplingField::MaxTokens => self.max_tokens = None,
            SamplingField::Effort => self.effort = None,
            SamplingField::ThinkingBudget => self.thinking_budget = None,
            SamplingField::ThinkingDisplay => self.thinking_display = None,
            SamplingField::Seed => self.seed = None,
            SamplingField::Stop => self.stop.clear(),
        }
        self
    }
}

impl Effort {
    /// Lists every effort, in increasing order.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// Returns the name of the effort, such as `low`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Effort {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|effort| effort.as_str() == word);
        found.ok_or_else(|| UnknownWord::new("effort", Self::ALL.map(Self::as_str)))
    }
}

impl ThinkingDisplay {
    /// Lists every way, in increasing order.
    pub const ALL: [Self; 3] = [Self::Omitted, Self::Summarized, Self::Detailed];

    /// Returns the name of the way, such as `omitted`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Omitted => "omitted",
            Self::Summarized => "summarized",
            Self::Detailed => "detailed",
        }
    }
}

impl fmt::Display for ThinkingDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ThinkingDisplay {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let found = Self::ALL.into_iter().find(|display| display.as_str() == word);
        found.ok_or_else(|| UnknownWord::new("display of thoughts", Self::ALL.map(Self::as_str)))
    }
}

impl SamplingField {
    /// Lists every field.
    pub const ALL: [Self; 7] = [
        Self::Temperature,
        Self::MaxTokens,
        Self::Effort,
        Self::ThinkingBudget,
        Self::ThinkingDisplay,
        Self::Seed,
        Self::Stop,
    ];

    /// Returns the name of the field, such as `max_tokens`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::MaxTokens => "max_tokens",
            Self::Effort => "effort",
            Self::ThinkingBudget => "thinking_budget",
            Self::ThinkingDisplay => "thinking_display",
            Self::Seed => "seed",
            Self::Stop => "stop",
        }
    }
}

impl fmt::Display for SamplingField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
