//! What vendors say of their models: windows, the longest answers, and prices.
//!
//! The table has what vendors say of their own servers. A model on another server may have been
//! started with less, so nothing is said about those. It changes no request by itself.

use silcrow_event::Money;

/// The day on which the table was compared with what the vendors say (from the collection at
/// [models.dev](https://models.dev)).
///
/// ```
/// assert!(silcrow_vendors::KNOWN_MODELS_DATE.starts_with("2026-"));
/// ```
pub const KNOWN_MODELS_DATE: &str = "2026-07-02";

/// What is known of a model of a vendor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// The greatest number of tokens of a request and its answer together.
    pub window: u64,
    /// The greatest number of tokens of an answer.
    pub output: u64,
    /// The prices of a million tokens each, if the table has them. Those of long requests, for which
    /// some vendors charge more, are left out.
    pub price: Option<KnownPrice>,
}

/// The prices of a million tokens each, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownPrice {
    /// Of tokens that are read.
    pub input: Money,
    /// Of tokens that are written.
    pub output: Money,
    /// Of tokens that are read from the vendor's cache.
    pub cached: Money,
    /// Of tokens that are written to the vendor's cache.
    pub cache_written: Money,
}

/// Returns what the vendor of a model is known to say of it. The name is one as in
/// [`Model::new`](crate::Model::new)'s messages: `anthropic:claude-…`, with the vendor before the
/// colon.
///
/// ```
/// use silcrow_vendors::known_model;
///
/// let model = known_model("openai:gpt-4o-mini").unwrap();
/// assert_eq!((model.window, model.output), (128_000, 16_384));
/// assert_eq!(model.price.unwrap().output.to_string(), "0.6");
/// assert_eq!(known_model("compatible:http://localhost:8080/v1#gpt-4o"), None);
/// ```
pub fn known_model(name: &str) -> Option<KnownModel> {
    let (vendor, model) = name.split_once(':')?;
    let vendor = vendor.split('-').next()?;
    let found = MODELS.iter().find(|row| row.0 == vendor && model.starts_with(row.1));
    found.map(|&(_, begin, window, output, [input, written, cached, cache_written])| KnownModel {
        window,
        output,
        price: (input > 0 && is_version(&model[begin.len()..])).then(|| KnownPrice {
            input: Money::from_micros(input),
            output: Money::from_micros(written),
            cached: Money::from_micros(cached),
            cache_written: Money::from_micros(cache_written),
        }),
    })
}

/// Returns whether the rest of a name says which version of a model it is. Another model may be much
/// dearer than the one whose name its own begins with.
fn is_version(rest: &str) -> bool {
    let digits = |text: &str| text.len() >= 4 && text.bytes().take(4).all(|b| b.is_ascii_digit());
    match rest.strip_prefix(['-', '@']) {
        None => rest.is_empty(),
        Some(version) => {
            version.starts_with("latest") || version.starts_with("preview") || digits(version)
        }
    }
}

/// Returns the window of a model, if its vendor is [known](known_model) to say one.
///
/// ```
/// use silcrow_vendors::known_window;
///
/// assert_eq!(known_window("openai:gpt-4o-mini"), Some(128_000));
/// assert_eq!(known_window("compatible:http://localhost:8080/v1#gpt-4o"), None);
/// ```
pub fn known_window(name: &str) -> Option<u64> {
    known_model(name).map(|model| model.window)
}

/// A vendor, the beginning of a model's name, its window, its longest answer, and the millionths of a
/// dollar that a million tokens cost: read, written, read from the cache, and written to it.
type ModelRow = (&'static str, &'static str, u64, u64, [u64; 4]);

/// No price is known.
const NONE: [u64; 4] = [0; 4];

/// The models. A longer beginning of a name is before those that it begins with.
#[rustfmt::skip]
const MODELS: [ModelRow; 72] = [
    ("anthropic", "claude-sonnet-5", 1_000_000, 128_000, [2_000_000, 10_000_000, 200_000, 2_500_000]),
    ("anthropic", "claude-sonnet-4-6", 1_000_000, 64_000, [3_000_000, 15_000_000, 300_000, 3_750_000]),
    ("anthropic", "claude-sonnet-4-5", 200_000, 64_000, [3_000_000, 15_000_000, 300_000, 3_750_000]),
    ("anthropic", "claude-sonnet-4", 200_000, 64_000, [3_000_000, 15_000_000, 300_000, 3_750_000]),
    ("anthropic", "claude-opus-4-8", 1_000_000, 128_000, [5_000_000, 25_000_000, 500_000, 6_250_000]),
    ("anthropic", "claude-opus-4-7", 1_000_000, 128_000, [5_000_000, 25_000_000, 500_000, 6_250_000]),
    ("anthropic", "claude-opus-4-6", 1_000_000, 128_000, [5_000_000, 25_000_000, 500_000, 6_250_000]),
    ("anthropic", "claude-opus-4-5", 200_000, 64_000, [5_000_000, 25_000_000, 500_000, 6_250_000]),
    ("anthropic", "claude-opus-4-1", 200_000, 32_000, [15_000_000, 75_000_000, 1_500_000, 18_750_000]),
    ("anthropic", "claude-opus-4", 200_000, 32_000, [15_000_000, 75_000_000, 1_500_000, 18_750_000]),
    ("anthropic", "claude-haiku-4-5", 200_000, 64_000, [1_000_000, 5_000_000, 100_000, 1_250_000]),
    ("anthropic", "claude-fable-5", 1_000_000, 128_000, [10_000_000, 50_000_000, 1_000_000, 12_500_000]),
    ("anthropic", "claude-3-opus", 200_000, 4_096, [15_000_000, 75_000_000, 1_500_000, 18_750_000]),
    ("anthropic", "claude-3-haiku", 200_000, 4_096, [250_000, 1_250_000, 30_000, 300_000]),
    ("anthropic", "claude-3-7-sonnet", 200_000, 64_000, [3_000_000, 15_000_000, 300_000, 3_750_000]),
    ("anthropic", "claude-3-5-sonnet", 200_000, 8_192, [3_000_000, 15_000_000, 300_000, 3_750_000]),
    ("anthropic", "claude-3-5-haiku", 200_000, 8_192, [800_000, 4_000_000, 80_000, 1_000_000]),
    ("anthropic", "claude-", 200_000, 16_384, NONE),
    ("gemini", "gemini-3.5-flash", 1_048_576, 65_536, [1_500_000, 9_000_000, 150_000, 1_500_000]),
    ("gemini", "gemini-3.1-pro", 1_048_576, 65_536, [2_000_000, 12_000_000, 200_000, 2_000_000]),
    ("gemini", "gemini-3.1-flash-lite", 1_048_576, 65_536, [250_000, 1_500_000, 25_000, 250_000]),
    ("gemini", "gemini-3-pro", 1_048_576, 65_536, [2_000_000, 12_000_000, 200_000, 2_000_000]),
    ("gemini", "gemini-3-flash", 1_048_576, 65_536, [500_000, 3_000_000, 50_000, 500_000]),
    ("gemini", "gemini-2.5-pro", 1_048_576, 65_536, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("gemini", "gemini-2.5-flash-lite", 1_048_576, 65_536, [100_000, 400_000, 10_000, 100_000]),
    ("gemini", "gemini-2.5-flash", 1_048_576, 65_536, [300_000, 2_500_000, 30_000, 300_000]),
    ("gemini", "gemini-2.0-flash-lite", 1_048_576, 8_192, [75_000, 300_000, 75_000, 75_000]),
    ("gemini", "gemini-2.0-flash", 1_048_576, 8_192, [100_000, 400_000, 25_000, 100_000]),
    ("gemini", "gemini-", 1_048_576, 8_192, NONE),
    ("openai", "o4-mini", 200_000, 100_000, [1_100_000, 4_400_000, 275_000, 1_100_000]),
    ("openai", "o4", 200_000, 100_000, NONE),
    ("openai", "o3-pro", 200_000, 100_000, [20_000_000, 80_000_000, 20_000_000, 20_000_000]),
    ("openai", "o3-mini", 200_000, 100_000, [1_100_000, 4_400_000, 550_000, 1_100_000]),
    ("openai", "o3", 200_000, 100_000, [2_000_000, 8_000_000, 500_000, 2_000_000]),
    ("openai", "o1-pro", 200_000, 100_000, [150_000_000, 600_000_000, 150_000_000, 150_000_000]),
    ("openai", "o1", 200_000, 100_000, [15_000_000, 60_000_000, 7_500_000, 15_000_000]),
    ("openai", "gpt-realtime", 32_000, 4_096, NONE),
    ("openai", "gpt-oss", 131_072, 131_072, NONE),
    ("openai", "gpt-5.5-pro", 1_050_000, 128_000, [30_000_000, 180_000_000, 30_000_000, 30_000_000]),
    ("openai", "gpt-5.5", 1_050_000, 128_000, [5_000_000, 30_000_000, 500_000, 5_000_000]),
    ("openai", "gpt-5.4-pro", 1_050_000, 128_000, [30_000_000, 180_000_000, 30_000_000, 30_000_000]),
    ("openai", "gpt-5.4-nano", 400_000, 128_000, [200_000, 1_250_000, 20_000, 200_000]),
    ("openai", "gpt-5.4-mini", 400_000, 128_000, [750_000, 4_500_000, 75_000, 750_000]),
    ("openai", "gpt-5.4", 1_050_000, 128_000, [2_500_000, 15_000_000, 250_000, 2_500_000]),
    ("openai", "gpt-5.3-codex", 400_000, 128_000, [1_750_000, 14_000_000, 175_000, 1_750_000]),
    ("openai", "gpt-5.3-chat", 128_000, 16_384, [1_750_000, 14_000_000, 175_000, 1_750_000]),
    ("openai", "gpt-5.2-pro", 400_000, 128_000, [21_000_000, 168_000_000, 21_000_000, 21_000_000]),
    ("openai", "gpt-5.2-codex", 400_000, 128_000, [1_750_000, 14_000_000, 175_000, 1_750_000]),
    ("openai", "gpt-5.2-chat", 128_000, 16_384, [1_750_000, 14_000_000, 175_000, 1_750_000]),
    ("openai", "gpt-5.2", 400_000, 128_000, [1_750_000, 14_000_000, 175_000, 1_750_000]),
    ("openai", "gpt-5.1-codex-mini", 400_000, 128_000, [250_000, 2_000_000, 25_000, 250_000]),
    ("openai", "gpt-5.1-codex-max", 400_000, 128_000, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-5.1-codex", 400_000, 128_000, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-5.1-chat", 128_000, 16_384, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-5.1", 400_000, 128_000, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-5-pro", 400_000, 272_000, [15_000_000, 120_000_000, 15_000_000, 15_000_000]),
    ("openai", "gpt-5-nano", 400_000, 128_000, [50_000, 400_000, 5_000, 50_000]),
    ("openai", "gpt-5-mini", 400_000, 128_000, [250_000, 2_000_000, 25_000, 250_000]),
    ("openai", "gpt-5-codex", 400_000, 128_000, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-5", 400_000, 128_000, [1_250_000, 10_000_000, 125_000, 1_250_000]),
    ("openai", "gpt-4o-mini", 128_000, 16_384, [150_000, 600_000, 75_000, 150_000]),
    ("openai", "gpt-4o", 128_000, 16_384, [2_500_000, 10_000_000, 1_250_000, 2_500_000]),
    ("openai", "gpt-4.5", 128_000, 16_384, NONE),
    ("openai", "gpt-4.1-nano", 1_047_576, 32_768, [100_000, 400_000, 25_000, 100_000]),
    ("openai", "gpt-4.1-mini", 1_047_576, 32_768, [400_000, 1_600_000, 100_000, 400_000]),
    ("openai", "gpt-4.1", 1_047_576, 32_768, [2_000_000, 8_000_000, 500_000, 2_000_000]),
    ("openai", "gpt-4-turbo", 128_000, 4_096, [10_000_000, 30_000_000, 10_000_000, 10_000_000]),
    ("openai", "gpt-4", 8_192, 8_192, [30_000_000, 60_000_000, 30_000_000, 30_000_000]),
    ("openai", "gpt-3.5-turbo", 16_385, 4_096, [500_000, 1_500_000, 500_000, 500_000]),
    ("openai", "gpt-3.5", 16_385, 4_096, NONE),
    ("openai", "codex-mini", 200_000, 100_000, NONE),
    ("openai", "chatgpt-4o", 128_000, 16_384, NONE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_name_is_found_before_a_shorter_one() {
        for (name, window) in [
            ("openai-responses:gpt-5.1-codex", Some(400_000)),
            ("openai-responses:gpt-5.5-2026-04-23", Some(1_050_000)),
            ("openai:gpt-4-0613", Some(8192)),
            ("openai:gpt-4.1-mini", Some(1_047_576)),
            ("gemini-live:gemini-live-2.5-flash", Some(1_048_576)),
            ("anthropic:claude-opus-4-5", Some(200_000)),
            ("anthropic:claude-opus-4-8", Some(1_000_000)),
            ("azure:gpt-4o", None),
            ("rehearsal", None),
        ] {
            assert_eq!(known_window(name), window, "{name}");
        }
        for (index, (vendor, begin, ..)) in MODELS.iter().enumerate() {
            let before = MODELS[..index].iter();
            let mut hiding = before.filter(|row| row.0 == *vendor && begin.starts_with(row.1));
            assert_eq!(hiding.next(), None, "{begin}");
        }
    }

    #[test]
    fn a_price_is_that_of_the_very_model() {
        for (name, output) in [
            ("openai:gpt-5-mini-2025-08-07", Some("2")),
            ("openai-responses:gpt-5.1", Some("10")),
            ("anthropic:claude-opus-4-20250514", Some("75")),
            ("anthropic:claude-opus-4-5-20251101", Some("25")),
            ("gemini:gemini-3.1-pro-preview", Some("12")),
            // Nobody knows these.
            ("openai:gpt-5.9", None),
            ("openai:gpt-5-huge", None),
            ("anthropic:claude-opus-4-99", None),
            ("anthropic:claude-novel-9", None),
        ] {
            let price = known_model(name).unwrap().price;
            let found = price.map(|price| price.output.to_string());
            assert_eq!(found.as_deref(), output, "{name}");
        }
    }

    #[test]
    fn no_answer_is_longer_than_its_window_and_no_cache_dearer_than_twice_the_input() {
        for (_, name, window, output, [input, written, cached, cache_written]) in MODELS {
            assert!(output <= window, "{name}");
            assert!(cached <= input && input <= written && cache_written <= 2 * input, "{name}");
        }
    }
}
