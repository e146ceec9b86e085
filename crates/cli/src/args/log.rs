//! The arguments and subcommands of `silcrow log`, as clap reads them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// The arguments of `silcrow log`.
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LogCommand>,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Do not start a pager, which a terminal has otherwise: $SILCROW_PAGER, $PAGER or less
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, global = true, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) list: LogListArgs,
    /// The conversation whose events to show, as `show` does; without one they are listed
    pub(crate) conversation: Option<String>,
    /// Continue with what is added to the conversation, as `show` does
    #[arg(long, requires = "conversation")]
    pub(crate) follow: bool,
}

/// The subcommands of `silcrow log`.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum LogCommand {
    /// List the conversations, the most recently changed first
    List(LogListArgs),
    /// Show the events of a conversation
    Show {
        /// Its id
        conversation: String,
        /// Continue with what is added to it, also by later runs, until Ctrl-C
        #[arg(long)]
        follow: bool,
    },
    /// Find messages and answers by words: those with the most words first, then the newest
    Search {
        /// Words or parts of words
        #[arg(required = true)]
        words: Vec<String>,
        /// Leave out this conversation, and what its calls ran
        #[arg(long, value_name = "ID")]
        except: Option<String>,
        /// Only in the conversations of this user
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// The largest number of results
        #[arg(long, value_name = "N", default_value = "10")]
        limit: NonZeroUsize,
    },
    /// Write a conversation for people, or a conversation or the whole store as JSON Lines
    Export {
        /// The conversation [default: all, and all values]
        conversation: Option<String>,
        /// The form: Markdown, one HTML file, its events as `show --json` prints them, or a trace of
        /// OpenTelemetry [default: what `import` reads]
        #[arg(long, value_enum)]
        format: Option<ExportFormat>,
        /// The same as --format otlp: a trace of OpenTelemetry, as protobuf
        #[arg(long, conflicts_with = "format")]
        otlp: bool,
        /// With messages, arguments and results in the trace
        #[arg(long)]
        contents: bool,
        /// Send the trace to the collector of your settings, which OTEL_EXPORTER_OTLP_ENDPOINT or
        /// otlp_endpoint names
        #[arg(long, conflicts_with = "output")]
        send: bool,
        /// The file to write [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Write a report about a fault: versions, settings without secrets, and the conversation
    ///
    /// Secrets that are known are masked. Read the report before you send it.
    Report {
        /// Its id
        conversation: String,
        /// With what tools read and wrote, such as the contents of files
        #[arg(long)]
        contents: bool,
        /// The file to write [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Give a conversation a name, which the list shows in place of its first prompt
    Rename {
        /// Its id
        conversation: String,
        /// The name
        title: String,
    },
    /// Add the conversations of an export, and keep what already exists
    ///
    /// An export may come from anybody, so nothing of it runs here: only its events are imported,
    /// calls without a result are answered as not started, and the conversation is marked as
    /// imported. Values, such as a relic's, are left out and counted. A line may be up to
    /// 128 MiB long.
    Import {
        /// The export; `-` is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
        /// I made this export myself, to move a store: import its values too, and continue its
        /// conversations as if they were written here. What was allowed for a conversation still
        /// has to be allowed again
        #[arg(long)]
        own: bool,
    },
    /// Begin a conversation with the history of another one, and print the id of the new one
    ///
    /// The other conversation stays as it is, and either can be deleted. A call without a result in
    /// that history gets one: its outcome is unknown, and it is not run here. What was allowed for
    /// the other conversation has to be allowed again.
    Fork {
        /// The id of the other one
        conversation: String,
        /// The last event of the shared history, as `silcrow log show` numbers them [default: all]
        #[arg(long, value_name = "SEQ")]
        at: Option<u64>,
        /// The id of the new one [default: a new id]
        #[arg(long = "as", value_name = "NEWID")]
        named: Option<String>,
    },
    /// Compare two conversations: what they share at first, and where they part
    ///
    /// `=` marks events that are in both, `<` events of A and `>` events of B. Times, ids and
    /// positions do not count.
    Diff {
        /// The id of the one
        a: String,
        /// The id of the other
        b: String,
    },
    /// Read everything and report what is damaged
    Verify,
    /// Write what is whole of a damaged store to new files, and report what is not; the damaged
    /// files are kept
    Mend,
    /// Rewrite the store's files to free the space of what was deleted
    Compact,
    /// Copy the store to an empty folder, beside runs that are at work
    ///
    /// The copy is a store: `--store DIR` uses it. It has everything that was stored at one moment,
    /// with long outputs and what is kept to undo changes of files.
    Backup {
        /// The folder of the copy, which is empty or does not exist
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Remove a conversation and what belongs to it: values, the conversations of its calls, long
    /// outputs, and what is kept to undo its changes of files
    Delete {
        /// Its id
        conversation: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// Which conversations are listed.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct LogListArgs {
    /// Only this user's conversations
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Also the conversations of agents, workflows and models that calls ran
    #[arg(long)]
    pub(crate) all: bool,
    /// Only conversations whose last run worked in this folder [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<Option<PathBuf>>,
    /// The largest number of conversations
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<NonZeroUsize>,
    /// The place where the list before ended, which it says if there are more than --limit
    #[arg(long, value_name = "PLACE")]
    pub(crate) after: Option<String>,
}

/// The form of an exported conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    Md,
    Html,
    Jsonl,
    Otlp,
    OtlpJson,
}
