//! The plan of a question: it is shown as Markdown, and the person may change it in their editor.

use super::LiveScreen;
use super::answer::OpenAnswer;

impl LiveScreen {
    /// Returns the plan that the question which waits is about, for an editor.
    ///
    /// ```
    /// use silcrow_console::live::{LiveQuestion, LiveScreen, LiveTerminal, TerminalSize, WantedReply};
    /// use silcrow_console::options::ConsoleOptions;
    ///
    /// let size = TerminalSize { columns: 80, rows: 24 };
    /// let terminal = LiveTerminal::new(Vec::new(), move || size);
    /// let mut screen = LiveScreen::new("a-model", terminal, &ConsoleOptions::new());
    /// let (answer, _answered) = tokio::sync::oneshot::channel();
    /// let question = LiveQuestion::of_words("Is this the plan?".to_owned(), answer);
    /// let plan = Some("1. Write a test.".to_owned());
    /// screen.ask(LiveQuestion { plan, wanted: WantedReply::Decision, ..question });
    /// assert_eq!(screen.open_plan().as_deref(), Some("1. Write a test."));
    /// ```
    pub fn open_plan(&self) -> Option<String> {
        self.question.as_ref().filter(|question| question.can_edit())?.plan().map(str::to_owned)
    }

    /// Shows the question again after an editor was on the screen. A yes to it is one to the plan that the
    /// person saved, if they saved another one.
    pub fn return_from_plan(&mut self, saved: Option<String>) {
        if let Some(saved) = saved.filter(|saved| !saved.trim().is_empty()) {
            let rows = self.plan_rows(Some(&saved));
            if let Some(question) = &mut self.question {
                question.edit_plan(saved, rows, self.size.rows);
            }
        }
        self.show_again();
    }

    /// Returns the rows of a plan.
    pub(super) fn plan_rows(&self, plan: Option<&str>) -> Vec<String> {
        let Some(plan) = plan else { return Vec::new() };
        let mut shown = OpenAnswer::new(self.columns(), self.signs.is_ascii());
        let mut lines = shown.push(plan);
        lines.extend(shown.end());
        let rows = lines.iter().map(|line| line.to_ansi(&self.theme));
        std::iter::once(String::new()).chain(rows).chain([String::new()]).collect()
    }
}
