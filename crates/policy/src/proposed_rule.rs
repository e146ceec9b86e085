//! The rule that a person may keep after a question: it allows exactly the asked call, in one
//! folder.
//!
//! This module decides which calls a rule can name, and writes the rule. It writes no file.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use silcrow_event::{Grant, Grants};

use crate::call_doors::CallDoors;
use crate::command::is_harmless;
use crate::facts::{CallEffect, CallFacts, FILE_TOOLS};
use crate::pattern::host_of;

/// A rule that allows calls like one that a person was asked about, in one folder.
///
/// [`Policy::propose`](crate::Policy::propose) makes it. Its `Display` describes the calls that it
/// allows, without the folder; the text may contain words of a model.
///
/// ```
/// use silcrow_policy::{Confinement, PermissionMode, Policy, PolicyFile, PolicyOwner};
/// use silcrow_tool::{PermissionRequest, Preview, ToolPolicy};
///
/// let policy = Policy::new(PermissionMode::Ask)
///     .with_confinement(Confinement::FilesAndNetwork)
///     .with_root("/home/ada/app");
/// let preview = Preview::new("notes.md").with_target("notes.md");
/// let args = r#"{"file":"notes.md","content":"Hello."}"#;
/// let request = PermissionRequest::new("file_write", args, ToolPolicy::default(), &preview);
/// let rule = policy.propose(&request).expect("a file can be named");
/// assert!(rule.to_string().contains("notes.md"), "{rule}");
/// // The rule is text for a file of the person, which is read like any other.
/// let file = PolicyFile::parse("policy.toml", &rule.to_toml(), PolicyOwner::Person);
/// assert!(file.is_ok(), "{file:?}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedRule {
    tool: String,
    subject: RuleSubject,
    root: String,
    /// The time limit of a command: seconds, or `None` for a tool that does not declare it.
    time: Option<CommandTime>,
    without_sandbox: bool,
    /// The doors that the call asks for, and that its words do not need.
    grants: Grants,
    /// All doors that open for such a call, for the person.
    opens: Grants,
}

/// The time limit of a command of a proposed rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandTime {
    /// Until it is stopped, in the background.
    Background,
    /// At most this many seconds, if the tool declares a limit.
    Limited(Option<u64>),
}

/// The subject of a proposed rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleSubject {
    /// These commands, each as the words that it has.
    Commands(Vec<Vec<String>>),
    /// These commands with any further words, each as a pattern.
    Prefixes(Vec<String>),
    /// This path.
    Path(String),
    /// All files.
    AllFiles,
    /// This host.
    Host(String),
}

impl ProposedRule {
    /// Returns the rule about a call in a folder, if the call is one that a rule can name.
    pub(crate) fn about(call: &CallFacts<'_>, doors: &CallDoors, root: &str) -> Option<Self> {
        if call.request.preview.risk.is_some() || doors.asked.covers(&Grant::Outside) {
            return None;
        }
        let subject = match call.effect() {
            CallEffect::Command => RuleSubject::Commands(commands(call)?),
            CallEffect::ChangesFiles => RuleSubject::Path(path(call)?),
            CallEffect::SendsOut if WEB_TOOLS.contains(&call.request.tool) => {
                RuleSubject::Host(call.target().and_then(host_of)?)
            }
            _ => return None,
        };
        Some(Self::new(call, doors, subject, root))
    }

    /// Returns the rule about more than this call: these patterns of commands, or all files.
    pub(crate) fn wider(
        call: &CallFacts<'_>,
        doors: &CallDoors,
        patterns: Option<Vec<String>>,
        root: &str,
    ) -> Option<Self> {
        let subject = match (call.effect(), patterns) {
            (CallEffect::ChangesFiles, _) => RuleSubject::AllFiles,
            (CallEffect::Command, Some(patterns)) => RuleSubject::Prefixes(patterns),
            _ => return None,
        };
        Some(Self::new(call, doors, subject, root))
    }

    fn new(call: &CallFacts<'_>, doors: &CallDoors, subject: RuleSubject, root: &str) -> Self {
        let without_sandbox = call.command.is_some() && call.request.policy.sends_out;
        let time = match &subject {
            RuleSubject::Commands(_) | RuleSubject::Prefixes(_) if call.continues() => {
                Some(CommandTime::Background)
            }
            RuleSubject::Commands(_) | RuleSubject::Prefixes(_) => {
                Some(CommandTime::Limited(call.time_limit().map(seconds)))
            }
            _ => None,
        };
        let by_words = doors.by_words.clone().union(doors.ports.clone());
        let (grants, opens) = (by_words.missing(&doors.asked), doors.needed());
        let (tool, root) = (call.request.tool.to_owned(), root.to_owned());
        Self { tool, subject, root, time, without_sandbox, grants, opens }
    }

    /// Returns the rule as a table of a policy file.
    pub fn to_toml(&self) -> String {
        let tool = match &self.subject {
            RuleSubject::AllFiles => format!("{{{}}}", FILE_TOOLS.join(",")),
            _ => glob_escaped(&self.tool),
        };
        let tool = quoted(&tool);
        let (field, patterns) = match &self.subject {
            RuleSubject::Commands(commands) => {
                ("command", commands.iter().map(|words| pattern(words)).collect())
            }
            RuleSubject::Prefixes(patterns) => ("command", patterns.clone()),
            RuleSubject::AllFiles => ("path", vec!["**".to_owned()]),
            RuleSubject::Path(path) => ("path", vec![glob_escaped(path)]),
            RuleSubject::Host(host) => ("host", vec![host.clone()]),
        };
        let patterns: Vec<_> = patterns.iter().map(|pattern| quoted(pattern)).collect();
        let patterns = listed(&patterns);
        let grants: Vec<_> = self.grants.iter().map(|door| quoted(&door.to_string())).collect();
        let grants = match &grants[..] {
            [] => String::new(),
            grants => format!("grants = {}\n", listed(grants)),
        };
        let root = quoted(&self.root);
        let sandbox = if self.without_sandbox { "without_sandbox = true\n" } else { "" };
        let time = match self.time {
            Some(CommandTime::Background) => "background = true\n".to_owned(),
            Some(CommandTime::Limited(Some(seconds))) => {
                format!("background = false\ntimeout = {seconds}\n")
            }
            Some(CommandTime::Limited(None)) => "background = false\n".to_owned(),
            None => String::new(),
        };
        format!(
            "[[rules]]\neffect = \"allow\"\ntool = {tool}\n{field} = {patterns}\nroot = {root}\n{time}{sandbox}{grants}"
        )
    }
}

impl Display for ProposedRule {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tool = &self.tool;
        match &self.subject {
            RuleSubject::Commands(_) | RuleSubject::Prefixes(_) => {
                let (exactly, commands) = match &self.subject {
                    RuleSubject::Commands(commands) => {
                        ("exactly ", commands.iter().map(|words| typed(words)).collect())
                    }
                    RuleSubject::Prefixes(patterns) => ("", patterns.clone()),
                    _ => ("", Vec::new()),
                };
                let network = if self.without_sandbox { ", also with the network" } else { "" };
                let commands = commands.join("` and `");
                let time = match self.time {
                    Some(CommandTime::Background) => ", in the background".to_owned(),
                    Some(CommandTime::Limited(Some(seconds))) => {
                        format!(", for at most {seconds} s")
                    }
                    _ => String::new(),
                };
                let doors = match self.opens.is_empty() {
                    true => String::new(),
                    false => format!(", with {}", self.opens),
                };
                write!(f, "{tool} runs {exactly}`{commands}`{time}{network}{doors}")
            }
            RuleSubject::AllFiles => f.write_str("all changes of files here"),
            RuleSubject::Path(path) => {
                write!(f, "{tool} changes `{path}` to any text")
            }
            RuleSubject::Host(host) => {
                write!(f, "{tool} fetches any page of {host}")
            }
        }
    }
}

/// Returns one value, or a list of several.
fn listed(values: &[String]) -> String {
    match values {
        [value] => value.clone(),
        values => format!("[{}]", values.join(", ")),
    }
}

/// Returns a time limit in whole seconds, rounded up.
const fn seconds(limit: Duration) -> u64 {
    limit.as_secs() + (limit.subsec_nanos() > 0) as u64
}

/// Returns the words of the commands that are not harmless, if all of the text is plain and the
/// shell replaces nothing in it.
fn commands(call: &CallFacts<'_>) -> Option<Vec<Vec<String>>> {
    let command = call.command.as_ref()?;
    let mut words = command.commands.iter().flat_map(|command| &command.words);
    let is_fixed = words.all(|word| !word.is_dynamic && word.glob.is_none());
    if !command.is_plain || !is_fixed || command.secret.is_some() {
        return None;
    }
    let rest = command.commands.iter().filter(|command| !is_harmless(command));
    let words = rest.map(|command| command.words.iter().map(|word| word.text.clone()).collect());
    let mut commands: Vec<Vec<_>> = words.collect();
    commands.dedup();
    if commands.is_empty() {
        // Each part is harmless, and yet the text was asked about.
        let words = |command: &crate::command::SimpleCommand| {
            command.words.iter().map(|word| word.text.clone()).collect()
        };
        commands = command.commands.iter().map(words).collect();
    }
    (!commands.is_empty()).then_some(commands)
}

/// Returns the path of the file that a call changes, if it is one file.
fn path(call: &CallFacts<'_>) -> Option<String> {
    let is_one = ONE_FILE_TOOLS.contains(&call.request.tool);
    call.target().filter(|target| is_one && !target.is_empty()).map(str::to_owned)
}

/// Returns the pattern that stands for exactly these words.
fn pattern(words: &[String]) -> String {
    let escaped: Vec<_> = words.iter().map(|word| glob_escaped(word)).collect();
    typed(&escaped)
}

/// Returns words as a person types them.
fn typed(words: &[String]) -> String {
    let is_plain = |word: &String| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:=@%+,".contains(&byte);
        !word.is_empty() && word.bytes().all(plain)
    };
    let words = words.iter().map(|word| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the pattern that stands for exactly this text.
fn glob_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// Returns the text as a string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            char if char.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(char))),
            char => out.push(char),
        }
    }
    out + "\""
}

/// The tools that fetch pages, whose targets are URLs.
const WEB_TOOLS: [&str; 1] = ["web_scrape"];

/// The tools whose target is one file.
const ONE_FILE_TOOLS: [&str; 2] = ["file_write", "file_edit"];
