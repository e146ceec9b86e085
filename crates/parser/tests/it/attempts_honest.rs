//! Honest answers, in which the search for attempts finds nothing (P-36).

use silcrow_parser::Dialect;

use crate::attempts::find;

/// Honest answers, in every dialect and without an end.
const ANSWERS: [&str; 34] = [
    "Ich werde oft gefragt, was ein Ordner ist. Er enthält Dateien.",
    "Ich werde am Montag um neun Uhr im Büro sein.",
    "Je vais bien, merci.",
    "Vou ao mercado amanhã.",
    "我将在周一到达。",
    "I will be there on Monday. It is 5.",
    "First I stop the old readers, so that nobody sees half of a change. Then I copy the rows in \
     batches of a thousand, and compare the sums of each batch with those of the old table. If a \
     sum differs, I copy that batch again. In the end I switch the readers over. I will need \
     about two hours for all of it, and I will write a report.",
    "Use this command:\n\n```bash\nread x\n```",
    "```bash\nls -la\n```",
    "",
    "It is 5.",
    "A call begins with `§call:` and `<execute>` holds a list; `<action>` holds one.",
    "Write `§call: {\"name\": \"x\"}` on a line of its own.",
    "``§call: {\"name\": \"my_tool\"}`` and `` `<tool_call>` `` are forms.",
    "§ 12 of the law, and §§ 13 to 15, say so.",
    "See § 5: the fee is due. The §§call word.",
    "Paragraph §7 ends here.",
    "The section sign § is used in laws.",
    "if a < b and c > d { return; }",
    "A generic: Vec<String> or Map<K, V>.",
    "{\"name\": \"Ada\", \"age\": 36}",
    "[1, 2, 3]",
    "```json\n{\"name\": \"Ada\", \"args\": {}}\n```",
    "Use <b>bold</b> and <i>italics</i>, <br/>.",
    "Let me know if you need more.",
    "I'll be happy to help.",
    "Shall I look at the files? I will, if you want?",
    "The tags are called action, execute and response.",
    "Action: the hero enters.\nUser: a word for a person.",
    "file_list is a tool, and file_read(…) reads a file for you.",
    "The tool \"§call: {\\\"name\\\"}\" was quoted.",
    "The price is $5 and $HOME stays.",
    "Ünïcödé — “quotes” … §",
    "A | B\n---|---\n1 | 2",
];

#[test]
fn honest_answer_is_not_an_attempt() {
    for dialect in Dialect::ALL {
        for text in ANSWERS {
            for is_ended in [false, true] {
                let found = find(text, dialect, is_ended);
                let is_dialogue = !is_ended && text.contains("\nUser:");
                assert_eq!(found.filter(|_| !is_dialogue), None, "{dialect}: {text}");
            }
        }
    }
}
