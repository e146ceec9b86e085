//! What the slash commands of a session do.

use std::ffi::OsString;

use clap::Parser as _;
use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use silcrow_console::attend::lock;
use silcrow_console::cost;
use silcrow_console::options::Thoughts;
use silcrow_session::{ForkName, user};
use silcrow_term::{Line, Style, TextRole};

use super::server_prompts::{self, command_name};
use super::stored_prompts::stored_prompts;
use super::{ChatSession, SessionStep, SlashCommand, quiet};
use crate::args::Args;
use crate::conversation::{ConversationOwner, resolved};
use crate::failure::Failure;
use crate::model;
use crate::places::{StorePlace, new_conversation};
use crate::stored_head::stored_head;

impl ChatSession {
    /// Does what a slash command says.
    pub(super) async fn command(&mut self, line: &str) -> Result<SessionStep, Failure> {
        if line.split_whitespace().next().is_some_and(|name| name.contains(':')) {
            return self.server_prompt(line).await;
        }
        let (command, words) = match SlashCommand::parse(line) {
            Ok(parsed) => parsed,
            Err(close) => {
                let name = line.split_whitespace().next().unwrap_or(line);
                let hint = match &*close {
                    [] => "/help shows the commands".to_owned(),
                    names => format!("did you mean {}?", names.join(" or ")),
                };
                return Err(Failure::given(format!("there is no command {name}; {hint}")));
            }
        };
        let first = words.first().copied();
        match (command, first) {
            (SlashCommand::Exit, _) => return Ok(SessionStep::Leave),
            (SlashCommand::Help, _) => self.help(),
            (SlashCommand::Model, None) => {
                let name = model::name(self.args.session.model.as_deref());
                self.say(&format!("{name}; silcrow models lists others"));
            }
            (SlashCommand::Model, Some(name)) => {
                let before = self.args.session.model.replace(name.to_owned());
                if let Err(failure) = self.make_again().await {
                    self.args.session.model = before;
                    return Err(failure);
                }
                self.say(&format!("the model is {name} from the next prompt on"));
            }
            (SlashCommand::Dialect, None) => {
                let dialect = self.args.session.dialect;
                self.say(&format!("{dialect}; the others are sigil, phase and action"));
            }
            (SlashCommand::Dialect, Some(name)) => {
                let dialect = name.parse().map_err(|_| {
                    Failure::given(format!("{name} is no dialect; use sigil, phase or action"))
                })?;
                let before = std::mem::replace(&mut self.args.session.dialect, dialect);
                if let Err(failure) = self.make_again().await {
                    self.args.session.dialect = before;
                    return Err(failure);
                }
                self.say(&format!("the dialect is {name} from the next prompt on"));
            }
            (SlashCommand::New, _) => {
                self.conversation = new_conversation();
                self.forget_prompt();
                self.say(&format!("new conversation {}", self.conversation));
            }
            (SlashCommand::Resume, Some(id)) => {
                let user = user(self.args.session.user.as_deref())?;
                let own = ConversationOwner::Just(user.as_deref());
                self.finish_reading().await?;
                let store = self.session.store();
                self.conversation = resolved(&*store, id, own).await?;
                self.forget_prompt();
                self.say(&format!("conversation {}", self.conversation));
            }
            (SlashCommand::Resume, None) => {
                self.pick().await?;
                self.forget_prompt();
            }
            (SlashCommand::Fork, number) => self.fork(number).await?,
            (SlashCommand::Log, _) => {
                let id = self.conversation.clone();
                self.dispatch(&[&["log", "show", &id][..], &words].concat()).await?;
            }
            (SlashCommand::Diff, _) => {
                let id = self.conversation.clone();
                self.dispatch(&[&["diff", &id][..], &words].concat()).await?;
            }
            (SlashCommand::Undo, _) => {
                let id = self.conversation.clone();
                self.dispatch(&[&["undo", &id][..], &words].concat()).await?;
            }
            (SlashCommand::Rename, None) => {
                return Err(Failure::given("give the title, as in /rename Notes about dates"));
            }
            (SlashCommand::Rename, Some(_)) => {
                let id = self.conversation.clone();
                self.dispatch(&["log", "rename", &id, &words.join(" ")]).await?;
            }
            (SlashCommand::Export, format) => {
                let id = self.conversation.clone();
                let mut line = vec!["log", "export", &*id, "--format", format.unwrap_or("md")];
                if let Some(file) = words.get(1) {
                    line.extend(["--output", file]);
                }
                self.dispatch(&line).await?;
            }
            (SlashCommand::Tools, _) => self.dispatch(&[&["tools"][..], &words].concat()).await?,
            (SlashCommand::Permissions, named) => self.permissions(named).await?,
            (SlashCommand::Processes, _) => self.processes(&words).await?,
            (SlashCommand::Allow, None) => {
                return Err(Failure::given("name the tool, as in /allow file_write"));
            }
            (SlashCommand::Allow, Some(tool)) => {
                self.args.session.allow.push(tool.to_owned());
                if let Err(failure) = self.make_again().await {
                    self.args.session.allow.pop();
                    return Err(failure);
                }
                self.say(&format!("{tool} runs without a question until this session ends"));
            }
            (SlashCommand::Thoughts, None) => lock(&self.screen).open_thought(),
            (SlashCommand::Thoughts, Some(how)) => {
                let thoughts = how.to_ascii_lowercase().parse::<Thoughts>();
                let thoughts = thoughts.map_err(|_| {
                    Failure::given(format!("{how} is not a way; use brief, full or off"))
                })?;
                lock(&self.screen).set_thoughts(thoughts);
            }
            (SlashCommand::Cost, _) => {
                let (used, cost) = {
                    let screen = lock(&self.screen);
                    (screen.used(), screen.cost())
                };
                let facts = [cost::usage_line(&used)].into_iter().chain(cost);
                self.say(&facts.collect::<Vec<_>>().join(", "));
            }
            (SlashCommand::Context, _) => self.show_context().await?,
            (SlashCommand::Compact, _) => self.compact(&words).await?,
            (SlashCommand::Copy, _) => self.copy(),
        }
        lock(&self.screen).draw();
        Ok(SessionStep::Continue)
    }

    /// Takes the last prompt back: the conversation continues in a fork that ends before it.
    pub(super) async fn step_back(&mut self) -> Result<(), Failure> {
        let prompts = stored_prompts(&*self.session.store(), &self.conversation).await?;
        match prompts.last() {
            Some((seq, _)) if *seq > 1 => self.fork_at(seq - 1).await,
            // The first prompt is taken back: the conversation begins again.
            Some(_) => {
                self.conversation = new_conversation();
                self.say(&format!("new conversation {}", self.conversation));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Lists the prompts, or continues in a fork.
    async fn fork(&mut self, number: Option<&str>) -> Result<(), Failure> {
        let prompts = stored_prompts(&*self.session.store(), &self.conversation).await?;
        if prompts.is_empty() {
            return Err(Failure::given("there is nothing to fork yet"));
        }
        let Some(number) = number else {
            let mut lines = Vec::new();
            for (index, (_, prompt)) in prompts.iter().enumerate() {
                let number = Line::styled(&format!("{:>3} ", index + 1), Style::PLAIN.bold());
                let first = prompt.trim().lines().next().unwrap_or_default();
                lines.push(number.with(first, Style::PLAIN).shortened(MOST_COLUMNS));
            }
            let keys = "/fork N continues from before prompt N; /fork end copies all of it";
            lines.push(Line::styled(keys, Style::PLAIN.dim()));
            lock(&self.screen).show_lines(&lines);
            return Ok(());
        };
        if number == "end" {
            let (_, head) = stored_head(&*self.session.store(), &self.conversation).await?;
            return self.fork_at(head).await;
        }
        let chosen = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let Some((seq, prompt)) = chosen.and_then(|index| prompts.get(index)) else {
            let most = prompts.len();
            return Err(Failure::given(format!(
                "{number} is not a prompt; use 1 to {most}, or end"
            )));
        };
        match seq {
            1 => {
                self.conversation = new_conversation();
                self.say(&format!("new conversation {}", self.conversation));
            }
            seq => self.fork_at(seq - 1).await?,
        }
        self.draft.clone_from(prompt);
        Ok(())
    }

    /// Continues in a fork that ends at an event.
    async fn fork_at(&mut self, seq: u64) -> Result<(), Failure> {
        let name = ForkName::new(&format!("{}@{seq}", self.conversation));
        let id = new_conversation();
        name.begin(&self.agent, &*self.session.store(), (&*id).into()).await?;
        let before = std::mem::replace(&mut self.conversation, id);
        self.say(&format!("conversation {}, a fork of {before}", self.conversation));
        Ok(())
    }

    fn forget_prompt(&mut self) {
        if let Some(editor) = &mut self.editor {
            editor.set_last(None);
        }
    }

    fn help(&self) {
        let mut lines = Vec::new();
        for help in &SlashCommand::ALL {
            let usage = format!("{} {}", help.name, help.args);
            let line = Line::styled(&format!("{usage:<32} "), Style::of(TextRole::Accent));
            lines.push(line.with(help.about, Style::PLAIN));
        }
        for prompt in self.servers.servers().prompts() {
            let usage = format!("{} {}", command_name(&prompt), server_prompts::usage(&prompt));
            let line = Line::styled(&format!("{usage:<32} "), Style::of(TextRole::Accent));
            lines.push(line.with(&prompt.about, Style::PLAIN).shortened(MOST_COLUMNS));
        }
        lines.push(Line::new());
        for (keys, about) in KEYS {
            let line = Line::styled(&format!("{keys:<32} "), Style::PLAIN.bold());
            lines.push(line.with(about, Style::PLAIN));
        }
        lock(&self.screen).show_lines(&lines);
    }

    /// Copies the last answer, by the escape sequence that terminals have for it.
    fn copy(&self) {
        let answer = lock(&self.screen).last_answer().to_owned();
        if answer.is_empty() {
            return self.say("there is no answer yet");
        }
        let copied = execute!(std::io::stderr(), CopyToClipboard::to_clipboard_from(answer));
        match copied {
            Ok(()) => self.say("copied, if the terminal allows it"),
            Err(_) => self.say("the terminal is gone"),
        }
    }

    /// Runs another command of `silcrow` with this session's store and root.
    async fn dispatch(&mut self, words: &[&str]) -> Result<(), Failure> {
        let mut line: Vec<OsString> = vec!["silcrow".into()];
        line.extend(words.iter().map(OsString::from));
        match self.session.place() {
            _ if words[0] == "tools" => {}
            StorePlace::Memory => {
                return Err(Failure::given("a conversation in memory has no commands for its log"));
            }
            place => line.extend(["--store".into(), place.word()]),
        }
        let parsed = Args::try_parse_from(line);
        let args = match parsed {
            Ok(args) => args,
            Err(error) => {
                let shown = error.render().to_string();
                return Err(Failure::given(shown.trim_start_matches("error: ").trim()));
            }
        };
        // The command may ask something.
        self.quiet = None;
        let run_command = self.run_command;
        let done = tokio::task::spawn_blocking(move || run_command(args));
        let done = done.await;
        self.quiet = quiet()?;
        done.unwrap_or_else(|error| Err(Failure::running(error.to_string())))
    }
}

/// The keys of a session.
const KEYS: [(&str, &str); 8] = [
    ("Enter", "send; while the agent works, send to it between two steps"),
    ("Alt-Enter, or \\ and Enter", "begin a new line"),
    ("Tab", "complete a command and its argument, or a file after @"),
    ("Shift-Tab", "change what runs unasked: ask, workspace, read-only"),
    ("Esc Esc", "take the last prompt back to edit it"),
    ("Ctrl-C", "stop the answer"),
    ("Ctrl-O", "show the last thought, while the agent works"),
    ("Ctrl-D", "leave"),
];

/// The number of columns of a prompt in a list.
const MOST_COLUMNS: usize = 76;
