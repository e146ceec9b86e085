use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::Kind;

/// Somebody who may say yes to a call. Asked about one call at a time.
pub trait Approver: Send + Sync {
    /// Asks. The future is dropped when the call is stopped; a panic is a no.
    fn ask<'a>(&'a self, question: Question<'a>) -> BoxFuture<'a, Answer>;
}

/// What is asked about: one call, and nothing but it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The call's id, unique within its turn.
    pub id: &'a str,
    /// The names of the agents between the person's and the one that calls, the outermost first.
    pub path: &'a [String],
    /// What kind of thing is called.
    pub kind: Kind,
    /// What is called.
    pub tool: &'a str,
    /// Its exact arguments: a JSON object.
    pub args: &'a str,
    /// What a yes for the conversation would cover ([`Tool::covers`](crate::Tool::covers)).
    pub covers: &'a str,
}

/// What the approver said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is yes or no")]
pub enum Answer {
    /// Yes.
    Allow(Extent),
    /// No; the reason is told to the model.
    Deny(String),
}

/// How far a yes goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "P-27 knows these two")]
pub enum Extent {
    /// To this call.
    Once,
    /// To all calls in the conversation that the question's `covers` covers.
    Conversation,
}

/// Nobody is there, so the answer is no.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, Question { tool, .. }: Question<'a>) -> BoxFuture<'a, Answer> {
        let reason = format!("`{tool}` needs a person's yes, and nobody is there to give it");
        async move { Answer::Deny(reason) }.boxed()
    }
}
