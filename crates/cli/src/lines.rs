//! The lines of JSON in which `silcrow log` prints what is stored.

use silcrow_event::{Json, Timestamp};
use silcrow_store::Summary;
use silcrow_store::search::Hit;
use silcrow_store::verify::{Damage, Place, Report};

/// A row of the list, which also tells whether an import brought the conversation.
pub(crate) fn listed(summary: &Summary, imported: bool) -> String {
    let user = summary.user.as_deref();
    let user = user.map(|user| format!(",\"user\":{}", Json::string(user))).unwrap_or_default();
    let folder = summary.folder.as_deref();
    let folder =
        folder.map(|folder| format!(",\"folder\":{}", Json::string(folder))).unwrap_or_default();
    format!(
        "{{\"conversation\":{},\"title\":{}{user}{folder},\"events\":{},\"first\":{},\"last\":{}{}}}",
        Json::string(&summary.conversation),
        Json::string(&summary.title),
        summary.events,
        seconds(summary.first),
        seconds(summary.last),
        if imported { ",\"imported\":true" } else { "" },
    )
}

/// A time in a summary, where whole seconds have no decimals.
fn seconds(time: Timestamp) -> String {
    let seconds = time.to_string();
    seconds.strip_suffix(".0").map_or_else(|| seconds.clone(), str::to_owned)
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
        Place::Bytes { file, bytes } => format!(
            "{{\"damaged\":\"bytes\",\"file\":{},\"first\":{},\"end\":{},\"why\":{why}}}",
            Json::string(file),
            bytes.start,
            bytes.end,
        ),
        Place::Unread { what } => {
            format!("{{\"damaged\":\"unread\",\"what\":{},\"why\":{why}}}", Json::string(what))
        }
        other => format!("{{\"damaged\":{},\"why\":{why}}}", Json::string(&other.to_string())),
    }
}

/// Events that the store does without since it was mended.
pub(crate) fn lost(place: &Place) -> String {
    match place {
        Place::Events { conversation, positions } => format!(
            "{{\"lost\":\"events\",\"conversation\":{},\"first\":{},\"last\":{}}}",
            Json::string(conversation),
            positions.start(),
            positions.end(),
        ),
        other => format!("{{\"lost\":{}}}", Json::string(&other.to_string())),
    }
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
