//! Tables of prices as people write them in TOML.

use std::collections::BTreeMap;

use serde::Deserialize;
use silcrow_event::{Money, ParseMoneyError};
use silcrow_exec::{ModelPrice, PriceTable};

/// Reads a table of prices: for each model `input`, `output` and maybe `cached` and `cache_written`, the
/// money that a million tokens cost.
///
/// ```
/// let written = "['openai:gpt-5.1']\ninput = 1.25\noutput = 10\n".parse().unwrap();
/// let prices = silcrow_settings::price_table(written).unwrap();
/// assert!(prices.find("openai:gpt-5.1").is_some());
/// ```
///
/// # Errors
///
/// Returns the error in the table.
pub fn price_table(written: toml::Table) -> Result<PriceTable, String> {
    let written: BTreeMap<String, WrittenPrice> =
        written.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(priced(written))
}

/// Reads a file of prices.
///
/// ```
/// use silcrow_settings::parse_price_table;
///
/// let prices = parse_price_table("['openai:gpt-5.1']\ninput = \"1.25\"\noutput = 10\n").unwrap();
/// assert!(prices.find("openai:gpt-5.1").is_some());
/// let why = parse_price_table("['openai:gpt-5.1']\ninput = 1\n").unwrap_err();
/// assert!(why.contains("missing field `output`"), "{why}");
/// ```
///
/// # Errors
///
/// Returns the error in the text, and its place.
pub fn parse_price_table(text: &str) -> Result<PriceTable, String> {
    let written = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    Ok(priced(written))
}

fn priced(written: BTreeMap<String, WrittenPrice>) -> PriceTable {
    PriceTable::new(written.into_iter().map(|(model, price)| (model, price.price())))
}

/// The prices of a model as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrice {
    input: WrittenMoney,
    output: WrittenMoney,
    /// As much as other input, if it is left out.
    cached: Option<WrittenMoney>,
    /// As much as other input, if it is left out.
    cache_written: Option<WrittenMoney>,
}

/// An amount, as a number or as a string.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
struct WrittenMoney(Money);

impl WrittenPrice {
    fn price(&self) -> ModelPrice {
        let cached = self.cached.unwrap_or(self.input);
        ModelPrice {
            input: self.input.0,
            output: self.output.0,
            cached: cached.0,
            cache_written: self.cache_written.map(|price| price.0),
        }
    }
}

impl TryFrom<toml::Value> for WrittenMoney {
    type Error = String;

    /// A float is displayed with the fewest digits that identify it, which are the same as in the
    /// file.
    fn try_from(value: toml::Value) -> Result<Self, String> {
        let text = match &value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            _ => String::new(),
        };
        text.parse().map(Self).map_err(|error: ParseMoneyError| error.to_string())
    }
}
