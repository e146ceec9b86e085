//! The UI message stream of the Vercel AI SDK.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use silcrow_event::{Content, ContentPart, Entry, Event, MediaRef, RunEventRef};
use silcrow_front::{AiSdkEncoder, AiSdkTarget, ClientToolNames, RunEncoder as _, ai_sdk_messages};

use crate::cut_run::encode_said_again;
use crate::random_run;
use crate::scenario::Scenario;

/// Returns the parts of a stream, one on each line.
fn parts(scenario: &Scenario, target: AiSdkTarget) -> String {
    let stream = scenario.encode(&mut AiSdkEncoder::new(target, "talk"));
    let data = stream.split_terminator("\n\n").map(|message| {
        message.strip_prefix("data: ").filter(|data| !data.contains('\n')).expect(message)
    });
    data.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_scenario_has_its_parts() {
    for scenario in Scenario::all() {
        insta::assert_snapshot!(scenario.name, parts(&scenario, AiSdkTarget::V6));
    }
}

/// The lines that differ between two versions.
#[test]
fn a_client_gets_the_parts_of_its_version() {
    let mut differences = String::new();
    for scenario in Scenario::all() {
        let common = parts(&scenario, AiSdkTarget::V6);
        for target in [AiSdkTarget::V5, AiSdkTarget::V7] {
            let other = parts(&scenario, target);
            let missing = common.lines().filter(|line| !other.contains(line));
            let added = other.lines().filter(|line| !common.contains(line));
            for (sign, line) in missing.map(|line| ('-', line)).chain(added.map(|line| ('+', line)))
            {
                differences += &format!("{} {target:?} {sign} {line}\n", scenario.name);
            }
        }
    }
    insta::assert_snapshot!(differences);
}

#[test]
fn stored_log_gives_same_messages_as_stream() {
    let mut all = String::new();
    for scenario in Scenario::all() {
        let messages = ai_sdk_messages(
            AiSdkTarget::V6,
            "talk",
            &ClientToolNames::default(),
            &scenario.stored(),
        );
        let messages =
            messages.replace(r#","parts":["#, "\n  ").replace(r#"},{"type":"#, "}\n  {\"type\":");
        all += &format!("{}\n{}\n", scenario.name, messages.replace(r#"]},{"id""#, "]}\n{\"id\""));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn loaded_prompt_file_is_a_file_part() {
    let mut prompt = Content::from("What is this?");
    let shot = MediaRef::new("image/png", vec![1, 2, 3]).with_name("a.png");
    prompt.push(ContentPart::Media(Box::new(shot.clone())));
    let lost = MediaRef::new("image/png", vec![4]).with_name("b.png").unloaded();
    prompt.push(ContentPart::Media(Box::new(lost)));
    let prompt = Event::User { content: prompt, steer: false };
    let entry = Entry { seq: Some(1), turn: Some(1), ..Entry::from(prompt) };
    let messages = ai_sdk_messages(AiSdkTarget::V6, "talk", &ClientToolNames::default(), &[entry]);
    let messages: Value = serde_json::from_str(&messages).unwrap();
    assert_eq!(
        messages[0]["parts"],
        serde_json::json!([
            {"type": "text", "text": "What is this?"},
            {"type": "file", "mediaType": "image/png", "filename": "a.png",
                "url": "data:image/png;base64,AQID"},
            {"type": "text", "text": "[image: b.png, PNG, 1 kB]"},
        ])
    );
}

#[test]
fn repeated_text_begins_anew() {
    let written = encode_said_again(&mut AiSdkEncoder::new(AiSdkTarget::V6, "talk"));
    let texts: Vec<_> = written.lines().filter(|line| line.contains(r#""type":"text-"#)).collect();
    assert_eq!(
        texts,
        [
            r#"data: {"type":"text-start","id":"t1-1"}"#,
            r#"data: {"type":"text-delta","id":"t1-1","delta":"Seventeen"}"#,
            r#"data: {"type":"text-end","id":"t1-1"}"#,
            r#"data: {"type":"text-start","id":"t1-2"}"#,
            r#"data: {"type":"text-delta","id":"t1-2","delta":"Eighteen seals."}"#,
            r#"data: {"type":"text-end","id":"t1-2"}"#,
        ]
    );
}

/// A client that is at least as strict as real ones: each thing is closed, and no part follows the
/// last.
struct StrictReader {
    target: AiSdkTarget,
    texts: BTreeMap<String, bool>,
    /// The calls, and whether each still needs an input or an output.
    calls: BTreeMap<String, CallNeed>,
    is_in_step: bool,
    last: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallNeed {
    Input,
    Output,
    /// The input was not a call, and the reason may follow.
    Reason,
    Nothing,
}

impl StrictReader {
    /// Creates the reader of a client that has these calls.
    fn new(target: AiSdkTarget, calls: BTreeMap<String, CallNeed>) -> Self {
        Self { target, texts: BTreeMap::new(), calls, is_in_step: false, last: String::new() }
    }

    fn read(&mut self, line: &str) {
        if line == "[DONE]" {
            let last = std::mem::replace(&mut self.last, line.to_owned());
            return assert!(matches!(&*last, "finish" | "abort" | "error"), "{last}");
        }
        let part: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| part[key].as_str().expect(key).to_owned();
        let name = text("type");
        assert!(!matches!(&*self.last, "finish" | "abort" | "error"), "{name} after {}", self.last);
        assert_eq!(name == "start", self.last.is_empty(), "{name}");
        match &*name {
            "start" => assert_eq!(part["messageId"], "a1"),
            "start-step" => assert!(!std::mem::replace(&mut self.is_in_step, true)),
            "finish-step" => assert!(std::mem::replace(&mut self.is_in_step, false)),
            "text-start" | "reasoning-start" => {
                assert_eq!(self.texts.insert(text("id"), false), None);
            }
            "text-delta" | "reasoning-delta" => {
                assert!(!self.texts[&text("id")] && !text("delta").is_empty());
            }
            "text-end" | "reasoning-end" => {
                assert_eq!(self.texts.insert(text("id"), true), Some(false))
            }
            "tool-input-start" => self.set(text("toolCallId"), &[None], CallNeed::Input),
            "tool-input-delta" => assert_eq!(self.calls[&text("toolCallId")], CallNeed::Input),
            "tool-input-available" => {
                assert!(part["input"].is_object());
                self.set(text("toolCallId"), &[None, Some(CallNeed::Input)], CallNeed::Output);
            }
            "tool-input-error" => {
                self.set(text("toolCallId"), &[None, Some(CallNeed::Input)], CallNeed::Reason);
            }
            "tool-output-available" if part["preliminary"] == true => {
                assert_eq!(self.calls[&text("toolCallId")], CallNeed::Output);
            }
            "tool-output-available" | "tool-output-error" => {
                let before = [Some(CallNeed::Output), Some(CallNeed::Reason)];
                self.set(text("toolCallId"), &before, CallNeed::Nothing);
            }
            "tool-approval-request" | "tool-output-denied" => {
                assert!(self.target >= AiSdkTarget::V6)
            }
            "tool-approval-response" | "steering-message" => {
                assert_eq!(self.target, AiSdkTarget::V7)
            }
            "abort" | "finish" | "error" => {}
            "data-silcrow" => assert_eq!(part["transient"], true),
            "data-agent" | "data-steering" => assert!(part["id"].is_string()),
            other => panic!("no client knows `{other}`"),
        }
        self.last = name;
    }

    /// Changes the state of a call, which has to be one of these before.
    fn set(&mut self, call: String, before: &[Option<CallNeed>], need: CallNeed) {
        let had = self.calls.insert(call.clone(), need);
        assert!(before.contains(&had), "{call} needed {had:?}");
    }

    fn finish(self) {
        assert_eq!(self.last, "[DONE]");
        assert!(!self.is_in_step && self.texts.values().all(|is_over| *is_over));
        let is_closed = |need: &CallNeed| matches!(need, CallNeed::Reason | CallNeed::Nothing);
        assert!(self.calls.values().all(is_closed), "{:?}", self.calls);
    }
}

proptest! {
    #[test]
    fn a_strict_client_reads_every_run(scenario in random_run::scenario(), version in 5_u8..8) {
        prop_assume!(!scenario.known.is_empty() || !scenario.events.is_empty());
        let target = AiSdkTarget::parse(&version.to_string()).unwrap();
        let mut reader = StrictReader::new(target, known_calls(&scenario, target));
        parts(&scenario, target).lines().for_each(|line| reader.read(line));
        reader.finish();
    }

    #[test]
    fn strict_client_reads_run_after_server_loss(
        scenario in random_run::scenario(),
        at in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!scenario.known.is_empty() || !scenario.events.is_empty());
        let at = at.index(scenario.events.len() + 1);
        let target = AiSdkTarget::V7;
        let mut reader = StrictReader::new(target, known_calls(&scenario, target));
        let stream = scenario.encode_cut(&mut AiSdkEncoder::new(target, "talk"), at);
        stream.lines().filter_map(|line| line.strip_prefix("data: ")).for_each(|line| reader.read(line));
        reader.finish();
    }
}

/// Returns the calls that a client has after the events that it has read.
fn known_calls(scenario: &Scenario, target: AiSdkTarget) -> BTreeMap<String, CallNeed> {
    let mut encoder = AiSdkEncoder::new(target, "talk");
    let mut out = String::new();
    for entry in &scenario.known {
        encoder.encode(RunEventRef::Entry(entry), &mut out);
    }
    let mut reader = StrictReader::new(target, BTreeMap::new());
    out.lines().filter_map(|line| line.strip_prefix("data: ")).for_each(|line| reader.read(line));
    reader.calls
}
