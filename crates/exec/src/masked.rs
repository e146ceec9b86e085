//! Secrets in the results of tools, which are masked before anything is stored, kept or shown.
//!
//! This module finds the texts of a result.

use silcrow_event::{CallResult, Content, ContentPart, Json, Truncation};
use silcrow_sanitize::Secrets;
use silcrow_tool::ToolOutput;

/// Returns the output with secrets masked, and with a notice if there were any in its content.
pub(crate) fn masked_output(mut output: ToolOutput, secrets: &Secrets) -> ToolOutput {
    if secrets.is_empty() {
        return output;
    }
    mask_text(&mut output.summary, secrets);
    for notice in &mut output.notices {
        mask_text(notice, secrets);
    }
    let mut is_masked = mask_content(&mut output.content, secrets);
    is_masked |= mask_tail(output.truncated.as_mut(), secrets);
    is_masked |= output.value.as_mut().is_some_and(|value| mask_json(value, secrets));
    if is_masked {
        output.notices.insert(0, NOTICE.to_owned());
    }
    output
}

/// Masks secrets in words of a tool or about it.
pub(crate) fn mask_text(text: &mut String, secrets: &Secrets) -> bool {
    match secrets.mask(text) {
        std::borrow::Cow::Borrowed(_) => false,
        std::borrow::Cow::Owned(masked) => {
            *text = masked;
            true
        }
    }
}

/// Masks secrets in a result that another run recorded.
pub(crate) fn mask_result(result: &mut CallResult, secrets: &Secrets) {
    if secrets.is_empty() {
        return;
    }
    mask_content(&mut result.content, secrets);
    if let Some(payload) = &mut result.payload {
        mask_text(&mut payload.summary, secrets);
        for notice in &mut payload.notices {
            mask_text(notice, secrets);
        }
        if let Some(value) = &mut payload.value {
            mask_json(value, secrets);
        }
        mask_tail(payload.truncated.as_deref_mut(), secrets);
    }
}

fn mask_content(content: &mut Content, secrets: &Secrets) -> bool {
    let mut masked = Content::default();
    let mut is_masked = false;
    for part in content.parts() {
        let mut part = part.clone();
        is_masked |= match &mut part {
            ContentPart::Text(text) => mask_text(text, secrets),
            ContentPart::Json(json) => mask_json(json, secrets),
            _ => false,
        };
        masked.push(part);
    }
    if is_masked {
        *content = masked;
    }
    is_masked
}

fn mask_json(json: &mut Json, secrets: &Secrets) -> bool {
    let mut text = json.as_str().to_owned();
    let is_masked = mask_text(&mut text, secrets);
    if is_masked {
        // A secret may have had quotation marks of the JSON.
        *json = Json::parse(&text).unwrap_or_else(|| Json::string(&text));
    }
    is_masked
}

fn mask_tail(truncated: Option<&mut Truncation>, secrets: &Secrets) -> bool {
    let tail = truncated.and_then(|truncated| truncated.tail.as_mut());
    tail.is_some_and(|tail| mask_text(tail, secrets))
}

/// The remark about an output with secrets.
const NOTICE: &str = "`[secret …]` stands for a key of the person, which you do not need; leave it \
                      where it is, because writing these words there would replace the key";
