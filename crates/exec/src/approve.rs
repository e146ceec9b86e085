use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

/// Somebody who may say yes to a call. Asked about one call at a time.
pub trait Approver: Send + Sync {
    /// Asks about the call `id` of `tool` with exactly these arguments (JSON).
    fn ask<'a>(&'a self, id: &'a str, tool: &'a str, args: &'a str) -> BoxFuture<'a, Answer>;
}

/// What the approver said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes or no")]
pub enum Answer {
    /// Yes, this once.
    Allow,
    /// No; the reason is told to the model.
    Deny(String),
}

/// Nobody is there, so the answer is no.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, _: &'a str, tool: &'a str, _: &'a str) -> BoxFuture<'a, Answer> {
        let reason = format!("`{tool}` needs a person's yes, and nobody is there to give it");
        async move { Answer::Deny(reason) }.boxed()
    }
}
