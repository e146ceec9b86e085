//! Replaces text that differs in each run: times, tokens, names of conversations and numbers of
//! processes.

use super::rows::StyledChar;

/// Returns a row in which each of these is the same word every time.
pub(super) fn steady(mut row: Vec<StyledChar>) -> Vec<StyledChar> {
    leave_time_out(&mut row);
    let mut at = 0;
    while at < row.len() {
        match replaced(&row, at) {
            Some((length, word)) => {
                let style = row[at].0.clone();
                let word: Vec<_> =
                    word.chars().map(|char| (style.clone(), char.to_string())).collect();
                let end = at + word.len();
                row.splice(at..at + length, word);
                at = end;
            }
            None => at += 1,
        }
    }
    row
}

/// Removes the usage of agents of calls, which wraps at another word each time, and sorts agents
/// that end together.
pub(super) fn steady_rows(rows: &mut [Vec<StyledChar>]) {
    let text = |row: &Vec<StyledChar>| row.iter().map(|(_, text)| &**text).collect::<String>();
    for at in 0..rows.len() {
        let shown = text(&rows[at]);
        if let Some((begin, _)) = shown.split_once(" · with its calls") {
            let length = begin.chars().count();
            rows[at].truncate(length);
            if let Some(next) = rows.get_mut(at + 1).filter(|next| text(next).starts_with("  ")) {
                next.clear();
            }
        }
    }
    let has_ended = |row: &Vec<StyledChar>| text(row).starts_with("✓ agent ");
    for ended in rows.chunk_by_mut(|a, b| has_ended(a) && has_ended(b)) {
        ended.sort_by_key(text);
    }
}

/// Removes the time of a call, which a busy screen hears too late to say.
fn leave_time_out(row: &mut Vec<StyledChar>) {
    let is_call = row.first().is_some_and(|(_, sign)| ["✓", "✗", "!", "→"].contains(&&**sign));
    let text: String = row.iter().map(|(_, text)| &**text).collect();
    let Some((begin, time)) = text.rsplit_once(" · ").filter(|_| is_call) else { return };
    let number = time.strip_suffix(" ms").or_else(|| time.strip_suffix(" s"));
    if number.is_some_and(|number| number.parse::<f64>().is_ok()) {
        row.truncate(begin.chars().count());
    }
}

/// Returns how many characters from here differ each time, and their replacement.
fn replaced(row: &[StyledChar], at: usize) -> Option<(usize, &'static str)> {
    let begins =
        at == 0 || !row[at - 1].1.chars().all(|char| char.is_alphanumeric() || char == '.');
    if !begins {
        return None;
    }
    let text: String = row[at..].iter().map(|(_, text)| &**text).collect();
    let word: String = text.chars().take_while(|char| char.is_ascii_alphanumeric()).collect();
    if is_id(&word) {
        return Some((word.len(), "k3v9m2xq7t"));
    }
    let number = text.find(|char: char| !(char.is_ascii_digit() || char == '.'))?;
    if number == 0 {
        return None;
    }
    let rest = &text[number..];
    let kilo = usize::from(rest.starts_with('k'));
    let after = &rest[kilo..];
    let ends = |unit: &str| {
        after.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    match () {
        () if ends(" in") => Some((number + kilo, "4k")),
        () if ends(" out") => Some((number + kilo, "60")),
        () if ends(" s") => Some((number, "1")),
        () if ends(" ms") => Some((number + " ms".len(), "1 s")),
        () if ends(" bytes sent") => Some((number + kilo, "30k")),
        () if ends(" tokens") => Some((number + kilo, "4k")),
        () => None,
    }
}

/// Returns whether a word is the name of a conversation that nobody has named.
fn is_id(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    word.len() >= 8
        && digits >= 2
        && word.chars().any(|char| char.is_ascii_lowercase())
        && word.chars().all(|char| char.is_ascii_digit() || char.is_ascii_lowercase())
}
