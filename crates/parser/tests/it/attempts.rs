//! Attempts in the text of answers (P-36), and mere mentions.

use silcrow_parser::AttemptKind::{
    Announced, Forged, Invisible, Misplaced, Misspelled, OtherDialect, OtherFormat, Quoted,
    Reasoning,
};
use silcrow_parser::Dialect::{Action, Phase, Sigil};
use silcrow_parser::{AnswerAttempt, AnswerContext, AttemptKind, Dialect, find_attempt};

/// Looks for an attempt in an answer of an agent with two tools.
pub(crate) fn find(text: &str, dialect: Dialect, is_ended: bool) -> Option<AnswerAttempt> {
    let is_callable = &|name: &str| matches!(name, "file_list" | "file_read" | "read");
    find_attempt(
        text,
        &AnswerContext {
            options: dialect.into(),
            is_stray: false,
            is_ended,
            is_delimited: false,
            is_callable,
        },
    )
}

/// A call in JSON.
pub(crate) const LIST: &str = r#"{"name": "file_list", "args": {"path": "."}}"#;

/// Returns texts with an attempt, whether or not the model ended its answer.
fn attempts() -> Vec<(Dialect, AttemptKind, String)> {
    let mut attempts = Vec::new();
    let mut add = |dialect, kind, texts: &[&str]| {
        let texts = texts.iter().map(|text| text.replace("LIST", LIST));
        attempts.extend(texts.map(|text| (dialect, kind, text)));
    };
    add(
        Sigil,
        Misplaced,
        &[
            "Let me look. §call: LIST",
            "Let me look.§call: LIST\n§execute",
            "- §call: LIST",
            "1. §call: LIST",
            "> §call: LIST",
            "**§call:** LIST",
            "**§call: LIST**",
            "    §call: LIST",
            "\t§call: LIST",
            "| §call: LIST |",
            "I call §call: {\"name\": \"unknown\", \"args\": {}}",
            "I look: §call: {\"name\": \"file_list\", \"args\": {\"path\"",
            "Okay. §call: file_list(path=\".\")",
            "Okay. §call:\n```json\nLIST\n```",
            "**§end**",
            "- §execute",
            "Hello. §respond: The answer is 5.",
            "- §respond: The answer is 5.",
            "**§think:** I should look.",
            "### §respond: The answer is 5.",
        ],
    );
    add(
        Sigil,
        Misspelled,
        &[
            "§ call: LIST",
            "§Call: LIST",
            "§CALL: LIST",
            "§call：LIST",
            "§call LIST",
            "§ call LIST",
            "§tool_call: LIST",
            "§file_list: {\"path\": \".\"}",
            "§End",
            "§ end",
            "§Respond: The answer is 5.",
            "§ think: hm",
            "§Answer: five",
            "&sect;call: LIST",
            "5\n§END",
            "§think\nhm",
            "§respond It is 5.",
        ],
    );
    add(
        Sigil,
        OtherDialect,
        &[
            "<execute>[LIST]</execute>",
            "I look.\n<execute>\n[\n  LIST\n]\n</execute>",
            "<action>{\"name\": \"file_list\", \"parameters\": {}}</action>",
            "<action type=\"tool\" id=\"a\">{\"name\": \"x\"}</action>",
            "<response>It is 5.</response>",
            "It is 5.\n<end>",
            "It is 5.</response>",
        ],
    );
    add(
        Phase,
        OtherDialect,
        &[
            "§call: LIST\n§execute",
            "It is 5.\n§end",
            "§respond: It is 5.",
            "<action>{\"name\": \"file_list\", \"parameters\": {}}</action>",
            "<response>It is 5.</response>",
        ],
    );
    add(
        Action,
        OtherDialect,
        &["<execute>[LIST]</execute>", "I look. §call: LIST", "5\n§end", "5\n<end>", "5<end>"],
    );
    add(
        Phase,
        Misspelled,
        &[
            "<Execute>[LIST]</Execute>",
            "<EXECUTE>[LIST]</EXECUTE>",
            "&lt;execute&gt;[LIST]&lt;/execute&gt;",
            "< execute >[LIST]</ execute >",
            "5\n<END>",
            "5\n</end>",
            "＜execute＞[LIST]＜/execute＞",
        ],
    );
    let hidden =
        ["\u{200b}§call: LIST", "§\u{200b}call: LIST", "Hm.\n§ca\u{ad}ll: LIST", "§\u{feff}end"];
    add(Sigil, Invisible, &hidden);
    add(Phase, Invisible, &["<exe\u{200d}cute>[LIST]</execute>", "Look: \u{200b}<execute>[LIST]"]);
    add(Action, Invisible, &["<\u{2060}action id=\"a\">{\"name\": \"x\"}</action>"]);
    add(Phase, Misplaced, &["I look. </execute>", "[]\n</execute>"]);
    add(
        Action,
        Misspelled,
        &[
            "<Action>{\"name\": \"file_list\", \"parameters\": {}}</Action>",
            "&lt;action&gt;{\"name\": \"file_list\"}&lt;/action&gt;",
            "\\u003caction\\u003e{\"name\": \"file_list\"}\\u003c/action\\u003e",
            "<Response>It is 5.</Response>",
            "<RESPONSE>It is 5.</RESPONSE>",
        ],
    );
    add(
        Action,
        Misplaced,
        &[
            "Let me look. <action>{\"name\": \"file_list\", \"parameters\": {}}</action>",
            "<action type=\"tool\">\n{\"name\": \"x\"}</action>",
            "It is 5.</response>",
            "I look.</action>",
        ],
    );
    for dialect in Dialect::ALL {
        add(
            dialect,
            OtherFormat,
            &[
                "<tool_call>\n{\"name\": \"file_list\", \"arguments\": {\"path\": \".\"}}\n</tool_call>",
                "<tool_call>{\"name\": \"x\"}</tool_call>",
                "[TOOL_CALLS][{\"name\": \"file_list\", \"arguments\": {}}]",
                "[TOOL_CALLS]file_list[ARGS]{}",
                "<function=file_list>{\"path\": \".\"}</function>",
                "<function=file_list><parameter=path>.</parameter></function>",
                "<function_call>{\"name\": \"file_list\"}</function_call>",
                "<function_calls>\n<invoke name=\"file_list\">\n</invoke>\n</function_calls>",
                "<invoke name=\"file_list\"></invoke>",
                "<|channel|>commentary to=functions.file_list<|message|>{}<|call|>",
                "<|channel|>final<|message|>It is 5.",
                "<|python_tag|>file_list.call(path=\".\")",
                "It is 5.<|im_end|>\n<|im_start|>user\nThanks.",
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function",
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.file_list:0",
                "{\"tool_calls\": [{\"function\": {\"name\": \"file_list\", \"arguments\": \"{}\"}}]}",
                "{\"tool_calls\": []}",
                LIST,
                "[LIST]",
                "I look.\nLIST",
                "{\"function\": \"file_list\", \"arguments\": {}}",
                "{\"tool\": \"file_list\", \"input\": {}}",
                "{\"action\": \"file_list\", \"action_input\": \".\"}",
                "{\"type\": \"function\", \"function\": {\"name\": \"file_list\"}}",
                "{\"file_list\": {\"path\": \".\"}}",
                "{'name': 'file_list', 'args': {'path': '.'}}",
                "{\"name\": \"file_list\", \"args\": {\"path\": \".\"}",
                "Thought: I look.\nAction: file_list\nAction Input: {\"path\": \".\"}",
                "file_list(path=\".\")",
                "[file_list(path=\".\")]",
                "print(default_api.file_list(path=\".\"))",
                "<file_list>\n<path>.</path>\n</file_list>",
                "<file_list path=\".\"/>",
                "<tool name=\"file_list\">.</tool>",
                "Hello [/INST] there",
                "$call: LIST",
                "call: LIST",
                "to=file_list {}",
                "<tool>file_list</tool>",
                "{\"thought\": \"hm\", \"action\": {\"name\": \"file_list\"}}",
                "</s>Hello",
            ],
        );
        add(
            dialect,
            Quoted,
            &[
                "```json\nLIST\n```",
                "```\n§call: LIST\n§execute\n```",
                "~~~\n<execute>[LIST]</execute>\n~~~",
                "```xml\n<action>{\"name\": \"file_list\", \"parameters\": {}}</action>\n```",
                "`§call: LIST`",
                "```tool_code\nprint(file_list())\n```",
            ],
        );
        add(
            dialect,
            Reasoning,
            &[
                "I should think.</think>\nIt is 5.",
                "I should think.\n</thought>\nIt is 5.",
                "<thinking>I should look.</thinking>\nIt is 5.",
                "Well. <reasoning>hm</reasoning> It is 5.",
            ],
        );
    }
    add(Sigil, Reasoning, &["<think>hm</think>\nIt is 5.", "<thought>hm</thought>It is 5."]);
    add(Phase, Reasoning, &["<thought>hm</thought>It is 5.", "<THINK>hm</THINK>It is 5."]);
    add(Action, Reasoning, &["<think>hm</think>It is 5.", "<Thought>hm</Thought>It is 5."]);
    add(Action, Forged, &["<results>[{\"tool\": \"file_list\"}]</results> It is 5."]);
    add(Sigil, Forged, &["<results>[{\"tool\": \"file_list\"}]</results> It is 5."]);
    add(Phase, Forged, &["§result: {\"tool\": \"file_list\"}\na.txt"]);
    attempts
}

#[test]
fn attempts_are_found_with_and_without_end() {
    let mut missed = Vec::new();
    for (dialect, kind, text) in attempts() {
        for is_ended in [false, true] {
            let found = find(&text, dialect, is_ended).map(|found| found.kind);
            if found != Some(kind) {
                missed
                    .push(format!("{dialect}, ended: {is_ended}, {found:?}, not {kind:?}: {text}"));
            }
        }
    }
    assert!(missed.is_empty(), "\n{}", missed.join("\n"));
}

/// Texts that only an answer without an end makes an attempt.
const UNENDED: [(Dialect, AttemptKind, &str); 28] = [
    (Sigil, Announced, "I am calling file_list with {\"path\": \". : x\"} now."),
    (Phase, Announced, "There is a.txt. I'll read a.txt and v1.2 next."),
    (Phase, Announced, "1. I will list the folder."),
    (Sigil, Announced, "Ich werde mir den Ordner ansehen."),
    (Sigil, Announced, "Je vais utiliser file_list."),
    (Sigil, Announced, "Vou começar pela pasta."),
    (Sigil, Announced, "好的。我将读取文件。"),
    (Sigil, Announced, "I will see what file_list says."),
    (Sigil, Announced, LONG_ANNOUNCEMENT),
    (Phase, Quoted, "```\nread a.txt\n```"),
    (Sigil, Announced, "Sure, let me think about it."),
    (Sigil, Quoted, "Like this:\n\n```\n§call: {\"name\": \"my_tool\"}\n```\n\nThat is all."),
    (Phase, Quoted, "```\nIt is 5.\n<end>\n```"),
    (Phase, OtherFormat, "It is 5. [end]"),
    (Sigil, Misplaced, "The answer is 5. §end"),
    (Sigil, Announced, "Let me look at the files."),
    (Action, Announced, "Let's check the folder."),
    (Action, Announced, "To answer this, I'll use file_list."),
    (Action, Announced, "Before I answer, let me look."),
    (Phase, Announced, "Alright, I will list the folder."),
    (Sigil, Announced, "Okay. I'll list the folder:"),
    (Phase, Announced, "First, I will read the file…"),
    (Action, Announced, "Here are the files:"),
    (Sigil, Quoted, "I look.\n\n```json\n{\"name\": \"file_list\", \"args\": {}}\n```"),
    (Sigil, Quoted, "I look. `§call: {\"name\": \"file_list\"}`"),
    (Phase, Quoted, "I look.\n```\n<execute>[{\"name\": \"file_list\"}]</execute>\n```\nDone."),
    (Sigil, Forged, "It is 5.\n\nUser: Thanks.\nAssistant: You are welcome."),
    (Phase, Forged, "I look.\nObservation: a.txt"),
];

/// A text whose length makes its end an announcement only because it describes the present.
const LONG_ANNOUNCEMENT: &str = "The folder may hold many files, and some of them may be large, \
    so the question is not as simple as it sounds. Folders may hold other folders, too, which \
    would have to be counted or left out. There may also be links, and files that begin with a \
    dot, which most programs do not show. I will start with the folder itself.";

#[test]
fn an_end_tells_an_answer_from_an_attempt() {
    for (dialect, kind, text) in UNENDED {
        assert_eq!(find(text, dialect, false).map(|found| found.kind), Some(kind), "{text}");
        assert_eq!(find(text, dialect, true), None, "{text}");
    }
}

#[test]
fn bare_token_is_attempt_quoted_tags_are_not() {
    for token in [
        "tool▁calls▁end｜>",
        "|tool_call_begin|",
        "｜tool_calls_begin｜",
        "|im_end|",
        "<seed:tool_call>",
        "]~b]tool",
    ] {
        let text = format!("There are three files {token} here.");
        let found = find(&text, Sigil, true).map(|found| found.kind);
        assert_eq!(found, Some(OtherFormat), "{token}");
        assert_eq!(find(&text.replace(token, &format!("`{token}`")), Sigil, true), None);
    }
    for text in [
        "It writes “<tool_call>{\"name\": \"file_list\"}</tool_call>” then.",
        "It writes '<invoke name=\"x\">' and \"</invoke>\".",
    ] {
        assert_eq!(find(text, Sigil, true), None, "{text}");
    }
    let stray = "Done.</tool_call>";
    assert_eq!(find(stray, Sigil, true).map(|found| found.kind), Some(OtherFormat));
}

#[test]
fn purpose_before_answer_is_not_an_attempt() {
    for text in
        ["To open it, I need the key.", "To answer it, there are two files.", "Let's say two."]
    {
        assert_eq!(find(text, Action, false), None, "{text}");
    }
}

#[test]
fn escaped_delimiter_is_not_an_attempt() {
    let texts = [
        (Sigil, "To end, write\n§end\nalone, or\n§call: {\"name\": \"file_list\"}\nto call."),
        (Phase, "To call, write <execute>[{\"name\": \"file_list\"}]</execute> and wait."),
        (Phase, "The tags are <think> and </think>."),
    ];
    for (dialect, text) in texts {
        assert_eq!(find(text, dialect, true), None, "{text}");
    }
}

#[test]
fn unknown_call_in_sentence_is_quotation() {
    let text = "You write §call: {\"name\": \"my_tool\", \"args\": {}} on a line of its own.";
    assert_eq!(find(text, Sigil, true), None);
    assert_eq!(find(text, Sigil, false).map(|found| found.kind), Some(Misplaced));
    let text = "You write §call: {\"name\": …} on a line of its own.";
    assert_eq!(find(text, Sigil, true), None);
}
