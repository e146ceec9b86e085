//! Commands of the person's own in a chat: skills and prompt commands, by their names.

use silcrow_console::attend::lock;
use silcrow_session::SessionSkills;
use silcrow_term::{Line, Style, TextRole};

use super::said::MOST_COLUMNS;
use super::{ChatSession, SessionStep};
use crate::error::Error;

/// Splits a line into the name of a command, without its slash, and its words.
fn parts(line: &str) -> (&str, &str) {
    let line = line.trim_start_matches('/');
    line.split_once(char::is_whitespace).unwrap_or((line, ""))
}

/// Returns whether a line begins with the name of a skill or of a prompt command.
pub(super) fn is_own(skills: &SessionSkills, line: &str) -> bool {
    skills.has(parts(line).0)
}

/// Returns the names of all skills and prompt commands, each with a few words about it.
pub(super) fn own_names(skills: &SessionSkills) -> impl Iterator<Item = (String, String)> {
    let named = skills.prompts().into_iter();
    let named = named.map(|prompt| (format!("/{}", prompt.name), prompt.about.to_owned()));
    named.collect::<Vec<_>>().into_iter()
}

impl ChatSession {
    /// Runs the agent on the prompt of a command, or with the instructions of a skill.
    pub(super) async fn run_named(&mut self, line: &str) -> Result<SessionStep, Error> {
        self.be_ready().await?;
        let (name, words) = parts(line);
        let skills = self.session.skills().clone();
        let (root, servers) = (&self.args.session.root, &self.args.session.servers);
        let mut draft = skills.draft(name, words, root, servers)?;
        draft.add(self.own.drain(..));
        draft.add(self.pasted.drain());
        self.hook_prompt(line, &mut draft).await?;
        if let Some(lines) = &mut self.lines {
            lines.set_last(Some(line));
        }
        let expanded = draft.build()?;
        self.run_expanded(line, expanded).await
    }

    /// Lists the skills and the prompt commands.
    pub(super) fn show_skills(&self) {
        let skills = self.session.skills();
        let mut lines: Vec<_> = own_names(skills)
            .map(|(name, about)| {
                let line = Line::styled(&format!("{name:<24} "), Style::new(TextRole::Accent));
                line.with_text(&about, Style::PLAIN).shortened(MOST_COLUMNS)
            })
            .collect();
        let more = "silcrow help skills says where yours are looked for";
        lines.push(Line::styled(more, Style::PLAIN.dim()));
        lock(&self.screen).show_lines(&lines);
    }
}
