//! The price table of `--prices`, a TOML file, and the known prices of vendors.

use silcrow_exec::{ModelPrice, PriceTable, SpendingLimits};
use silcrow_settings::{PriceSetting, parse_price_table};
use silcrow_vendors::known_model;

use crate::error::Error;
use crate::text_file::read_text;

/// Returns the table of the settings, which may be in a file. A model that is not in it has its
/// vendor's known price.
pub(crate) fn read(prices: Option<&PriceSetting>) -> Result<PriceTable, Error> {
    let prices = match prices {
        None => PriceTable::default(),
        Some(PriceSetting::Table(prices)) => prices.clone(),
        Some(PriceSetting::File(file)) => {
            let prices = parse_price_table(&read_text(file)?);
            prices.map_err(|why| Error::given(format!("{}: {why}", file.display())))?
        }
    };
    Ok(prices.with_usual(known_price))
}

fn known_price(model: &str) -> Option<ModelPrice> {
    let price = known_model(model)?.price?;
    let (input, output, cached) = (price.input, price.output, price.cached);
    Some(ModelPrice { input, output, cached, cache_written: Some(price.cache_written) })
}

/// Returns a failure if there is a cost limit and the table has no price for the model.
pub(crate) fn check(
    model: &str,
    prices: &PriceTable,
    limits: &SpendingLimits,
) -> Result<(), Error> {
    if !limits.needs_prices() || prices.find(model).is_some() {
        return Ok(());
    }
    Err(Error::given(format!(
        "the cost is limited, and the price of `{model}` is not known; add it to the file of \
         --prices or SILCROW_PRICES, as [\"{model}\"] with input, output and cached"
    )))
}
