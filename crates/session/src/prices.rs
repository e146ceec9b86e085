//! The price table of `--prices`, a TOML file.

use silcrow_exec::{PriceTable, SpendingLimits};
use silcrow_settings::{PriceSetting, parse_price_table};

use crate::error::Error;
use crate::text_file::read_text;

/// Returns the table of the settings, which may be in a file.
pub(crate) fn read(prices: Option<&PriceSetting>) -> Result<PriceTable, Error> {
    match prices {
        None => Ok(PriceTable::default()),
        Some(PriceSetting::Table(prices)) => Ok(prices.clone()),
        Some(PriceSetting::File(file)) => {
            let prices = parse_price_table(&read_text(file)?);
            prices.map_err(|why| Error::given(format!("{}: {why}", file.display())))
        }
    }
}

/// Returns a failure if a limit is one of money and the table has no price for the model.
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
