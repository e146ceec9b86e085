//! Verdicts about commands: the table of cases, laws over generated texts, and hostile sizes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use silcrow_policy::{CommandVerdict, judge_command};

const TABLE: &str = include_str!("../cases/commands.txt");

#[test]
fn every_command_of_the_table_gets_its_verdict() {
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, expected, text) in cases() {
        let verdict = judge_command(&text);
        *counts.entry(expected).or_insert(0) += 1;
        if verdict.as_str() != expected {
            wrong.push(format!("line {line}: {text:?} is {verdict}, and not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all: usize = counts.values().sum();
    assert!(all >= 500 && counts.len() == 3, "{counts:?}");
}

#[test]
fn dangerous_parts_make_commands_not_harmless() {
    for text in harmless() {
        for part in DANGEROUS {
            for text in [format!("{text}{part}"), format!("{text}\n{part}")] {
                assert_ne!(judge_command(&text), CommandVerdict::Harmless, "{text:?}");
            }
        }
        for text in [format!("rm x; {text}"), format!("x={text}; {text}"), format!("({text})")] {
            assert_ne!(judge_command(&text), CommandVerdict::Harmless, "{text:?}");
        }
    }
}

#[test]
fn every_reason_reads_as_a_clause() {
    for (line, _, text) in cases() {
        let verdict = judge_command(&text);
        let Some(why) = verdict.reason() else { continue };
        let begins_well = why.starts_with(['`', 'i', 't', 'a']);
        assert!(begins_well && why.len() < 200, "line {line}: {why}");
    }
}

#[test]
fn endless_nesting_and_length_need_approval() {
    let many = 100_000;
    let texts = [
        "(".repeat(many),
        ")".repeat(many),
        "$(".repeat(many),
        "`".repeat(many),
        "{ ".repeat(many),
        "${".repeat(many),
        "\"$(".repeat(many),
        "<(".repeat(many),
        "eval ".repeat(many),
        "sudo ".repeat(many),
        "if ".repeat(many),
        "a=b ".repeat(many),
        "ls;".repeat(many),
        "ls|".repeat(many) + "ls",
        "x".repeat(many),
        "ls ".to_owned() + &"a".repeat(many),
        "ls ".to_owned() + &"{".repeat(many),
        "ls ".to_owned() + &"*".repeat(many),
        "cat <<E\n".repeat(many),
        "sh -c '".repeat(many),
    ];
    for text in texts {
        for cut in [text.len(), 60_000, 1_000, 100] {
            let text = &text[..cut.min(text.len())];
            let verdict = judge_command(text);
            let is_short = text.len() < 64 * 1024;
            let is_list = text.starts_with("ls") && is_short;
            assert!(is_list || matches!(verdict, CommandVerdict::Ask(_)), "{text:.20}: {verdict}");
        }
    }
}

#[test]
fn overly_deep_wrappers_need_approval() {
    let deep = "sudo ".repeat(5) + "rm -rf /";
    assert_eq!(judge_command(&deep).as_str(), "forbidden");
    let deeper = "sudo ".repeat(500) + "rm -rf /";
    assert_ne!(judge_command(&deeper).as_str(), "harmless");
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = judge_command(&text);
    }

    /// A text with a dangerous part stays dangerous, whatever follows.
    #[test]
    fn a_dangerous_part_is_never_harmless(
        before in prop::sample::select(harmless()),
        part in prop::sample::select(DANGEROUS),
        after in prop::collection::vec(prop::sample::select(PIECES), 0..8),
    ) {
        let text = format!("{before}{part} {}", after.concat());
        prop_assert_ne!(judge_command(&text), CommandVerdict::Harmless, "{:?}", text);
    }
}

/// Returns the harmless texts of the table in which no comment could swallow the text after it.
fn harmless() -> Vec<String> {
    let harmless = cases().filter(|(_, expected, _)| *expected == "harmless");
    harmless.map(|(_, _, text)| text).filter(|text| !text.contains('#')).collect()
}

/// The endings that make every command dangerous.
const DANGEROUS: &[&str] = &[
    " ; rm -rf x",
    ";rm x",
    "\nrm x",
    " && rm x",
    " || rm x",
    " | sh",
    " | tee x",
    " > x",
    " >> x",
    " &",
    " & rm x",
    " $(rm x)",
    " `rm x`",
    " $X",
    " <(rm x)",
    " < x",
    "\n./x",
    " ; X=y ls",
    " ; (ls)",
];

const PIECES: &[&str] = &[
    "ls",
    "cat",
    "git",
    "status",
    "find",
    "rm",
    "echo",
    "sh",
    "-c",
    "-l",
    "-exec",
    "--output=x",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "|",
    "||",
    "&&",
    "&",
    "'",
    "\"",
    "\\",
    "\\\n",
    "$",
    "$(",
    "`",
    "${",
    "}",
    "{",
    "(",
    ")",
    "<",
    ">",
    ">&",
    "2>&1",
    "/dev/null",
    "<<",
    "<<<",
    "EOF",
    "#",
    "~",
    "*",
    "?",
    "[",
    "]",
    "a",
    "a,b",
    "=",
    "!",
    "x=y",
    "/",
    "..",
    ".env",
    "\t",
    "é",
];

/// Returns the line, the verdict and the text of each case.
fn cases() -> impl Iterator<Item = (usize, &'static str, String)> {
    let lines = TABLE.lines().enumerate().filter(|(_, line)| {
        let is_comment = line.starts_with("# ") || line.starts_with("## ");
        !line.is_empty() && !is_comment
    });
    lines.map(|(at, line)| {
        let (verdict, text) = line.split_once(' ').unwrap_or((line, ""));
        (at + 1, verdict, unmarked(text))
    })
}

/// Replaces the marks of a text by the text that they stand for.
fn unmarked(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟨') {
        let (number, after) = after.split_once('⟩').expect("a mark ends with ⟩");
        plain.push_str(before);
        let number = u32::from_str_radix(number, 16).expect("a mark has a number");
        plain.push(char::from_u32(number).expect("a mark is a character"));
        rest = after;
    }
    (plain + rest).replace('␊', "\n").replace('␉', "\t")
}
