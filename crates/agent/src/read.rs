//! What a delta means for the answer that is being read.

use silcrow_exec::Budget;
use silcrow_provider::{Delta, Error as ProviderError, ErrorKind as Kind, FinishReason};

use crate::error::{Error, ErrorKind};
use crate::sink::OutputSink;
use crate::turn::Turn;

/// Applies a delta of the part that is read, and counts what the model writes. Pending calls start
/// only after an end that is known to be a good one (P-14).
pub(crate) fn read(
    turn: &mut Turn,
    delta: Option<Result<Delta, ProviderError>>,
    budget: &Budget,
    tap: &mut OutputSink<'_>,
) {
    if let Some(Ok(Delta::Text(text) | Delta::Reasoning(text))) = &delta {
        budget.add_bytes(text.len() as u64);
    }
    match delta {
        Some(Ok(Delta::Text(text))) => turn.read(&text, tap),
        Some(Ok(Delta::Reasoning(text))) => turn.reason(&text, tap),
        Some(Ok(Delta::Done(FinishReason::Length))) => {
            let why = "the answer reached the model's length limit; ask for less, or continue";
            turn.fail(Error::new(ErrorKind::Length, why), tap);
        }
        Some(Ok(Delta::Done(FinishReason::Filter))) => {
            let why = "the provider withheld the rest of the answer; ask in another way";
            turn.fail(Error::new(ErrorKind::Filter, why), tap);
        }
        Some(Ok(Delta::Done(FinishReason::Stop))) => turn.end(tap),
        Some(Ok(Delta::Done(FinishReason::ToolUse))) => {
            turn.called_natively = true;
            turn.end(tap);
        }
        Some(Ok(Delta::Done(finish))) => {
            let why =
                format!("the answer ended in a way that is not known ({finish:?}); run again");
            let error = ProviderError::new(Kind::Malformed, why);
            turn.fail(error.into(), tap);
        }
        Some(Ok(_)) => {}
        Some(Err(error)) => turn.fail(error.into(), tap),
        None => {
            let why = "the answer ended without its end mark; run again";
            let cut = ProviderError::new(Kind::Cut, why);
            turn.fail(cut.into(), tap);
        }
    }
}
