//! Pictures, documents and sounds in the text of a message: as parts for a model that takes them, and as a
//! line for any other.

use std::borrow::Cow;

use silcrow_event::{Content, ContentPart, MediaRef};
use silcrow_media::Senses;

/// Returns a text in which each medium has its line, as content in which a part stands for the line of each
/// that the model takes. A line that the text has in another spelling stays, and its part follows the text.
pub(crate) fn with_media(text: Cow<'_, str>, media: &[&MediaRef], senses: Senses) -> Content {
    let mut content = Content::default();
    let mut rest = &*text;
    let mut others = Vec::new();
    for medium in media {
        let line = medium.line();
        let at = rest.find(&line);
        let part = match senses.takes(&medium.mime) {
            true => ContentPart::Media(Box::new((*medium).clone())),
            false => ContentPart::Text(medium_text(medium)),
        };
        let Some(at) = at else {
            others.push(part);
            continue;
        };
        let before = &rest[..at];
        rest = &rest[at + line.len()..];
        match part {
            ContentPart::Text(told) => {
                content.push_text(before);
                content.push_text(&told);
            }
            // Parts have a line break between them.
            part => {
                content.push_text(before.strip_suffix('\n').unwrap_or(before));
                content.push(part);
                rest = rest.strip_prefix('\n').unwrap_or(rest);
            }
        }
    }
    content.push_text(rest);
    others.into_iter().for_each(|part| content.push(part));
    content
}

/// Returns content in which the lines of its media say that they were shown earlier.
pub(crate) fn shown_earlier(content: &Content) -> Content {
    content.clone().map(|part| match part {
        ContentPart::Media(medium) => ContentPart::Text(medium.line_with(EARLIER)),
        part => part,
    })
}

/// Returns the text for a medium that the model does not take.
fn medium_text(medium: &MediaRef) -> String {
    match &*medium.text {
        "" => medium.line_with(blind(medium)),
        text => format!("{}\n{text}", medium.line_with(AS_TEXT)),
    }
}

/// Returns the line of a medium for a model that does not take it.
fn blind(medium: &MediaRef) -> &'static str {
    match medium.kind() {
        "image" => "this model does not see images",
        "sound" => "this model does not hear",
        _ => "this model does not read such files",
    }
}

const AS_TEXT: &str = "its text follows";

const EARLIER: &str = "shown earlier, and not shown any more";
