//! Runs the slash commands of a session.

use std::ffi::OsString;

use crossterm::clipboard::CopyToClipboard;
use crossterm::execute;
use silcrow_console::attend::lock;
use silcrow_console::options::Thoughts;
use silcrow_history::{ConversationOwner, Conversations};
use silcrow_session::{StorePlace, new_conversation, user};

use super::help::{cost_line, help_lines};
use super::own_prompts::is_own;
use super::{ChatSession, SessionStep, SlashCommand, quiet};
use crate::error::Error;

impl ChatSession {
    /// Carries out a slash command.
    pub(super) async fn command(&mut self, line: &str) -> Result<SessionStep, Error> {
        let is_own = is_own(self.session.skills(), line);
        if !is_own && line.split_whitespace().next().is_some_and(|name| name.contains(':')) {
            return self.server_prompt(line).await;
        }
        let (command, words) = match SlashCommand::parse(line) {
            Ok(parsed) => parsed,
            Err(_) if is_own => return self.run_named(line).await,
            Err(close) => return Err(Error::given(SlashCommand::unknown(line, &close))),
        };
        let first = words.first().copied();
        match (command, first) {
            (SlashCommand::Exit, _) => return Ok(SessionStep::Leave),
            (SlashCommand::Help, _) => {
                let lines = help_lines(&self.servers);
                lock(&self.screen).show_lines(&lines);
            }
            (SlashCommand::Stop, _) => self.say("nothing runs; /ps lists background commands"),
            (SlashCommand::Model, None) => self.pick_model().await?,
            (SlashCommand::Model, Some(name)) => self.choose_model(name).await?,
            (SlashCommand::Effort, word) => self.effort(word).await?,
            (SlashCommand::Dialect, None) => {
                let dialect = self.args.session.dialect;
                self.say(&format!("{dialect}; the others are sigil, phase and action"));
            }
            (SlashCommand::Dialect, Some(name)) => {
                let dialect = name.parse().map_err(|_| {
                    Error::given(format!("unknown dialect {name}; use sigil, phase or action"))
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
                self.conversation = Conversations::resolve(&*store, id, own).await?;
                self.forget_prompt();
                self.say(&format!("conversation {}", self.conversation));
                self.show_resumed().await?;
            }
            (SlashCommand::Resume, None) => {
                let before = self.conversation.clone();
                self.pick().await?;
                if self.conversation != before {
                    self.forget_prompt();
                    self.show_resumed().await?;
                }
            }
            (SlashCommand::Attach, id) => return self.attach(id).await,
            (SlashCommand::Handover, _) => self.hand_over_later(&words)?,
            (SlashCommand::Image, _) => self.attach_image(line).await?,
            (SlashCommand::Skills, _) => self.show_skills(),
            (SlashCommand::Hooks, _) => self.show_hooks(),
            (SlashCommand::Rewind, _) => self.rewind(&words).await?,
            (SlashCommand::Redo, _) => {
                let id = self.conversation.clone();
                self.dispatch(&["undo", &id, "--redo"]).await?;
            }
            (SlashCommand::Retry, _) => return self.retry().await,
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
                return Err(Error::given("give the title, as in /rename Notes about dates"));
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
            (SlashCommand::Agents, _) => self.show_subagents(&words).await?,
            (SlashCommand::Processes, _) => self.processes(&words).await?,
            (SlashCommand::Allow, None) => {
                return Err(Error::given("name the tool, as in /allow file_write"));
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
                    Error::given(format!("{how} is not a way; use brief, full or off"))
                })?;
                lock(&self.screen).set_thoughts(thoughts);
            }
            (SlashCommand::Cost, _) => {
                let line = cost_line(&lock(&self.screen));
                self.say(&line);
            }
            (SlashCommand::Context, _) => self.show_context().await?,
            (SlashCommand::Compact, _) => self.compact(&words).await?,
            (SlashCommand::Copy, _) => self.copy(),
        }
        lock(&self.screen).draw();
        Ok(SessionStep::Continue)
    }

    pub(super) fn forget_prompt(&mut self) {
        if let Some(lines) = &mut self.lines {
            lines.set_last(None);
        }
    }

    /// Copies the last answer, by the escape sequence that terminals have for it.
    fn copy(&self) {
        let answer = lock(&self.screen).last_answer().to_owned();
        if answer.is_empty() {
            return self.say("no answer yet");
        }
        let copied = execute!(std::io::stderr(), CopyToClipboard::to_clipboard_from(answer));
        match copied {
            Ok(()) => self.say("copied, if the terminal allows it"),
            Err(_) => self.say("the terminal is gone"),
        }
    }

    /// Runs another command of the program with this session's store and root.
    pub(super) async fn dispatch(&mut self, words: &[&str]) -> Result<(), Error> {
        let Some(run_command) = self.run_command.clone() else {
            return Err(Error::given("this program has no command for that"));
        };
        let mut line: Vec<_> = words.iter().map(OsString::from).collect();
        match self.session.place() {
            _ if words[0] == "tools" => {}
            StorePlace::Memory => {
                return Err(Error::given("a conversation in memory has no commands for its log"));
            }
            place => line.extend(["--store".into(), place.word()]),
        }
        // The command may ask something.
        self.quiet = None;
        let done = tokio::task::spawn_blocking(move || run_command(line)).await;
        self.quiet = quiet(self.owns_terminal)?;
        done.unwrap_or_else(|error| Err(error.to_string())).map_err(Error::failed)
    }
}
