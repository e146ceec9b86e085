//! The price table of `--prices`, a TOML file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use silcrow_event::{Money, ParseMoneyError};
use silcrow_exec::{ModelPrice, PriceTable, SpendingLimits};

use crate::args::SpendingArgs;
use crate::environment::set;
use crate::failure::Failure;
use crate::input::Input;

/// Reads the table of the file that was typed or that SILCROW_PRICES names. Without one it is that of
/// the settings.
pub(crate) fn read(args: &SpendingArgs) -> Result<PriceTable, Failure> {
    let typed = args.prices.clone();
    let file = typed.or_else(|| set("SILCROW_PRICES").map(PathBuf::from));
    let Some(file) = file else { return Ok(args.price_table.clone().unwrap_or_default()) };
    let text = Input::open(&file)?.text()?;
    let written: BTreeMap<String, WrittenPrice> = toml::from_str(&text).map_err(|error| {
        Failure::given(format!("{}: {}", file.display(), error.to_string().trim_end()))
    })?;
    Ok(priced(written))
}

/// Reads a table that is written in another file. The error says what is wrong with it.
pub(crate) fn table(written: toml::Table) -> Result<PriceTable, String> {
    let written: BTreeMap<String, WrittenPrice> =
        written.try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(priced(written))
}

fn priced(written: BTreeMap<String, WrittenPrice>) -> PriceTable {
    PriceTable::new(written.into_iter().map(|(model, price)| (model, price.price())))
}

/// Returns a failure if a limit is one of money and the table has no price for the model.
pub(crate) fn check(
    model: &str,
    prices: &PriceTable,
    limits: &SpendingLimits,
) -> Result<(), Failure> {
    if !limits.needs_prices() || prices.find(model).is_some() {
        return Ok(());
    }
    Err(Failure::given(format!(
        "the cost is limited, and the price of `{model}` is not known; add it to the file of \
         --prices or SILCROW_PRICES, as [\"{model}\"] with input, output and cached"
    )))
}

/// The prices of a model as they are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrice {
    input: WrittenMoney,
    output: WrittenMoney,
    /// As much as other input, if it is left out.
    cached: Option<WrittenMoney>,
}

/// An amount, as a number or as a string.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "toml::Value")]
struct WrittenMoney(Money);

impl WrittenPrice {
    fn price(&self) -> ModelPrice {
        let cached = self.cached.unwrap_or(self.input);
        ModelPrice { input: self.input.0, output: self.output.0, cached: cached.0 }
    }
}

impl TryFrom<toml::Value> for WrittenMoney {
    type Error = String;

    /// A float is displayed with the fewest digits that tell it apart, which are those of the file.
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
