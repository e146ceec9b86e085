//! The treatment of lines that a person sends while the agent works.
//!
//! A command never reaches the model. Commands that only show or stop something are done at once;
//! commands that change the conversation wait until the run is over.

use std::sync::{Arc, Mutex};

use silcrow_console::attend::{SentLine, lock};
use silcrow_console::handover::Handover;
use silcrow_console::live::LiveScreen;
use silcrow_policy::PermissionMode;
use silcrow_session::servers::RunServers;
use silcrow_session::{SessionMode, SessionSkills};
use silcrow_shell::ShellProcesses;
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;
use super::handover::{HandoverServers, HandoverWish};
use super::help::{cost_line, help_lines};
use super::own_prompts::is_own;
use super::ps::{process_lines, stop_processes};
use super::slash::{SlashCommand, is_command};
use super::subagents::ConversationAgents;

/// The parts that the commands of a run use.
struct RunCommands {
    screen: Arc<Mutex<LiveScreen>>,
    servers: RunServers,
    mode: SessionMode,
    processes: ShellProcesses,
    subagents: Arc<ConversationAgents>,
    conversation: String,
    model: String,
    skills: SessionSkills,
    handover: Handover,
    servers_beside: HandoverServers,
}

impl ChatSession {
    /// Sets the meaning of lines for the next run.
    pub(super) fn listen_for_commands(&mut self) {
        let commands = RunCommands {
            screen: Arc::clone(&self.screen),
            servers: self.servers.clone(),
            mode: self.session.mode().clone(),
            processes: self.session.processes().clone(),
            subagents: Arc::new(self.subagents(true)),
            conversation: self.conversation.clone(),
            model: self.model.clone(),
            skills: self.session.skills().clone(),
            handover: self.interruption.handover().clone(),
            servers_beside: self.handover_servers(),
        };
        self.runs.set_commands(move |line| commands.take(line));
    }
}

impl RunCommands {
    /// Carries out a line, unless it is a message or has to wait.
    fn take(&self, line: &str) -> SentLine {
        let line = line.trim();
        if line.starts_with('!') && !line.contains('\n') {
            return self.wait(line);
        }
        if !is_command(line) {
            return SentLine::Message;
        }
        let is_of_server = line.split_whitespace().next().is_some_and(|name| name.contains(':'));
        if is_of_server || SlashCommand::parse(line).is_err() && is_own(&self.skills, line) {
            return self.wait(line);
        }
        let (command, words) = match SlashCommand::parse(line) {
            Ok(parsed) => parsed,
            Err(close) => {
                let failure = Line::styled("error", Style::new(TextRole::Failure).bold());
                let why = format!(": {}", SlashCommand::unknown(line, &close));
                return self.show(&[failure.with_text(&why, Style::PLAIN)]);
            }
        };
        match (command, &*words) {
            (SlashCommand::Stop, _) => SentLine::Stop,
            (SlashCommand::Exit, _) => SentLine::Leave,
            (SlashCommand::Help, _) => self.show(&help_lines(&self.servers)),
            (SlashCommand::Cost, _) => {
                let used = cost_line(&lock(&self.screen));
                self.say(&used)
            }
            (SlashCommand::Thoughts, []) => {
                lock(&self.screen).open_thought();
                SentLine::Done
            }
            (SlashCommand::Model, []) => self.say(&self.model),
            (SlashCommand::Agents, words) => self.agents(words),
            (SlashCommand::Processes, words) => self.processes(words),
            (SlashCommand::Handover, words) => self.hand_over(words),
            (SlashCommand::Permissions, []) => {
                let mode = self.mode.mode();
                self.say(&format!("permissions {mode}: {}", mode.description()))
            }
            (SlashCommand::Permissions, [named]) => match named.parse::<PermissionMode>() {
                // The widest one takes a yes.
                Ok(PermissionMode::Full) => self.wait(line),
                Ok(mode) => self.set_mode(mode),
                Err(error) => self.say(&error.to_string()),
            },
            _ => self.wait(line),
        }
    }

    fn hand_over(&self, words: &[&str]) -> SentLine {
        let wished = HandoverWish::parse(words).and_then(|wish| {
            let said = self.servers_beside.wish(wish, &self.handover)?;
            Ok((wish, said))
        });
        match wished {
            Ok((wish, said)) => {
                self.say(&said);
                if wish == HandoverWish::Now { SentLine::HandOver } else { SentLine::Done }
            }
            Err(failure) => self.say(failure.message()),
        }
    }

    fn set_mode(&self, mode: PermissionMode) -> SentLine {
        match self.mode.set(mode) {
            Ok(()) => {
                lock(&self.screen).set_mode(mode);
                self.say(&format!("permissions {mode}: {}", mode.description()))
            }
            Err(error) => self.say(&error.to_string()),
        }
    }

    /// Shows or stops agents. Their logs are read beside the run.
    fn agents(&self, words: &[&str]) -> SentLine {
        let (subagents, screen) = (Arc::clone(&self.subagents), Arc::clone(&self.screen));
        let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
        tokio::spawn(async move {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let shown = subagents.lines(&words).await;
            let mut screen = lock(&screen);
            match shown {
                Ok(lines) => screen.show_lines(&lines),
                Err(failure) => screen.show_line(failure.message()),
            }
        });
        SentLine::Done
    }

    fn processes(&self, words: &[&str]) -> SentLine {
        let listed = self.processes.list(&self.conversation);
        match (words, stop_processes(&listed, words)) {
            (_, Ok(stopped)) if !stopped.is_empty() => {
                let (processes, conversation) = (self.processes.clone(), self.conversation.clone());
                let screen = Arc::clone(&self.screen);
                tokio::spawn(async move {
                    for one in stopped {
                        if processes.stop(&conversation, &one.id).await {
                            let line = format!("{} is stopped: {}", one.id, one.command);
                            lock(&screen).show_line(&line);
                        }
                    }
                });
                SentLine::Done
            }
            (_, Err(failure)) => self.say(failure.message()),
            (words, Ok(_)) => match process_lines(&listed, words) {
                Ok(lines) => self.show(&lines),
                Err(failure) => self.say(failure.message()),
            },
        }
    }

    fn wait(&self, line: &str) -> SentLine {
        let name = line.split_whitespace().next().unwrap_or(line);
        self.say(&format!("{name} waits until the run is over; Esc stops the run"));
        SentLine::AfterRun
    }

    fn say(&self, line: &str) -> SentLine {
        lock(&self.screen).show_line(line);
        SentLine::Done
    }

    fn show(&self, lines: &[Line]) -> SentLine {
        lock(&self.screen).show_lines(lines);
        SentLine::Done
    }
}
