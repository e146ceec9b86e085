//! The prices of models, and the cost of a request.
//!
//! Prices are integers, and so is every step of the calculation.

use std::collections::BTreeMap;
use std::sync::Arc;

use silcrow_event::{Money, Spending, Usage};

/// The prices of a model for a million tokens each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "vendors bill these four")]
pub struct ModelPrice {
    /// The price of tokens that are read.
    pub input: Money,
    /// The price of tokens that are written, including reasoning.
    pub output: Money,
    /// The price of tokens that are read from the vendor's cache.
    pub cached: Money,
    /// The price of tokens that are written to the vendor's cache, if it differs from `input`.
    pub cache_written: Option<Money>,
}

/// The prices of models by their names. Clones share the table.
///
/// A model is looked up by its whole name, such as `openai:gpt-5`, then by the part after the last
/// `#` or `:`, and then as `*`. A model that the table does not have may have a [usual](Self::with_usual)
/// price.
///
/// ```
/// use silcrow_event::{Money, Usage};
/// use silcrow_exec::{ModelPrice, PriceTable};
///
/// let money = |text: &str| text.parse::<Money>().unwrap();
/// let (input, output, cached) = (money("1.25"), money("10"), money("0.125"));
/// let price = ModelPrice { input, output, cached, cache_written: None };
/// let prices = PriceTable::new([("gpt-5".to_owned(), price)]);
/// let found = prices.find("openai:gpt-5").unwrap();
/// let usage = Usage { input: 1_000, cached: 600, output: 200, ..Usage::default() };
/// assert_eq!(found.spending(&usage).cost, money("0.002575"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct PriceTable {
    prices: Arc<BTreeMap<String, ModelPrice>>,
    usual: Option<fn(&str) -> Option<ModelPrice>>,
}

impl ModelPrice {
    /// Returns the tokens and the cost of a request, which is rounded up to a millionth.
    pub fn spending(&self, usage: &Usage) -> Spending {
        let Usage { input, output, cached, cache_written, .. } = *usage;
        let cached = cached.min(input);
        let written = cache_written.min(input - cached);
        let parts = [
            (input - cached - written, self.input),
            (cached, self.cached),
            (written, self.cache_written.unwrap_or(self.input)),
            (output, self.output),
        ];
        // A price for a million tokens in millionths is the price of one token in parts of 10¹².
        let cost: u128 = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens) * u128::from(price.micros()))
            .sum();
        let micros = u64::try_from(cost.div_ceil(MILLION)).unwrap_or(u64::MAX);
        Spending { tokens: usage.tokens(), cost: Money::from_micros(micros) }
    }
}

impl PriceTable {
    /// Creates a table from names and prices. The last price of a name wins.
    pub fn new(prices: impl IntoIterator<Item = (String, ModelPrice)>) -> Self {
        Self { prices: Arc::new(prices.into_iter().collect()), usual: None }
    }

    /// Sets the source of prices of models that the table does not have.
    ///
    /// ```
    /// use silcrow_event::Money;
    /// use silcrow_exec::{ModelPrice, PriceTable};
    ///
    /// let price = ModelPrice { input: Money::from_micros(1), ..ModelPrice::default() };
    /// let own = PriceTable::new([("dear".to_owned(), price)]);
    /// let prices = own.with_usual(|name| (name == "cheap").then(ModelPrice::default));
    /// assert_eq!(prices.find("dear"), Some(price));
    /// assert_eq!(prices.find("cheap"), Some(ModelPrice::default()));
    /// assert_eq!(prices.find("other"), None);
    /// ```
    #[must_use]
    pub fn with_usual(self, usual: fn(&str) -> Option<ModelPrice>) -> Self {
        Self { usual: Some(usual), ..self }
    }

    /// Returns the price of a model, or `None` if the table has none.
    pub fn find(&self, model: &str) -> Option<ModelPrice> {
        let short = model.rsplit(['#', ':']).next().unwrap_or(model);
        let own = [model, short, "*"].iter().find_map(|name| self.prices.get(*name)).copied();
        own.or_else(|| self.usual?(model))
    }
}

const MILLION: u128 = 1_000_000;
