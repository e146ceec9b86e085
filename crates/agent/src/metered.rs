//! A request to a model from its reservation to its settlement.
//!
//! A request is *reserved* before it is made: the budget holds the most that it may cost. While the
//! answer is read, the reservation grows with it. At the end the request is *settled*: the budget
//! takes the vendor's figures, or an estimate.

use silcrow_event::Usage;
use silcrow_exec::{
    AccountError, Budget, BudgetExhausted, ModelPrice, Overdraft, Reservation, ReserveError,
    SpendingExhausted,
};
use silcrow_provider::{Delta, Error};

use crate::error;
use crate::meter::Meter;
use crate::step_kind::StepKind;

/// A request whose cost is reserved.
pub(crate) struct MeteredRequest {
    meter: Meter,
    price: ModelPrice,
    reservation: Reservation,
    /// The number of output tokens that are reserved.
    reserved_output: u64,
    /// The number of output tokens that are reserved at a time.
    answer_tokens: u64,
    /// Whether the server rejected the request, so that it costs nothing.
    is_rejected: bool,
}

/// The reason why a request cannot be paid.
pub(crate) enum PaymentError {
    /// An account has no room for it.
    Exhausted(SpendingExhausted),
    /// Its price is unknown, and a limit is in money.
    Unpriced(String),
    /// An account cannot be loaded or saved.
    Unsaved(AccountError),
}

impl MeteredRequest {
    /// Reserves the cost of a request that begins now. `read` is the estimated tokens of its
    /// messages, and `longest` the greatest number of tokens of an answer, if it is known. The
    /// request of the last step may exceed a limit.
    pub(crate) async fn reserve(
        budget: &Budget,
        model: &str,
        read: u64,
        longest: Option<u64>,
        step: StepKind,
    ) -> Result<Self, PaymentError> {
        let purse = budget.purse();
        let price = match purse.prices().find(model) {
            Some(price) => price,
            None if purse.limits().needs_prices() => {
                return Err(PaymentError::Unpriced(model.to_owned()));
            }
            None => ModelPrice::default(),
        };
        let answer_tokens = purse.limits().answer_tokens.max(1);
        let reserved_output = longest.map_or(answer_tokens, |longest| longest.min(answer_tokens));
        // The estimate may be too low by a quarter.
        let input = read.saturating_add(read.div_ceil(4));
        let most = Usage { input, output: reserved_output, ..Usage::default() };
        let overdraft = match step {
            StepKind::Ordinary => Overdraft::Denied,
            StepKind::Last => Overdraft::Allowed,
        };
        let reservation = purse.reserve(price.spending(&most), overdraft).await?;
        let meter = Meter::new(read);
        Ok(Self { meter, price, reservation, reserved_output, answer_tokens, is_rejected: false })
    }

    /// Takes a delta of the answer.
    pub(crate) fn push(&mut self, delta: Option<&Result<Delta, Error>>) {
        self.meter.push(delta);
        if let Some(Err(error)) = delta {
            self.reject(error);
        }
    }

    /// Takes the error of a request without an answer.
    pub(crate) fn fail(&mut self, error: &Error) {
        self.meter.lost(error.sent());
        self.reject(error);
    }

    /// Counts bytes that were sent and led to no answer.
    pub(crate) const fn lost(&mut self, bytes: u64) {
        self.meter.lost(bytes);
    }

    /// Returns the estimated tokens of the messages.
    pub(crate) const fn estimated_input(&self) -> u64 {
        self.meter.read()
    }

    /// Returns the limit of the budget that the answer has reached. An answer that is longer than
    /// its reservation reserves more.
    pub(crate) async fn check(
        &mut self,
        budget: &Budget,
    ) -> Result<Option<BudgetExhausted>, AccountError> {
        if let Err(exhausted) = budget.check() {
            return Ok(Some(exhausted));
        }
        while self.meter.output() > self.reserved_output {
            let more = Usage { output: self.answer_tokens, ..Usage::default() };
            match Box::pin(self.reservation.grow(self.price.spending(&more))).await {
                Ok(()) => self.reserved_output += self.answer_tokens,
                Err(ReserveError::Exhausted(spending)) => {
                    return Ok(Some(budget.overspent(spending)));
                }
                Err(ReserveError::Unsaved(error)) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Settles the request, and returns its usage as the metric reports it.
    pub(crate) async fn settle(self) -> Result<Usage, AccountError> {
        let usage = self.meter.took();
        let cost = self.price.spending(&self.billed(usage));
        self.reservation.settle(cost, usage).await?;
        Ok(usage)
    }

    /// Settles a request that was stopped before it was answered, and counts no usage.
    pub(crate) async fn abandon(self) -> Result<(), AccountError> {
        let cost = self.price.spending(&self.billed(self.meter.took()));
        self.reservation.settle(cost, Usage::default()).await
    }

    /// Returns the amount that the vendor is likely to bill: the usage of the request, or its
    /// estimated input if nobody knows whether it was read.
    fn billed(&self, usage: Usage) -> Usage {
        if usage.tokens() > 0 || self.is_rejected {
            return usage;
        }
        Usage { input: self.meter.read(), ..usage }
    }

    fn reject(&mut self, error: &Error) {
        self.is_rejected = !error.is_transport() || error.sent() == 0;
    }
}

impl From<ReserveError> for PaymentError {
    fn from(error: ReserveError) -> Self {
        match error {
            ReserveError::Exhausted(spending) => Self::Exhausted(spending),
            ReserveError::Unsaved(error) => Self::Unsaved(error),
        }
    }
}

impl PaymentError {
    /// Returns the error of a run that cannot pay a request.
    pub(crate) fn into_error(self, budget: &Budget) -> error::Error {
        match self {
            Self::Exhausted(spending) => budget.overspent(spending).into(),
            Self::Unpriced(model) => error::Error::new(
                error::ErrorKind::Refused,
                format!(
                    "the budget limits the cost, and the price of the model `{model}` is not \
                     known; add it to the price table"
                ),
            ),
            Self::Unsaved(error) => unsaved(error),
        }
    }
}

/// Returns the error of a run whose accounts cannot be loaded or saved.
pub(crate) fn unsaved(error: AccountError) -> error::Error {
    match error.downcast::<silcrow_store::Error>() {
        Ok(error) => (*error).into(),
        Err(error) => {
            let kind = error::ErrorKind::Store(silcrow_store::ErrorKind::Unavailable);
            error::Error::new(kind, format!("the accounts cannot be saved: {error}"))
        }
    }
}
