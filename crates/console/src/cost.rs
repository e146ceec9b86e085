//! A run's usage, and the effect of a summary, each on one line for a person.

use std::time::Duration;

use silcrow_event::{AccountBalance, Balances, ContextSummary, Money, Usage};

use crate::plural::count;

/// Returns the time and the tokens of a step or a run, in short: `1.2 s (first 0.4 s), 12.3k in (10.2k
/// cached), 210 out, 48k bytes sent`. Zeros are left out, and a `~` marks an estimate.
///
/// ```
/// use std::time::Duration;
///
/// use silcrow_console::cost::usage_line;
/// use silcrow_event::Usage;
///
/// let usage = Usage {
///     input: 12_300,
///     cached: 10_200,
///     output: 210,
///     duration: Duration::from_millis(1200),
///     ..Usage::default()
/// };
/// assert_eq!(usage_line(&usage), "1.2 s, 12.3k in (10.2k cached), 210 out");
/// ```
pub fn usage_line(usage: &Usage) -> String {
    let mut line = seconds(usage.duration);
    // If an answer comes whole, the first piece is also the last.
    if !usage.time_to_first_delta.is_zero() && usage.time_to_first_delta < usage.duration {
        line += &format!(" (first {})", seconds(usage.time_to_first_delta));
    }
    let tokens = tokens(usage);
    if !tokens.is_empty() {
        line += &format!(", {tokens}");
    }
    if usage.sent_bytes > 0 {
        line += &format!(", {} bytes sent", short(usage.sent_bytes));
    }
    line
}

/// Returns the tokens of a step or a run, in short: `12.3k in (10.2k cached), 210 out`.
pub fn tokens(usage: &Usage) -> String {
    let about = if usage.estimated { "~" } else { "" };
    let mut parts = Vec::new();
    for (count, what, part, which) in [
        (usage.input, "in", usage.cached, "cached"),
        (usage.output, "out", usage.reasoning, "thought"),
    ] {
        if count > 0 {
            let of_it =
                if part > 0 { format!(" ({} {which})", short(part)) } else { String::new() };
            parts.push(format!("{about}{} {what}{of_it}", short(count)));
        }
    }
    parts.join(", ")
}

/// Returns an amount of money in US dollars, with two figures at least: `$0.03`, `$0.0004`.
///
/// ```
/// use silcrow_console::cost::dollars;
/// use silcrow_event::Money;
///
/// let shown = [12_345_678, 34_900, 1_234, 12].map(|micros| dollars(Money::from_micros(micros)));
/// assert_eq!(shown, ["$12.35", "$0.03", "$0.0012", "$0.000012"]);
/// ```
pub fn dollars(money: Money) -> String {
    let amount = money.micros() as f64 / 1e6;
    match money.micros() {
        0 | 10_000.. => format!("${amount:.2}"),
        100..10_000 => format!("${amount:.4}"),
        _ => format!("${amount:.6}"),
    }
}

/// Returns a number of tokens in three figures: `200k`, `1M`, `131k`.
pub(crate) fn round_tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..999_500 => format!("{:.0}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6).replace(".0M", "M"),
    }
}

/// Returns the state of a run's accounts: `310 of 1000 tokens of the run, 0.0123 of 0.5 of the user`.
///
/// ```
/// use silcrow_console::cost::balances_line;
/// use silcrow_event::{AccountBalance, Balances, Spending, SpendingLimit};
///
/// let spent = Spending { tokens: 310, ..Spending::default() };
/// let limit = SpendingLimit { tokens: Some(1000), ..SpendingLimit::default() };
/// let balances = Balances { run: Some(AccountBalance { spent, limit }), ..Balances::default() };
/// assert_eq!(balances_line(&balances), "310 of 1000 tokens of the run");
/// ```
pub fn balances_line(balances: &Balances) -> String {
    let Balances { run, conversation, user } = *balances;
    let mut parts = Vec::new();
    for (account, whose) in [(run, "run"), (conversation, "conversation"), (user, "user")] {
        let Some(AccountBalance { spent, limit }) = account else { continue };
        if let Some(limit) = limit.tokens {
            parts.push(format!("{} of {limit} tokens of the {whose}", spent.tokens));
        }
        if let Some(limit) = limit.cost {
            parts.push(format!("{} of {limit} of the {whose}", spent.cost));
        }
    }
    parts.join(", ")
}

/// Returns the line about the effect of a new summary.
///
/// ```
/// use silcrow_console::cost::summary_line;
/// use silcrow_event::ContextSummary;
///
/// let summary = ContextSummary { until: 41, ..ContextSummary::default() };
/// assert_eq!(summary_line(&summary), "a summary stands for the first 41 events now");
/// // The default takes a summary back.
/// assert_eq!(summary_line(&ContextSummary::default()), "the model reads everything again");
/// ```
pub fn summary_line(summary: &ContextSummary) -> String {
    match (summary.until, summary.shortened) {
        (0, 0) => "the model reads everything again".to_owned(),
        (0, _) => "older thoughts and long results are left out for the model now".to_owned(),
        (until, _) => format!("a summary stands for the first {} now", count(until, "event")),
    }
}

fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

/// Three figures at least.
fn short(count: u64) -> String {
    match count {
        0..=9_999 => count.to_string(),
        10_000..=9_999_949 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests;
