//! The command of a session that lists, shows and stops background commands.

use silcrow_console::attend::lock;
use silcrow_console::quantity::elapsed;
use silcrow_shell::ListedProcess;
use silcrow_term::{Line, Style, TextRole};

use super::ChatSession;
use crate::error::Error;

impl ChatSession {
    /// Carries out `/ps`: no argument lists, an id shows the last output, and `stop` with an id or
    /// `all` stops.
    pub(super) async fn processes(&mut self, words: &[&str]) -> Result<(), Error> {
        let listed = self.session.processes().list(&self.conversation);
        let stopped = stop_processes(&listed, words)?;
        for one in &stopped {
            // It may have ended meanwhile.
            if self.session.processes().stop(&self.conversation, &one.id).await {
                self.say(&format!("{} is stopped: {}", one.id, one.command));
            }
        }
        if stopped.is_empty() {
            lock(&self.screen).show_lines(&process_lines(&listed, words)?);
        }
        Ok(())
    }
}

/// Returns the commands that the words of `/ps` stop, if they stop any.
pub(super) fn stop_processes(
    listed: &[ListedProcess],
    words: &[&str],
) -> Result<Vec<ListedProcess>, Error> {
    Ok(match words {
        ["stop"] => return Err(Error::given("name a command, as in /ps stop p1 or /ps stop all")),
        ["stop", "all"] => listed.iter().filter(|one| one.ended.is_none()).cloned().collect(),
        ["stop", id] => vec![find(listed, id)?.clone()],
        _ => Vec::new(),
    })
}

/// Returns the lines for the arguments of `/ps`.
pub(super) fn process_lines(listed: &[ListedProcess], words: &[&str]) -> Result<Vec<Line>, Error> {
    match words {
        [] | ["stop", "all"] if listed.is_empty() => {
            Ok(vec![Line::styled("nothing runs in the background", Style::PLAIN.dim())])
        }
        [] | ["stop", "all"] => Ok(listed.iter().flat_map(row).collect()),
        [id] => {
            let found = find(listed, id)?;
            let output = found.output.iter().map(|line| shown(line, Style::PLAIN));
            let mut lines: Vec<_> = row(found).into_iter().take(1).chain(output).collect();
            if found.output.is_empty() {
                lines.push(Line::styled("  it has written nothing", Style::PLAIN.dim()));
            }
            Ok(lines)
        }
        _ => Err(Error::given("use /ps, /ps ID, /ps stop ID or /ps stop all")),
    }
}

fn find<'l>(listed: &'l [ListedProcess], id: &str) -> Result<&'l ListedProcess, Error> {
    listed.iter().find(|one| one.id == id).ok_or_else(|| {
        let ids: Vec<_> = listed.iter().map(|one| &*one.id).collect();
        Error::given(match &ids[..] {
            [] => "nothing runs in the background".to_owned(),
            ids => format!("unknown background command {id}; use one of {}", ids.join(", ")),
        })
    })
}

/// Returns the rows of a command: its age and its text, and the last line that it wrote.
fn row(one: &ListedProcess) -> Vec<Line> {
    let state = match &one.ended {
        None => elapsed(one.age),
        Some(ended) => ended.clone(),
    };
    let line = Line::styled(&format!("{:<4}", one.id), Style::new(TextRole::Accent).bold());
    let line = line.with_text(&format!(" {state}  "), Style::PLAIN.dim());
    let command = one.command.replace('\n', "⏎");
    let mut rows = vec![line.with_text(&command, Style::PLAIN)];
    rows.extend(one.output.last().map(|last| shown(last, Style::PLAIN.dim())));
    rows
}

/// Returns a line of output as a terminal would have left it, after carriage returns.
fn shown(text: &str, style: Style) -> Line {
    let end = text.trim_end_matches('\r');
    let last = end.rsplit('\r').next().unwrap_or_default();
    Line::styled("  ", Style::PLAIN).with_text(last, style)
}
