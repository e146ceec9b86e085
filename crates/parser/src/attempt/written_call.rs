//! Calls as a program writes them.
//!
//! This module reads names and brackets; others read the JSON.

use super::AnswerContext;

/// Returns whether a line is `NAME(…)`, as a program writes a call.
pub(super) fn is_written_call(line: &str, context: &AnswerContext<'_>) -> bool {
    let call = match line.split_once(" = ") {
        Some((variable, value)) if first_name(variable) == variable => value,
        _ => line,
    };
    let call = call.trim_start_matches(['[', '(']).trim_start_matches("await ");
    let call = call.strip_prefix("print(").unwrap_or(call);
    let call = CALLEES.iter().find_map(|callee| call.strip_prefix(callee)).unwrap_or(call);
    let name = first_name(call);
    let rest = &call[name.len()..];
    let is_whole = line.ends_with([')', ']', ';', '}']);
    (context.is_callable)(name)
        && is_whole
        && (rest.starts_with('(') || rest.trim_start().starts_with('{'))
}

/// Returns the name at the start of a text, which may be empty.
pub(super) fn first_name(text: &str) -> &str {
    let is_letter = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    &text[..text.find(|char| !is_letter(char)).unwrap_or(text.len())]
}

/// The objects whose methods are tools in some vendors' forms.
const CALLEES: [&str; 3] = ["default_api.", "functions.", "tools."];
