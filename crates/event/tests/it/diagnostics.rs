//! The events that diagnostics are printed as.

use silcrow_event::{Diagnostic, DiagnosticKind, Event};

#[test]
fn diagnostic_without_position_is_at_zero() {
    for (at, printed) in [(Some(7), "\"at\":7"), (None, "\"at\":0")] {
        let diagnostic = Diagnostic { kind: DiagnosticKind::TooMuch, content: "a".to_owned(), at };
        let json = Event::from(diagnostic).to_json();
        assert!(json.contains(printed), "{json}");
    }
}
