//! The limits of the time that a server may take, and the models that need more.

use std::time::Duration;

use silcrow_provider::SilenceLimits;

/// The limits of the time that a server may take. The length of an answer is not limited.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_vendors::Timeouts;
///
/// let limits = Timeouts::new().with_connect(Duration::from_secs(2));
/// assert_eq!((limits.connect.as_secs(), limits.idle.as_secs()), (2, 60));
/// // A model that thinks before it writes may be silent for longer.
/// assert_eq!(Timeouts::for_model("gpt-5.2").first.as_secs(), 600);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timeouts {
    /// The limit for connecting, TLS included.
    pub connect: Duration,
    /// The limit for the first delta of a streamed answer, while the server sends nothing.
    pub first: Duration,
    /// The limit for the first delta if the server shows signs of life before it, such as comments,
    /// pings or events about its state. Between two signs at most `first` may pass.
    pub first_total: Duration,
    /// The limit between two deltas.
    pub idle: Duration,
    /// The limit for an answer that does not stream.
    pub whole: Duration,
}

/// 5 seconds to connect, one minute for the first delta and between deltas, ten minutes for the
/// first delta of a server that shows signs of life and for an answer that does not stream.
impl Default for Timeouts {
    fn default() -> Self {
        Self::new()
    }
}

impl Timeouts {
    /// Returns the default limits.
    pub const fn new() -> Self {
        Self {
            connect: Duration::from_secs(5),
            first: Duration::from_secs(60),
            first_total: Duration::from_secs(600),
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(600),
        }
    }

    /// Returns the same limit for everything.
    pub const fn uniform(limit: Duration) -> Self {
        Self { connect: limit, first: limit, first_total: limit, idle: limit, whole: limit }
    }

    /// Sets the limit for connecting.
    #[must_use]
    pub const fn with_connect(self, connect: Duration) -> Self {
        Self { connect, ..self }
    }

    /// Sets the limit for the first delta of a streamed answer.
    #[must_use]
    pub const fn with_first(self, first: Duration) -> Self {
        Self { first, ..self }
    }

    /// Sets the limit for the first delta of a server that shows signs of life.
    #[must_use]
    pub const fn with_first_total(self, first_total: Duration) -> Self {
        Self { first_total, ..self }
    }

    /// Sets the limit between two deltas.
    #[must_use]
    pub const fn with_idle(self, idle: Duration) -> Self {
        Self { idle, ..self }
    }

    /// Sets the limit for an answer that does not stream.
    #[must_use]
    pub const fn with_whole(self, whole: Duration) -> Self {
        Self { whole, ..self }
    }

    /// Returns the default limits for a model of this name.
    ///
    /// A server may send nothing while its model thinks. So a model that is known to think first
    /// gets as much time for the first delta as one whose server shows signs of life.
    pub fn for_model(name: &str) -> Self {
        let usual = Self::default();
        let first = if thinks(name) { usual.first_total } else { usual.first };
        Self { first, ..usual }
    }

    /// Returns the time for which an answer may be silent, depending on whether it streams.
    pub(crate) const fn limits(self, streaming: bool) -> SilenceLimits {
        let Self { first, first_total, idle, whole, .. } = self;
        let (first, first_total) = if streaming { (first, first_total) } else { (whole, whole) };
        SilenceLimits::new().with_first(first).with_first_total(first_total).with_idle(idle)
    }
}

/// Returns whether a model thinks silently, judging by its name.
fn thinks(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // Gateways add prefixes, as in `openai/o3` or `models/gemini-3-pro`.
    let name = name.rsplit(['/', ':', '#']).next().unwrap_or_default();
    let is_numbered = |prefix: &str| {
        let number = name.strip_prefix(prefix).unwrap_or_default();
        number.starts_with(|char: char| char.is_ascii_digit())
    };
    is_numbered("o")
        || FAMILIES.iter().any(|family| name.starts_with(family))
        || WORDS.iter().any(|word| name.contains(word))
}

/// Prefixes of the names of models that think.
const FAMILIES: [&str; 8] =
    ["deepseek-r", "gemini-2.5-pro", "gemini-3", "gpt-5", "gpt-6", "grok-4", "magistral", "qwq"];

/// Words in the names of other models that think.
const WORDS: [&str; 3] = ["reason", "think", "deep-research"];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Timeouts;

    #[test]
    fn thinking_models_get_a_longer_first_timeout() {
        for (name, seconds) in [
            ("o3", 600),
            ("openai/o4-mini", 600),
            ("gpt-5.2", 600),
            ("models/gemini-2.5-pro", 600),
            ("deepseek-reasoner", 600),
            ("Kimi-K2-Thinking", 600),
            ("gpt-4.1", 60),
            ("olmo-2", 60),
            ("claude-opus-4-6", 60),
            ("gemini-2.5-flash", 60),
            ("", 60),
        ] {
            assert_eq!(Timeouts::for_model(name).first, Duration::from_secs(seconds), "{name}");
        }
    }
}
