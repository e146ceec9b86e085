use proptest::prelude::*;
use silcrow_event::{Call, Event};

/// Pieces that wire text is made of, and that content may look like: markers, halves of them,
/// escapes, fences, JSON.
const PIECES: &[&str] = &[
    "§",
    "§§",
    "§think:",
    "§call:",
    "§respond:",
    "§result:",
    "§execute",
    "§end",
    "§en",
    "§endpoint",
    "§thi",
    "§ think:",
    "<",
    "<<",
    "<think>",
    "</think>",
    "<execute>",
    "</execute>",
    "<results>",
    "</results>",
    "<end>",
    "<thi",
    "</",
    "<thought>",
    "</thought>",
    "<action>",
    "<action id=\"x\" depends_on=[\"a1\"]>",
    "<action type='agent' mode = async>",
    "<action",
    " id=\"",
    " type=x",
    "=",
    "'",
    ">",
    "</action>",
    "<response>",
    "\n<response final=\"false\">",
    "</response>",
    "</resp",
    "<!--",
    "-->",
    "--",
    "```",
    "````",
    "~~~",
    "`",
    "``",
    "```json",
    "   ",
    "    ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\n\n",
    "a",
    "x y",
    "é",
    "日本",
    "😀",
    "{",
    "}",
    "[",
    "]",
    ",",
    "\"",
    "\\",
    "\\\"",
    ":",
    "{\"name\":\"t\"}",
    "{\"name\":\"t\",\"args\":{\"a\":\"§end\"}}",
    "{\"name\":\"t\",\"args\":{\"a\":\"</execute>\"}}",
    "{\"name\":\"t\",\"args\":{\"a\":\"x\ny\"}}",
    "{\"name\":\"t\",\"args\":{\"a\":\"x\n§end",
    "{\"name\":\"t\",\"parameters\":{\"a\":\"</action>\"}}",
    "{\"name\":\"t\",\"id\":\"a2\",\"timeout\":1.5}",
    "{\"name\":\"t\",\"parameters\":{\"a\":\"x\n</action>",
    "{\"name\":5}",
    "null",
    "[1]",
    "\u{0}",
    "\u{85}",
    "\u{a7}",
];

/// Where lines, fences and markers meet.
const LINES: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "   ",
    "```",
    "```",
    "~~~",
    "`",
    "a",
    "§",
    "§end",
    "§§end",
    "§respond:",
    "§execute",
    "<",
    "<end>",
    "<<end>",
    "<think>",
    "</think>",
    "<<think>",
];

/// Where calls meet what stands around them.
const LISTS: &[&str] = &[
    "§call:",
    "§execute",
    "<execute>",
    "<execute>",
    "<execute>[",
    "</execute>",
    "{\"name\":\"t\"}",
    "{\"name\":\"t\"}",
    "[",
    "]",
    "]",
    ",",
    ",",
    " ",
    "\n",
    "\n```",
    "\n```json\n",
    "so",
    "5",
    "\"s\"",
    "{",
    "\"",
];

/// Text that looks like wire text of any dialect, valid or not.
///
/// Each text has few kinds of pieces, so that they meet each other again and again.
pub fn wire_text() -> impl Strategy<Value = String> {
    let few = prop_oneof![
        1 => prop::sample::subsequence(PIECES, PIECES.len()),
        3 => prop::sample::subsequence(PIECES, 3..9),
        1 => Just(LINES.to_vec()),
        1 => Just(LISTS.to_vec()),
    ];
    few.prop_flat_map(|pieces| prop::collection::vec(prop::sample::select(pieces), 0..24))
        .prop_map(|pieces| pieces.concat())
}

/// Content of a section: trimmed and not empty, whatever else it holds.
pub fn content() -> impl Strategy<Value = String> {
    let mixed = prop_oneof![
        4 => wire_text(),
        1 => "[ -~]{1,12}",
        1 => any::<String>(),
    ];
    mixed
        .prop_map(|text| text.trim_matches([' ', '\t', '\r', '\n']).to_owned())
        .prop_filter("empty", |text| !text.is_empty())
}

/// Arguments: a JSON object whose strings hold anything.
pub fn args() -> impl Strategy<Value = String> {
    prop::collection::vec(("[a-z]{1,4}", content()), 0..3).prop_map(|members| {
        let members = members.iter().map(|(key, value)| {
            let value = silcrow_event::Json::string(value);
            format!("\"{key}\": {value}")
        });
        format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
    })
}

/// Model events of one turn in canonical form (L-4, P-15), with ids as a parser gives them.
pub fn turn() -> impl Strategy<Value = Vec<Event>> {
    let calls = prop::collection::vec(("[a-z_]{1,8}", args()), 1..4).prop_map(|calls| {
        let calls = calls.into_iter().map(|(name, args)| {
            let content = format!("{{\"name\": \"{name}\", \"args\": {args}}}");
            Event::Call(Call::parse("", content).expect("it is a call"))
        });
        calls.chain([Event::Execute]).collect::<Vec<_>>()
    });
    let unit = prop_oneof![
        2 => content().prop_map(|text| vec![Event::think(text)]),
        2 => content().prop_map(|text| vec![Event::respond(text)]),
        1 => calls,
    ];
    (prop::collection::vec(unit, 0..5), any::<bool>()).prop_map(|(units, end)| {
        let mut events: Vec<Event> = units.into_iter().flatten().collect();
        let mut taken = 0;
        for event in &mut events {
            if let Event::Call(call) = event {
                taken += 1;
                *call = call.clone().with_id(format!("a{taken}"));
            }
        }
        if end {
            events.push(Event::End);
        }
        events
    })
}
