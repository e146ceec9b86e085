//! The lines of JSON in which `silcrow log` prints what is stored, and in which one process sends
//! it to another.

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event::{Json, Timestamp, read_entry};
use silcrow_store::search::Hit;
use silcrow_store::verify::{Damage, Place, Report};
use silcrow_store::{Summary, Versioned};

pub(crate) fn summary(summary: &Summary) -> String {
    let user = summary.user.as_deref();
    let user = user.map(|user| format!(",\"user\":{}", Json::string(user))).unwrap_or_default();
    format!(
        "{{\"conversation\":{},\"title\":{}{user},\"events\":{},\"first\":{},\"last\":{}}}",
        Json::string(&summary.conversation),
        Json::string(&summary.title),
        summary.events,
        seconds(summary.first),
        seconds(summary.last),
    )
}

/// A time in a summary, where whole seconds have no decimals.
fn seconds(time: Timestamp) -> String {
    let seconds = time.to_string();
    seconds.strip_suffix(".0").map_or_else(|| seconds.clone(), str::to_owned)
}

/// The same as a row of the list, which also tells whether an import brought the conversation.
pub(crate) fn listed(of: &Summary, imported: bool) -> String {
    let mut line = summary(of);
    if imported {
        line.insert_str(line.len() - 1, ",\"imported\":true");
    }
    line
}

pub(crate) fn read_summary(line: &str) -> Option<Summary> {
    #[derive(Deserialize)]
    struct SummaryLine<'a> {
        conversation: String,
        title: String,
        user: Option<String>,
        events: u64,
        #[serde(borrow)]
        first: &'a RawValue,
        #[serde(borrow)]
        last: &'a RawValue,
    }
    let SummaryLine { conversation, title, user, events, first, last } =
        serde_json::from_str(line).ok()?;
    // Exactly as they are written.
    let (first, last) = (first.get().parse().ok()?, last.get().parse().ok()?);
    Some(Summary { conversation, title, user, events, first, last })
}

pub(crate) fn hit(hit: &Hit) -> String {
    format!(
        "{{\"conversation\":{},\"title\":{},\"words\":{},\"event\":{}}}",
        Json::string(&hit.conversation),
        Json::string(&hit.title),
        hit.matched_words,
        hit.entry.to_json(),
    )
}

pub(crate) fn read_hit(line: &str) -> Option<Hit> {
    #[derive(Deserialize)]
    struct HitLine<'a> {
        conversation: String,
        title: String,
        words: usize,
        #[serde(borrow)]
        event: &'a RawValue,
    }
    let HitLine { conversation, title, words: matched_words, event } =
        serde_json::from_str(line).ok()?;
    Some(Hit { conversation, title, entry: read_entry(event.get()).ok()?, matched_words })
}

pub(crate) fn damage(damage: &Damage) -> String {
    let why = Json::string(&damage.why);
    match &damage.place {
        Place::Events { conversation, positions } => format!(
            "{{\"damaged\":\"events\",\"conversation\":{},\"first\":{},\"last\":{},\"why\":{why}}}",
            Json::string(conversation),
            positions.start(),
            positions.end(),
        ),
        Place::Summary { conversation } => format!(
            "{{\"damaged\":\"summary\",\"conversation\":{},\"why\":{why}}}",
            Json::string(conversation),
        ),
        Place::Value { space, key } => format!(
            "{{\"damaged\":\"value\",\"space\":{},\"key\":{},\"why\":{why}}}",
            Json::string(space),
            Json::string(key),
        ),
        Place::Unread { what } => {
            format!("{{\"damaged\":\"unread\",\"what\":{},\"why\":{why}}}", Json::string(what))
        }
        other => format!("{{\"damaged\":{},\"why\":{why}}}", Json::string(&other.to_string())),
    }
}

pub(crate) fn read_damage(line: &str) -> Option<Damage> {
    #[derive(Deserialize)]
    #[serde(tag = "damaged", rename_all = "lowercase")]
    enum DamageLine {
        Events { conversation: String, first: u64, last: u64, why: String },
        Summary { conversation: String, why: String },
        Value { space: String, key: String, why: String },
        Unread { what: String, why: String },
    }
    let (place, why) = match serde_json::from_str(line).ok()? {
        DamageLine::Events { conversation, first, last, why } => {
            (Place::Events { conversation, positions: first..=last }, why)
        }
        DamageLine::Summary { conversation, why } => (Place::Summary { conversation }, why),
        DamageLine::Value { space, key, why } => (Place::Value { space, key }, why),
        DamageLine::Unread { what, why } => (Place::Unread { what }, why),
    };
    Some(Damage { place, why })
}

/// How much was read; each damage has a line of its own.
pub(crate) fn report(report: &Report) -> String {
    format!(
        "{{\"conversations\":{},\"events\":{},\"values\":{},\"damage\":{}}}",
        report.conversations,
        report.events,
        report.values,
        report.damage.len(),
    )
}

pub(crate) fn read_report(line: &str, damage: Vec<Damage>) -> Option<Report> {
    #[derive(Deserialize)]
    struct ReportLine {
        conversations: u64,
        events: u64,
        values: u64,
    }
    let ReportLine { conversations, events, values } = serde_json::from_str(line).ok()?;
    Some(Report { conversations, events, values, damage, lost: Vec::new() })
}

pub(crate) fn key(space: &str, key: &str) -> String {
    format!("[{},{}]", Json::string(space), Json::string(key))
}

pub(crate) fn read_key(line: &str) -> Option<(String, String)> {
    serde_json::from_str(line).ok()
}

pub(crate) fn value(kept: &Versioned) -> String {
    let hex: String = kept.value.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"version\":{},\"hex\":\"{hex}\"}}", kept.version)
}

pub(crate) fn read_value(line: &str) -> Option<Versioned> {
    #[derive(Deserialize)]
    struct ValueLine {
        version: u64,
        hex: String,
    }
    let ValueLine { version, hex } = serde_json::from_str(line).ok()?;
    let byte = |pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    Some(Versioned { version, value: hex.as_bytes().chunks(2).map(byte).collect::<Option<_>>()? })
}
