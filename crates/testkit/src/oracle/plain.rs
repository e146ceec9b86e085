//! The sections of `sigil` and `phase` in order.

use super::*;

impl Turn<'_> {
    pub(super) fn read(&mut self) {
        let mut section = Section::Respond;
        let mut at = self.start;
        loop {
            let found = match section {
                Section::Respond => self.said(at, section, RESPOND),
                Section::Think => self.said(at, section, TextKind::Think),
                Section::Calls if self.form == Form::Phase => self.list(at),
                Section::Calls => self.call(at),
                Section::Forged | Section::Outside => {
                    self.aside(at, section, DiagnosticKind::ForgedResult)
                }
            };
            let Some((delimiter, start)) = found else { return self.finish(section) };
            at = start + delimiter.len();
            section = match delimiter {
                "§think:" | "<think>" => Section::Think,
                "§call:" | "<execute>" => Section::Calls,
                "§respond:" | "</think>" | "</results>" => Section::Respond,
                "§result:" | "<results>" => Section::Forged,
                "§execute" => {
                    self.anchor = Some(at);
                    self.execute(at);
                    Section::Forged
                }
                "</execute>" => {
                    self.execute(at);
                    Section::Respond
                }
                "§end" | "<end>" => {
                    self.execute_what_waits(at);
                    return self.units.push(Unit::Event(Event::End));
                }
                other => unreachable!("{other}"),
            };
        }
    }

    /// Ends the turn, and reports open sections (P-6, P-14).
    fn finish(&mut self, section: Section) {
        if self.form == Form::Phase && section != Section::Respond {
            self.report(DiagnosticKind::Unclosed, self.wire.len());
        }
        self.execute_what_waits(self.wire.len());
    }

    fn execute(&mut self, at: usize) {
        if self.pending == 0 {
            return self.report(DiagnosticKind::NothingToExecute, at);
        }
        self.pending = 0;
        self.units.push(Unit::Event(Event::Execute));
    }

    fn execute_what_waits(&mut self, at: usize) {
        if self.pending > 0 {
            self.report(DiagnosticKind::MissingExecute, at);
            self.execute(at);
        }
    }
}
