//! The arguments of `silcrow runs answer`, and of runs that wait for answers.

use std::path::PathBuf;

use clap::ValueEnum;

/// Which question of a conversation is answered, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run that waits for answers ends with the exit code 3 (silcrow run --on-question park). Its questions
are stored. Answer them here, one by one, and continue the run:

  silcrow runs answer CONVERSATION                  shows the questions
  silcrow runs answer CONVERSATION 3/a1 yes         allows this call
  silcrow runs answer CONVERSATION 3/a2 no \"why\"    denies it; the model reads the words
  silcrow runs answer CONVERSATION '3/each[].s' yes --items 1,3-5
                                                  allows these items of a loop, and no others
  silcrow run --conversation CONVERSATION --resume

An answer is about exactly the arguments and the target that the question shows. If the call acts on
something else by then, it is asked about again.")]
pub(crate) struct AnswerArgs {
    /// The conversation that waits
    pub(crate) conversation: String,
    /// The question, as it is shown: the turn and the id of the call [default: show the questions]
    #[arg(requires = "answer")]
    pub(crate) question: Option<String>,
    /// Whether the call may run
    #[arg(value_enum, value_name = "yes|no")]
    pub(crate) answer: Option<YesOrNo>,
    /// Words for the model: the reason of a no, or a message beside a yes
    pub(crate) words: Option<String>,
    /// What a yes covers: this call, or all calls of a row \"always\" of the question
    #[arg(long, value_enum, default_value = "once")]
    pub(crate) scope: AnswerScope,
    /// The items of a loop that a yes covers, such as 1,3-5; the others are denied [default: all]
    #[arg(long, value_name = "NUMBERS", requires = "answer")]
    pub(crate) items: Option<String>,
    /// Print the questions as JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// The user to whom the conversation belongs [default: SILCROW_USER, or no user]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools of the run see; a yes for the conversation holds there
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
}

/// The treatment of questions that nobody answers, and of denied calls.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct QuestionArgs {
    /// With nobody to ask: park the run, or deny the call
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) on_question: Option<OnQuestion>,
    /// End with exit code 4 if a call was denied
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum YesOrNo {
    /// The call may run
    Yes,
    /// The call does not run
    No,
}

/// The scope of a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnswerScope {
    /// This call
    Once,
    /// All calls of the conversation that the question names
    Conversation,
    /// All calls of the row `always 2` of the question
    #[value(name = "always-2")]
    Second,
    /// All calls of the row `always 3` of the question
    #[value(name = "always-3")]
    Third,
}

/// The treatment of a question that nobody answers at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnQuestion {
    /// Store it, and end the run with the exit code 3 when nothing else is left to do
    Park,
    /// Deny the call, and tell the model
    Deny,
}
