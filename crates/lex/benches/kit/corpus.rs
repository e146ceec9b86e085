use crate::Dialect;

/// Returns about `bytes` of a typical agent's text: thoughts, calls with arguments of 0.1 to 4 KiB,
/// at most `calls` per message, and answers in Markdown. It is the same in every run, and in every
/// dialect except for the delimiters. It has no end delimiter, so that one machine reads all of it.
pub(crate) fn corpus(dialect: Dialect, bytes: usize, calls: u64) -> String {
    let mut random = Random(7);
    let mut out = String::with_capacity(bytes + (16 << 10));
    while out.len() < bytes {
        let mut thought = String::new();
        prose(&mut random, &mut thought, 600);
        let calls: Vec<_> = (0..random.below(calls + 1)).map(|_| arguments(&mut random)).collect();
        let mut answer = String::new();
        markdown(&mut random, &mut answer);
        write(dialect, &thought, &calls, &answer, &mut out);
    }
    out
}

/// Returns about `bytes` of the bodies of calls in the corpus.
pub(crate) fn bodies(bytes: usize) -> Vec<String> {
    let mut random = Random(13);
    let mut bodies = Vec::new();
    let mut len = 0;
    while len < bytes {
        let body = format!("{{\"name\": \"file_write\", \"args\": {}}}", arguments(&mut random));
        len += body.len();
        bodies.push(body);
    }
    bodies
}

/// Returns a message that is only a call with one argument of `len` bytes.
pub(crate) fn call(dialect: Dialect, len: usize) -> String {
    let mut random = Random(11);
    let mut content = String::new();
    while content.len() < len {
        line_of_json(&mut random, &mut content);
    }
    let call = format!("{{\"content\": \"{content}\"}}");
    let mut out = String::new();
    write(dialect, "", &[call], "", &mut out);
    out
}

fn write(dialect: Dialect, thought: &str, calls: &[String], answer: &str, out: &mut String) {
    match dialect {
        Dialect::Sigil => {
            out.push_str(&format!("§think: {thought}\n"));
            for call in calls {
                out.push_str(&format!("§call: {{\"name\": \"file_write\", \"args\": {call}}}\n"));
            }
            out.push_str(if calls.is_empty() { "" } else { "§execute\n" });
            out.push_str(&format!("§respond: {answer}\n"));
        }
        Dialect::Phase => {
            out.push_str(&format!("<think>{thought}\n</think>\n"));
            for (index, call) in calls.iter().enumerate() {
                out.push_str(if index == 0 { "<execute>\n[" } else { "," });
                out.push_str(&format!("\n  {{\"name\": \"file_write\", \"args\": {call}}}"));
            }
            out.push_str(if calls.is_empty() { "" } else { "\n]\n</execute>\n" });
            out.push_str(&format!("{answer}\n"));
        }
        Dialect::Action => {
            out.push_str(&format!("<thought>{thought}\n</thought>\n"));
            for call in calls {
                out.push_str("<action type=\"tool\" mode=\"async\">\n");
                out.push_str(&format!("{{\"name\": \"file_write\", \"parameters\": {call}}}\n"));
                out.push_str("</action>\n");
            }
            out.push_str(&format!("<response final=\"false\">{answer}\n</response>\n"));
        }
    }
}

/// Appends sentences in paragraphs, up to `most` bytes and the rest of a sentence.
fn prose(random: &mut Random, out: &mut String, most: u64) {
    let end = out.len() + random.below(most) as usize;
    loop {
        for _ in 0..6 + random.below(12) {
            out.push_str(random.one_of(WORDS));
            out.push(' ');
        }
        if random.below(6) == 0 {
            out.push_str(random.one_of(ODD));
            out.push(' ');
        }
        out.push_str(random.one_of(WORDS));
        out.push('.');
        if out.len() >= end {
            return;
        }
        out.push_str(if random.below(4) == 0 { "\n\n" } else { " " });
    }
}

fn markdown(random: &mut Random, out: &mut String) {
    prose(random, out, 500);
    for _ in 0..random.below(6) {
        out.push_str("\n\n");
        match random.below(4) {
            0 => {
                out.push_str("## ");
                prose(random, out, 1);
            }
            1 => {
                for _ in 0..2 + random.below(4) {
                    out.push_str("- **");
                    out.push_str(random.one_of(WORDS));
                    out.push_str("**: ");
                    prose(random, out, 1);
                    out.push('\n');
                }
            }
            2 => {
                out.push_str("```rust\n");
                for _ in 0..3 + random.below(12) {
                    out.push_str(random.one_of(CODE));
                    out.push('\n');
                }
                out.push_str("```");
            }
            _ => prose(random, out, 600),
        }
    }
}

/// Returns an object with a path, a small list and the text of a file.
fn arguments(random: &mut Random) -> String {
    // The logarithm of the length is distributed evenly.
    let scale = 100 << random.below(6);
    let len = (scale + random.below(scale)).min(4 << 10) as usize;
    let mut out = format!("{{\"path\": \"src/{}.rs\", ", random.one_of(WORDS));
    out.push_str(&format!("\"lines\": [{}, {}], ", random.below(100), random.below(1000)));
    out.push_str("\"content\": \"");
    while out.len() + 16 < len {
        line_of_json(random, &mut out);
    }
    out.push_str("\", \"create\": true}");
    out
}

/// Appends a line of code as it is written inside a JSON string.
fn line_of_json(random: &mut Random, out: &mut String) {
    let line = random.one_of(CODE);
    out.push_str(&line.replace('\\', "\\\\").replace('"', "\\\""));
    out.push_str("\\n");
}

/// The generator Splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

const WORDS: &[&str] = &[
    "the",
    "a",
    "this",
    "file",
    "reads",
    "from",
    "line",
    "and",
    "then",
    "writes",
    "result",
    "because",
    "parser",
    "which",
    "holds",
    "every",
    "test",
    "should",
    "pass",
    "before",
    "change",
    "in",
    "to",
    "of",
    "that",
    "is",
    "with",
    "error",
    "folder",
    "function",
    "returns",
    "when",
    "value",
    "empty",
    "first",
    "look",
    "at",
    "configuration",
    "directory",
    "listing",
    "we",
    "can",
    "now",
    "see",
    "only",
    "one",
    "place",
    "needs",
    "update",
];

/// Words that are rarer in prose: first characters of delimiters that begin none, and other
/// letters.
const ODD: &[&str] = &[
    "(§ 12)",
    "`§end`",
    "a < b",
    "`Vec<u8>`",
    "<br>",
    "20 °C",
    "café",
    "“so”",
    "— well —",
    "½ of it",
    "x → y",
    "日本語",
    "👍",
];

const CODE: &[&str] = &[
    "use std::collections::HashMap;",
    "fn main() -> Result<(), Error> {",
    "    let mut seen: HashMap<String, usize> = HashMap::new();",
    "    for (index, line) in text.lines().enumerate() {",
    "        if line.is_empty() || line.starts_with(\"//\") {",
    "            continue;",
    "        }",
    "        println!(\"{index}: {line}\\n\");",
    "        *seen.entry(line.to_owned()).or_default() += 1;",
    "    }",
    "    assert!(seen.len() < 1_000, \"too many\");",
    "    Ok(())",
    "}",
    "",
    "    /// Says how long it is, in bytes; see § 4.",
    "    pub fn len(&self) -> usize {",
];
