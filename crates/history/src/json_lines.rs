//! Summaries, hits and damage as lines of JSON, for programs.

use silcrow_event::{Json, Timestamp};
use silcrow_store::Summary;
use silcrow_store::search::Hit;
use silcrow_store::verify::{Damage, Place, Report};

/// Returns the summary of a conversation as a line of JSON, which also says whether an import brought
/// it.
pub fn summary_json(summary: &Summary, imported: bool) -> String {
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

/// Returns a time of a summary; whole seconds have no decimals.
fn seconds(time: Timestamp) -> String {
    let seconds = time.to_string();
    seconds.strip_suffix(".0").map_or_else(|| seconds.clone(), str::to_owned)
}

/// Returns a hit of a search as a line of JSON.
pub fn hit_json(hit: &Hit) -> String {
    format!(
        "{{\"conversation\":{},\"title\":{},\"words\":{},\"event\":{}}}",
        Json::string(&hit.conversation),
        Json::string(&hit.title),
        hit.matched_words,
        hit.entry.to_json(),
    )
}

/// Returns damage as a line of JSON.
pub fn damage_json(damage: &Damage) -> String {
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

/// Returns events that the store does without since it was mended as a line of JSON.
pub fn lost_json(place: &Place) -> String {
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

/// Returns how much was read as a line of JSON, without the damage itself.
pub fn report_json(report: &Report) -> String {
    format!(
        "{{\"conversations\":{},\"events\":{},\"values\":{},\"damage\":{}}}",
        report.conversations,
        report.events,
        report.values,
        report.damage.len(),
    )
}
