//! Answers in a form that a client wants: the model reads the form, its answer is checked, and it is
//! asked again at most twice.
//!
//! Such an answer is sent once it fits, and not in pieces.

use silcrow_event::{Entry, Event, Metric, Respond, RunEventRef};
use silcrow_front::{AnswerForm, OpenAiError, OpenAiErrorKind, RunEncoder, RunEnd};
use silcrow_tool::{BasicValidator, Validator as _};

use super::openai::OpenAiRefusal;
use crate::caller_text::CallerWords;
use crate::error::Error;
use crate::served_run::ServedRun;
use crate::server::Server;

/// Reads a run to its end, and asks again until its answer has the form. Returns the messages of
/// the last run's encoder, and the encoder. A run without an answer, because it waits or has
/// failed, is returned as it is.
///
/// # Errors
///
/// Returns an error if the third answer does not fit either.
pub(super) async fn held<E: RunEncoder>(
    server: &Server,
    mut run: ServedRun,
    form: &AnswerForm,
    words: &CallerWords,
    encoder: impl Fn(&ServedRun) -> E,
) -> Result<(String, E), OpenAiRefusal> {
    for attempt in 0.. {
        let (whole, read) = run.encoding(encoder(&run)).finish_whole().await;
        if run.ended() != Some(RunEnd::Answered) {
            return Ok((whole, read));
        }
        let text = answer_of(server, &run).await?;
        let Some(why) = misfit(form, &text) else {
            return Ok(alone(encoder(&run), &run, &text));
        };
        if attempt == MOST_AGAIN {
            let why = format!("the model did not answer in the form that was asked for: {why}");
            let error = OpenAiError::new(OpenAiErrorKind::Failed, why).with_code("answer_form");
            return Err(error.into());
        }
        let prompt = format!(
            "Your last answer does not have the form that it has to have: {why}. Answer again, with the \
             JSON alone."
        );
        let place = run.run.place.clone();
        run = server.start_for(place, prompt, words.clone(), |agent| agent).await?;
    }
    unreachable!("the attempts are bounded")
}

/// Returns the last answer of a run.
async fn answer_of(server: &Server, run: &ServedRun) -> Result<String, Error> {
    let log = server.entries(&run.run.place, run.began_after()).await?;
    let said = |entry: &Entry| match &entry.event {
        Event::Respond(Respond { content, malformed: None, .. }) => {
            Some((entry.turn, content.clone()))
        }
        _ => None,
    };
    let texts: Vec<_> = log.iter().filter_map(said).collect();
    let last = texts.last().and_then(|(turn, _)| *turn);
    let of_last = texts.into_iter().filter(|(turn, _)| *turn == last);
    Ok(of_last.map(|(_, text)| text).collect())
}

/// Describes the error in an answer, if there is one.
fn misfit(form: &AnswerForm, text: &str) -> Option<String> {
    let value: serde_json::Value = match serde_json::from_str(text.trim()) {
        Ok(value) => value,
        Err(why) => return Some(format!("it is not JSON ({why})")),
    };
    let schema = form.schema.as_deref().unwrap_or("{}");
    let is_of_object = serde_json::from_str::<serde_json::Value>(schema)
        .is_ok_and(|schema| schema["type"].is_null() || schema["type"] == "object");
    if is_of_object && !value.is_object() {
        return Some("it is not a JSON object".to_owned());
    }
    if !value.is_object() {
        return None;
    }
    BasicValidator.check(schema, text.trim()).err().map(silcrow_tool::ToolError::into_words)
}

/// Encodes only the answer of a run, without the earlier texts.
fn alone<E: RunEncoder>(mut encoder: E, run: &ServedRun, text: &str) -> (String, E) {
    let mut out = String::new();
    encoder.begin(&mut out);
    let used = run.run.measured().usage;
    let metric = Metric { step: used, total: used, all: None, budget: None, window: None };
    for event in [Event::Metric(metric), Event::respond(text.trim())] {
        let entry = Entry { turn: Some(1), ..Entry::from(event) };
        encoder.encode(RunEventRef::Entry(&entry), &mut out);
    }
    encoder.end(&RunEnd::Answered, &mut out);
    (out, encoder)
}

/// The number of times that the model is asked again.
const MOST_AGAIN: u32 = 2;
