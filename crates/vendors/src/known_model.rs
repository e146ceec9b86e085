//! Published facts about vendors' models: windows, the longest answers, and prices.
//!
//! The table covers the vendors' own servers. A model on another server may have been started with
//! less, so it has no row. It changes no requests.

use silcrow_event::Money;

/// The day on which the table was compared with the vendors' pages (from the collection at
/// [models.dev](https://models.dev)).
///
/// ```
/// assert!(silcrow_vendors::KNOWN_MODELS_DATE.starts_with("2026-"));
/// ```
pub const KNOWN_MODELS_DATE: &str = "2026-07-02";

/// The limits and prices of a vendor's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownModel {
    /// The maximum number of tokens of a request and its answer together.
    pub window: u64,
    /// The maximum number of tokens of an answer.
    pub output: u64,
    /// The prices of a million tokens each, if the table has them. The higher prices that some
    /// vendors charge for long requests are left out.
    pub price: Option<KnownPrice>,
}

/// The prices of a million tokens each, in US dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownPrice {
    /// The price of tokens that are read.
    pub input: Money,
    /// The price of tokens that are written.
    pub output: Money,
    /// The price of tokens that are read from the vendor's cache.
    pub cached: Money,
    /// The price of tokens that are written to the vendor's cache.
    pub cache_written: Money,
}

/// Returns the limits and prices of a model, if the table has them. The name has the vendor before a
/// colon, as in `anthropic:claude-…`.
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
            input: thousandths(input),
            output: thousandths(written),
            cached: thousandths(cached),
            cache_written: thousandths(cache_written),
        }),
    })
}

const fn thousandths(count: u64) -> Money {
    Money::from_micros(1_000 * count)
}

/// Returns whether the rest of a name is the version of a model. Another model may be much more
/// expensive than the one whose name is its prefix.
fn is_version(rest: &str) -> bool {
    let digits = |text: &str| text.len() >= 4 && text.bytes().take(4).all(|b| b.is_ascii_digit());
    match rest.strip_prefix(['-', '@']) {
        None => rest.is_empty(),
        Some(version) => {
            version.starts_with("latest") || version.starts_with("preview") || digits(version)
        }
    }
}

/// Returns the window of a model, if the [table](known_model) has one.
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

/// A vendor, the beginning of a model's name, its window, its longest answer, and the thousandths of
/// a dollar that a million tokens cost: read, written, read from the cache, and written to it.
type ModelRow = (&'static str, &'static str, u64, u64, [u64; 4]);

/// No price is known.
const NONE: [u64; 4] = [0; 4];

/// The models. A longer beginning of a name is before those that it begins with.
const MODELS: [ModelRow; 72] = [
    ("anthropic", "claude-sonnet-5", 1_000_000, 128_000, [2_000, 10_000, 200, 2_500]),
    ("anthropic", "claude-sonnet-4-6", 1_000_000, 64_000, [3_000, 15_000, 300, 3_750]),
    ("anthropic", "claude-sonnet-4-5", 200_000, 64_000, [3_000, 15_000, 300, 3_750]),
    ("anthropic", "claude-sonnet-4", 200_000, 64_000, [3_000, 15_000, 300, 3_750]),
    ("anthropic", "claude-opus-4-8", 1_000_000, 128_000, [5_000, 25_000, 500, 6_250]),
    ("anthropic", "claude-opus-4-7", 1_000_000, 128_000, [5_000, 25_000, 500, 6_250]),
    ("anthropic", "claude-opus-4-6", 1_000_000, 128_000, [5_000, 25_000, 500, 6_250]),
    ("anthropic", "claude-opus-4-5", 200_000, 64_000, [5_000, 25_000, 500, 6_250]),
    ("anthropic", "claude-opus-4-1", 200_000, 32_000, [15_000, 75_000, 1_500, 18_750]),
    ("anthropic", "claude-opus-4", 200_000, 32_000, [15_000, 75_000, 1_500, 18_750]),
    ("anthropic", "claude-haiku-4-5", 200_000, 64_000, [1_000, 5_000, 100, 1_250]),
    ("anthropic", "claude-fable-5", 1_000_000, 128_000, [10_000, 50_000, 1_000, 12_500]),
    ("anthropic", "claude-3-opus", 200_000, 4_096, [15_000, 75_000, 1_500, 18_750]),
    ("anthropic", "claude-3-haiku", 200_000, 4_096, [250, 1_250, 30, 300]),
    ("anthropic", "claude-3-7-sonnet", 200_000, 64_000, [3_000, 15_000, 300, 3_750]),
    ("anthropic", "claude-3-5-sonnet", 200_000, 8_192, [3_000, 15_000, 300, 3_750]),
    ("anthropic", "claude-3-5-haiku", 200_000, 8_192, [800, 4_000, 80, 1_000]),
    ("anthropic", "claude-", 200_000, 16_384, NONE),
    ("gemini", "gemini-3.5-flash", 1_048_576, 65_536, [1_500, 9_000, 150, 1_500]),
    ("gemini", "gemini-3.1-pro", 1_048_576, 65_536, [2_000, 12_000, 200, 2_000]),
    ("gemini", "gemini-3.1-flash-lite", 1_048_576, 65_536, [250, 1_500, 25, 250]),
    ("gemini", "gemini-3-pro", 1_048_576, 65_536, [2_000, 12_000, 200, 2_000]),
    ("gemini", "gemini-3-flash", 1_048_576, 65_536, [500, 3_000, 50, 500]),
    ("gemini", "gemini-2.5-pro", 1_048_576, 65_536, [1_250, 10_000, 125, 1_250]),
    ("gemini", "gemini-2.5-flash-lite", 1_048_576, 65_536, [100, 400, 10, 100]),
    ("gemini", "gemini-2.5-flash", 1_048_576, 65_536, [300, 2_500, 30, 300]),
    ("gemini", "gemini-2.0-flash-lite", 1_048_576, 8_192, [75, 300, 75, 75]),
    ("gemini", "gemini-2.0-flash", 1_048_576, 8_192, [100, 400, 25, 100]),
    ("gemini", "gemini-", 1_048_576, 8_192, NONE),
    ("openai", "o4-mini", 200_000, 100_000, [1_100, 4_400, 275, 1_100]),
    ("openai", "o4", 200_000, 100_000, NONE),
    ("openai", "o3-pro", 200_000, 100_000, [20_000, 80_000, 20_000, 20_000]),
    ("openai", "o3-mini", 200_000, 100_000, [1_100, 4_400, 550, 1_100]),
    ("openai", "o3", 200_000, 100_000, [2_000, 8_000, 500, 2_000]),
    ("openai", "o1-pro", 200_000, 100_000, [150_000, 600_000, 150_000, 150_000]),
    ("openai", "o1", 200_000, 100_000, [15_000, 60_000, 7_500, 15_000]),
    ("openai", "gpt-realtime", 32_000, 4_096, NONE),
    ("openai", "gpt-oss", 131_072, 131_072, NONE),
    ("openai", "gpt-5.5-pro", 1_050_000, 128_000, [30_000, 180_000, 30_000, 30_000]),
    ("openai", "gpt-5.5", 1_050_000, 128_000, [5_000, 30_000, 500, 5_000]),
    ("openai", "gpt-5.4-pro", 1_050_000, 128_000, [30_000, 180_000, 30_000, 30_000]),
    ("openai", "gpt-5.4-nano", 400_000, 128_000, [200, 1_250, 20, 200]),
    ("openai", "gpt-5.4-mini", 400_000, 128_000, [750, 4_500, 75, 750]),
    ("openai", "gpt-5.4", 1_050_000, 128_000, [2_500, 15_000, 250, 2_500]),
    ("openai", "gpt-5.3-codex", 400_000, 128_000, [1_750, 14_000, 175, 1_750]),
    ("openai", "gpt-5.3-chat", 128_000, 16_384, [1_750, 14_000, 175, 1_750]),
    ("openai", "gpt-5.2-pro", 400_000, 128_000, [21_000, 168_000, 21_000, 21_000]),
    ("openai", "gpt-5.2-codex", 400_000, 128_000, [1_750, 14_000, 175, 1_750]),
    ("openai", "gpt-5.2-chat", 128_000, 16_384, [1_750, 14_000, 175, 1_750]),
    ("openai", "gpt-5.2", 400_000, 128_000, [1_750, 14_000, 175, 1_750]),
    ("openai", "gpt-5.1-codex-mini", 400_000, 128_000, [250, 2_000, 25, 250]),
    ("openai", "gpt-5.1-codex-max", 400_000, 128_000, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-5.1-codex", 400_000, 128_000, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-5.1-chat", 128_000, 16_384, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-5.1", 400_000, 128_000, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-5-pro", 400_000, 272_000, [15_000, 120_000, 15_000, 15_000]),
    ("openai", "gpt-5-nano", 400_000, 128_000, [50, 400, 5, 50]),
    ("openai", "gpt-5-mini", 400_000, 128_000, [250, 2_000, 25, 250]),
    ("openai", "gpt-5-codex", 400_000, 128_000, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-5", 400_000, 128_000, [1_250, 10_000, 125, 1_250]),
    ("openai", "gpt-4o-mini", 128_000, 16_384, [150, 600, 75, 150]),
    ("openai", "gpt-4o", 128_000, 16_384, [2_500, 10_000, 1_250, 2_500]),
    ("openai", "gpt-4.5", 128_000, 16_384, NONE),
    ("openai", "gpt-4.1-nano", 1_047_576, 32_768, [100, 400, 25, 100]),
    ("openai", "gpt-4.1-mini", 1_047_576, 32_768, [400, 1_600, 100, 400]),
    ("openai", "gpt-4.1", 1_047_576, 32_768, [2_000, 8_000, 500, 2_000]),
    ("openai", "gpt-4-turbo", 128_000, 4_096, [10_000, 30_000, 10_000, 10_000]),
    ("openai", "gpt-4", 8_192, 8_192, [30_000, 60_000, 30_000, 30_000]),
    ("openai", "gpt-3.5-turbo", 16_385, 4_096, [500, 1_500, 500, 500]),
    ("openai", "gpt-3.5", 16_385, 4_096, NONE),
    ("openai", "codex-mini", 200_000, 100_000, NONE),
    ("openai", "chatgpt-4o", 128_000, 16_384, NONE),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_model_names_match_first() {
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
    fn prices_apply_only_to_the_same_model() {
        for (name, output) in [
            ("openai:gpt-5-mini-2025-08-07", Some("2")),
            ("openai-responses:gpt-5.1", Some("10")),
            ("anthropic:claude-opus-4-20250514", Some("75")),
            ("anthropic:claude-opus-4-5-20251101", Some("25")),
            ("gemini:gemini-3.1-pro-preview", Some("12")),
            // These are unknown.
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
    fn table_limits_and_prices_are_plausible() {
        for (_, name, window, output, [input, written, cached, cache_written]) in MODELS {
            assert!(output <= window, "{name}");
            assert!(cached <= input && input <= written && cache_written <= 2 * input, "{name}");
        }
    }
}
