//! The answer of a source of models, as a person and a program read it.

use std::io::{self, Write};

use silcrow_event::{Json, error_chain};
use silcrow_models::SourceAnswer;
use silcrow_provider::ErrorKind;
use silcrow_sanitize::{mask_key_shapes, sanitize_line};
use silcrow_settings::known_secrets;
use silcrow_term::fit::width;

/// Writes an answer for a person.
pub(super) fn write(source: &SourceAnswer, out: &mut impl Write, all: bool) -> io::Result<()> {
    let name = sanitize_line(&source.name);
    if let Some(variable) = source.variable.as_ref().filter(|_| source.answers.is_empty()) {
        return writeln!(out, "{name:<16} {variable} is not set");
    }
    if let Some(models) = source.models() {
        let (count, ways) = (models.len(), source.prefixes.join(", "));
        let ways = sanitize_line(&ways);
        let word = if count == 1 { "model" } else { "models" };
        writeln!(out, "{name:<16} {count} {word}, as {ways}")?;
    }
    let count = source.answers.len();
    for (index, answer) in source.answers.iter().enumerate() {
        match answer {
            // A port without a server is not a failure.
            Err(error) if source.is_port && error.kind() == ErrorKind::Network => {
                writeln!(out, "{name:<16} nobody listens")?;
            }
            Err(error) => {
                let key = format!("key {} of {count}: ", index + 1);
                let key = if count > 1 { &*key } else { "" };
                writeln!(out, "{name:<16} {key}{}", sanitize_line(&shown(&error_chain(error))))?;
            }
            Ok(_) => {}
        }
    }
    let shown = if all { usize::MAX } else { SHOWN };
    let models = source.models().unwrap_or_default();
    let rows = models
        .iter()
        .take(shown)
        .map(|model| (sanitize_line(&source.model_name(model)).into_owned(), source.window(model)));
    let rows: Vec<_> = rows.collect();
    let wide = rows.iter().map(|(named, _)| width(named)).max().unwrap_or_default();
    for (named, window) in &rows {
        let space = wide - width(named);
        match window {
            Some(window) => {
                writeln!(out, "{:<16} {named}{:space$}  {window:>8} tokens", "", "")?;
            }
            None => writeln!(out, "{:<16} {named}", "")?,
        }
    }
    if models.len() > shown {
        writeln!(out, "{:<16} … {} more; --all shows them", "", models.len() - shown)?;
    }
    Ok(())
}

/// Returns an answer as a line of JSON.
pub(super) fn to_json(source: &SourceAnswer) -> String {
    let list = |texts: &[String]| {
        let texts: Vec<_> = texts.iter().map(|text| Json::string(text).to_string()).collect();
        format!("[{}]", texts.join(","))
    };
    let models = source.models().unwrap_or_default();
    let names: Vec<_> = models.iter().map(|model| model.name.clone()).collect();
    let windows = models.iter().filter_map(|model| {
        Some(format!("{}:{}", Json::string(&model.name), source.window(model)?))
    });
    let windows: Vec<_> = windows.collect();
    let errors = source.answers.iter().filter_map(|answer| answer.as_ref().err());
    let errors: Vec<_> = errors.map(|error| shown(&error.to_string())).collect();
    format!(
        "{{\"name\":{},\"ways\":{},\"keys\":{},\"reachable\":{},\"models\":{},\"window\":{{{}}},\"errors\":{}}}",
        Json::string(&source.name),
        list(&source.prefixes),
        source.variable.as_ref().map_or(0, |_| source.answers.len()),
        source.models().is_some(),
        list(&names),
        windows.join(","),
        list(&errors),
    )
}

/// Returns the message of an error without secrets, including the secrets of other servers.
pub(super) fn shown(message: &str) -> String {
    let redacted = known_secrets().redact(message, "[secret]");
    mask_key_shapes(&redacted).into_owned()
}

/// The number of models of a source that are shown without `--all`.
const SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use silcrow_vendors::ListedModel;

    use super::*;

    #[test]
    fn windows_are_in_a_column_of_their_own() {
        let listed = |name: &str, window| {
            let mut model = ListedModel::new(name);
            model.window = window;
            model
        };
        let models =
            vec![listed("gpt-4o", None), listed("new", Some(9000)), listed("dall-e-3", None)];
        let source = SourceAnswer::new("openai", ["openai:"], [Ok(models)]);
        let mut written = Vec::new();
        write(&source, &mut written, false).unwrap();
        let expected = "\
openai           3 models, as openai:
                 openai:gpt-4o      128000 tokens
                 openai:new           9000 tokens
                 openai:dall-e-3
";
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
