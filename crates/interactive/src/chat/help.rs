//! The help of a session: its commands, its keys, and its usage.

use silcrow_console::cost;
use silcrow_console::live::LiveScreen;
use silcrow_event::Usage;
use silcrow_session::SessionSkills;
use silcrow_session::servers::RunServers;
use silcrow_term::{Line, Style, TextRole};

use super::said::MOST_COLUMNS;
use super::server_prompts::{self, command_name};
use super::slash::SlashCommand;

/// Returns the commands, the prompts of servers, and the keys.
pub(super) fn help_lines(servers: &RunServers) -> Vec<Line> {
    let mut lines = Vec::new();
    for help in &SlashCommand::ALL {
        let usage = format!("{} {}", help.name, help.args);
        let line = Line::styled(&format!("{usage:<32} "), Style::new(TextRole::Accent));
        lines.push(line.with_text(help.about, Style::PLAIN));
    }
    for (name, about) in SessionSkills::built_in() {
        let line =
            Line::styled(&format!("{:<32} ", format!("/{name}")), Style::new(TextRole::Accent));
        lines.push(line.with_text(about, Style::PLAIN));
    }
    for prompt in servers.servers().prompts() {
        let usage = format!("{} {}", command_name(&prompt), server_prompts::usage(&prompt));
        let line = Line::styled(&format!("{usage:<32} "), Style::new(TextRole::Accent));
        lines.push(line.with_text(&prompt.about, Style::PLAIN).shortened(MOST_COLUMNS));
    }
    lines.push(Line::new());
    for (keys, about) in KEYS {
        let line = Line::styled(&format!("{keys:<32} "), Style::PLAIN.bold());
        lines.push(line.with_text(about, Style::PLAIN));
    }
    lines
}

/// Returns the line about the usage of a session.
pub(super) fn cost_line(screen: &LiveScreen) -> String {
    let used = screen.used();
    if used == Usage::default() {
        return "this session has used nothing yet".to_owned();
    }
    let facts = [format!("this session: {}", cost::usage_line(&used))].into_iter();
    facts.chain(screen.cost()).collect::<Vec<_>>().join(", ")
}

/// The keys of a session.
const KEYS: [(&str, &str); 14] = [
    ("Enter", "send; while the agent works, send to it between two steps"),
    ("Alt-Enter, or \\ and Enter", "begin a new line"),
    ("/ or @", "show commands, or files, that have the letters typed after it"),
    ("!COMMAND", "run a command of yours; the agent reads its output with your next prompt"),
    ("Tab", "complete a command or a file; while the agent works, queue for after the run"),
    ("Shift-Tab", "change what runs unasked: ask, workspace, plan"),
    ("Up, Down; Ctrl-R", "earlier lines of this folder; search them"),
    ("Ctrl-G", "edit the line with your editor"),
    ("Ctrl-V", "add the picture of the clipboard to the prompt"),
    ("Ctrl-_", "take back the last change of the line"),
    ("Esc", "stop the answer"),
    ("Esc Esc", "clear the line; in an empty one, take the last prompt back to edit it"),
    ("Ctrl-O", "show the last thought, while the agent works"),
    ("Ctrl-D", "leave"),
];
