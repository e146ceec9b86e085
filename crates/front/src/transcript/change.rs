//! The changes of a transcript, in the terms that protocols of front ends share.

use silcrow_event::{
    ApprovalState, CallResult, Content, ContextSummary, ErrorEvent, FileDelta, Metric, OpenQuestion,
};

/// A change of the transcript of a run.
///
/// Texts and calls have ids that are unique in the conversation: they begin, grow and end under
/// these. A change of an agent that a call runs names that agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscriptChange<'a> {
    /// The person has sent a message: a prompt, or one that steers the run.
    Message {
        /// The content.
        content: &'a Content,
        /// Whether it was sent to a run that was at work.
        steer: bool,
        /// The position in the log.
        seq: Option<u64>,
    },
    /// The model begins an answer, the turn with this number.
    TurnBegan(u32),
    /// The turn is over: everything about it that follows is about calls in the background.
    TurnEnded(u32),
    /// The texts of the turn do not count: the model is asked again, and no call was written. Only a
    /// reader that [drops turns](crate::TranscriptReader::with_dropped_turns) says so; for others a text
    /// below them does.
    TurnDropped(u32),
    /// The answers of the turn do not count, and the model is asked again. Only a reader that
    /// [drops answers](crate::TranscriptReader::with_dropped_answers) says so; for others a text below
    /// them does.
    AnswerDropped(u32),
    /// A text begins.
    TextBegan {
        /// The id of the text.
        text: &'a str,
        /// The kind of the text.
        kind: SectionKind,
    },
    /// A text grows. The pieces together are the text, with white space at its end that is not
    /// trimmed.
    TextGrew {
        /// The id of the text.
        text: &'a str,
        /// The piece, which is never empty.
        piece: &'a str,
    },
    /// A text ends.
    TextEnded {
        /// The id of the text.
        text: &'a str,
    },
    /// A control block, or an item of a loop, begins. The calls that are written until it ends may be in
    /// it.
    BlockBegan {
        /// The id of the block in the turn, such as `each`, or of an item, such as `each[0]`.
        block: &'a str,
        /// The kind of the block, such as `foreach`; `item` for an item of a loop.
        kind: &'static str,
        /// The block that it is in.
        parent: Option<&'a str>,
    },
    /// A control block, or an item of a loop, ends.
    BlockEnded {
        /// The id of the block.
        block: &'a str,
        /// The result of the block, if it has one.
        result: Option<&'a CallResult>,
    },
    /// The model begins to write a call, whose name is known now.
    CallBegan {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The name of the called tool; empty for text that should have been a call.
        name: &'a str,
    },
    /// The arguments of a call grow by this piece of JSON.
    ArgsGrew {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The piece of JSON, which is never empty.
        piece: &'a str,
    },
    /// A call is complete.
    CallWritten {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The name of the called tool.
        name: &'a str,
        /// The arguments, a JSON object. It is authoritative; earlier pieces are the model's raw
        /// text.
        args: &'a str,
        /// Calls of the same turn that it waits for, by their ids in the transcript.
        depends_on: &'a [String],
        /// The control block that it is in, or the item of a loop.
        block: Option<&'a str>,
    },
    /// Text that should have been a call cannot be run. A result with the reason follows.
    CallRejected {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The text as the model wrote it.
        text: &'a str,
    },
    /// An attempt at a call starts.
    CallStarted {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// A person is asked about a call, or has answered.
    CallAsked {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The state of the question.
        state: ApprovalState,
        /// The reason in the person's own words.
        reason: Option<&'a str>,
    },
    /// The run waits for the answer to a question about a call.
    Question {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The id of the question in the conversation that waits, such as `3/a1`.
        id: &'a str,
        /// The question.
        question: &'a OpenQuestion,
    },
    /// The run waits for the result of a call of a tool that the client has.
    ClientCall {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The id of its question in the conversation that waits, such as `3/a1`.
        id: &'a str,
        /// The question.
        question: &'a OpenQuestion,
    },
    /// A running call has printed something.
    CallPrinted {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The name of the channel, such as `stdout`.
        channel: &'a str,
        /// The piece of output.
        piece: &'a str,
    },
    /// A call has changed files. Its end follows.
    CallChanged {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The files.
        files: &'a [FileDelta],
    },
    /// A call has its result.
    CallEnded {
        /// The id of the call in the transcript.
        call: &'a str,
        /// The result.
        result: &'a CallResult,
    },
    /// An agent or a workflow that a call runs begins.
    AgentBegan,
    /// An agent or a workflow that a call ran is over.
    AgentEnded,
    /// The resources that the run used so far.
    Measured(&'a Metric),
    /// The framework has told the model something about its answer.
    Noticed(&'a str),
    /// The oldest part of the conversation was summarized for the model.
    Summarized(&'a ContextSummary),
    /// The conversation has a name.
    Titled(&'a str),
    /// An error, which the run may survive.
    Failed(&'a ErrorEvent),
    /// The run has failed, for this reason, which the log keeps.
    RunFailed(&'a ErrorEvent),
    /// The run was stopped, for this reason.
    Stopped(&'a str),
}

/// The kind of a text of the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a text is a thought or for the person")]
pub enum SectionKind {
    /// A thought of the model.
    Thought,
    /// Text for the person.
    Answer,
}

/// An agent or a workflow that a call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CalledAgent {
    /// The id of its conversation, which is unique.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The id of the call that runs it, if it is known.
    pub call: Option<String>,
    /// The id of the agent that made the call, unless that is the run's own agent.
    pub parent: Option<String>,
    /// The turn and the id of each call around it, the outermost first, as in the ids of questions:
    /// `3/sum`. Empty if they are unknown.
    pub path: String,
}
