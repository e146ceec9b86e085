//! Shows the events of a run on a live screen.

use silcrow_event::{Entry, Event, HookEffect, RunEventRef, TextFragment, TextKind};
use silcrow_term::fit::shortened;
use silcrow_term::{Line, Style, TextRole};

use super::LiveScreen;
use super::about::about;
use super::answer::OpenAnswer;
use super::changes::changed_rows;
use super::inner_origin::InnerOrigin;
use super::section::{OpenText, ShownSection};
use super::thought::{OpenThought, ThoughtLook};
use crate::cost::summary_line;
use crate::instance::instance_prefix;
use crate::options::Detail;
use crate::told_error::is_for_person;

impl LiveScreen {
    /// Shows an event of a run.
    pub fn show(&mut self, output: RunEventRef<'_>) {
        self.status.hear();
        match output {
            RunEventRef::Text(text, _) if self.tokens => self.text(text),
            RunEventRef::CallText(piece, _) => {
                self.close();
                self.calls.write(piece);
            }
            RunEventRef::Call(transition, _) => self.calls.transition(transition),
            RunEventRef::Entry(entry) => self.entry(entry),
            _ => {}
        }
    }

    fn text(&mut self, text: TextFragment<'_>) {
        let is_new = self.open.as_ref().is_none_or(|open| open.part != text.part);
        if is_new {
            self.close();
            let columns = self.columns();
            let open = match text.kind {
                TextKind::Think => OpenText::Thought(OpenThought::new()),
                TextKind::Respond { .. } if self.piped.is_none() => {
                    if !self.last_answer.is_empty() {
                        self.last_answer.push('\n');
                    }
                    // The answer stands by itself, apart from the calls before it.
                    self.blank_line();
                    OpenText::Answer(Box::new(OpenAnswer::new(columns, self.signs.is_ascii())))
                }
                _ => OpenText::Hidden,
            };
            self.open = Some(ShownSection { part: text.part, text: open });
        }
        let columns = self.columns();
        let look = ThoughtLook { signs: &self.signs, columns, thoughts: self.thoughts };
        let lines = match &mut self.open {
            Some(ShownSection { text: OpenText::Thought(thought), .. }) => {
                thought.push(text.text, &look)
            }
            Some(ShownSection { text: OpenText::Answer(answer), .. }) => {
                self.last_answer.push_str(text.text);
                answer.push(text.text)
            }
            _ => Vec::new(),
        };
        self.push_done(&lines);
    }

    /// Writes an empty line, unless the last line of the run is one.
    fn blank_line(&mut self) {
        if self.has_lines {
            self.push_done(&[Line::new()]);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let event = &entry.event;
        if let Some(path) = &entry.agent_path {
            return self.inner(path, entry);
        }
        match event {
            Event::Respond(respond) => self.status.set_answered(respond.last),
            // They may follow the answer.
            Event::Metric(_) => {}
            event if event.is_beside_runs() => {}
            _ => self.status.set_answered(false),
        }
        match event {
            Event::Think(think) if !self.tokens => {
                let mut thought = OpenThought::new();
                let look = self.thought_look();
                let mut lines = thought.push(&think.content, &look);
                let (text, rest) = thought.end(&look);
                lines.extend(rest);
                self.last_thought = text;
                self.push_done(&lines);
            }
            Event::Respond(respond) if respond.malformed.is_none() => {
                if let Some(piped) = &mut self.piped {
                    // Text of an earlier turn was not an answer, and the model's thoughts are
                    // above.
                    drop(piped.collect(entry.turn, respond.content.clone()));
                } else if !self.tokens {
                    let mut answer = OpenAnswer::new(self.columns(), self.signs.is_ascii());
                    let mut lines = answer.push(&respond.content);
                    lines.extend(answer.end());
                    self.last_answer.clone_from(&respond.content);
                    self.push_done(&lines);
                }
            }
            Event::Call(call) => {
                self.close();
                if call.name() == LIST_TOOL {
                    self.todo.take(call.args());
                }
                self.calls.push(call, entry.turn, self.facts);
            }
            Event::Progress(piece) => self.calls.progress(piece),
            Event::Changes(changes) => self.calls.change(changes),
            Event::Result(result) => {
                let mut calls = std::mem::take(&mut self.calls);
                let look = self.call_look(match self.detail {
                    Detail::Quiet | Detail::Brief => 0,
                    Detail::Normal => 5,
                    Detail::Verbose => 40,
                });
                let mut lines = calls.end(result, &look);
                self.calls = calls;
                if self.detail == Detail::Quiet {
                    lines.clear();
                }
                match self.open {
                    Some(ShownSection { text: OpenText::Answer(_), .. }) => {
                        self.after_answer.extend(lines);
                    }
                    _ => self.push_done(&lines),
                }
            }
            Event::End => {
                self.close();
                if let Some(piped) = &mut self.piped {
                    piped.accept();
                }
            }
            Event::User { content, steer: true } => self.sent(&content.text()),
            Event::Interrupt { .. } => {
                self.close();
                self.note("stopped");
            }
            Event::Notice { content } => {
                self.close();
                if let Some(piped) = &mut self.piped {
                    piped.reject(entry.turn);
                }
                self.last_answer.clear();
                match self.detail {
                    Detail::Verbose => self.note(&format!("asked again: {content}")),
                    Detail::Normal => self.note("that was no answer; the model was asked again"),
                    Detail::Quiet | Detail::Brief => {}
                }
            }
            Event::Metric(metric) => {
                self.totals.steps += 1;
                self.totals.usage = metric.total;
                self.totals.all = metric.all.as_deref().copied();
                self.totals.balances = metric.budget.as_deref().copied();
                self.status.set_usage(metric.all.as_deref().copied().unwrap_or(metric.total));
                self.status.set_window(metric.step.input, metric.window);
            }
            Event::Hook(run) if run.effect == HookEffect::Added => self.note(&run.line()),
            Event::Summary(summary) => {
                self.close();
                self.note(&summary_line(summary));
            }
            Event::Error(fault)
                if fault.at.is_some()
                    && (self.detail == Detail::Verbose || is_for_person(fault)) =>
            {
                self.note(&format!("{}: {}", fault.code, shortened(&fault.content, 200)));
            }
            Event::Error(fault) if fault.at.is_none() => self.close(),
            _ => {}
        }
    }

    /// Shows a message that the person sent while the agent worked, below the text that is being
    /// written.
    fn sent(&mut self, text: &str) {
        let line = Line::styled(self.signs.prompt, Style::new(TextRole::Accent));
        let line = line.with_text(&format!(" {}", text.replace('\n', "⏎")), Style::PLAIN);
        let rows = line.wrap(self.columns(), 2);
        self.push_after(&rows);
    }

    /// Shows the work of an agent or a workflow that a call runs.
    fn inner(&mut self, path: &str, entry: &Entry) {
        let event = &entry.event;
        let name = path.rsplit('/').next().unwrap_or(path);
        let text = match event {
            Event::Think(think) => format!("{name} {} {}", self.signs.thought, think.content),
            Event::Respond(respond) => format!("{name}: {}", respond.content),
            Event::Call(call) => {
                let about = about(call.name(), call.args());
                let item = instance_prefix(event);
                format!("{name} {item}{} {} {about}", self.signs.call, call.name())
            }
            Event::Changes(changes) => {
                let rows = changed_rows(&changes.files, "", &self.call_look(0));
                return match self.open {
                    Some(ShownSection { text: OpenText::Answer(_), .. }) => {
                        self.after_answer.extend(rows);
                    }
                    _ => self.push_done(&rows),
                };
            }
            _ => return,
        };
        let line = Line::styled(&shortened(&text, 300), Style::PLAIN.dim());
        let line = line.shortened(self.columns().saturating_sub(4));
        if matches!(event, Event::Call(_)) && self.detail > Detail::Brief {
            let depth = path.split('/').count();
            let indent = Line::styled(&"  ".repeat(depth), Style::PLAIN);
            let mut row = indent;
            row.append(&line);
            let row = row.shortened(self.columns());
            match self.open {
                Some(ShownSection { text: OpenText::Answer(_), .. }) => self.after_answer.push(row),
                _ => self.push_done(&[row]),
            }
        }
        if let Some(origin) = InnerOrigin::from_entry(entry) {
            self.calls.inner(&origin, line);
        }
    }

    /// Ends the section that is being written.
    pub(super) fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let lines = match open.text {
            OpenText::Thought(thought) => {
                let (text, lines) = thought.end(&self.thought_look());
                self.last_thought = text;
                lines
            }
            OpenText::Answer(answer) => answer.end(),
            OpenText::Hidden => Vec::new(),
        };
        self.push_done(&lines);
        let after = std::mem::take(&mut self.after_answer);
        self.push_done(&after);
    }
}

/// The tool whose calls have the list of the agent.
const LIST_TOOL: &str = "todo";
