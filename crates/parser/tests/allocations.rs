//! The parser allocates nothing for text, and for a call a number of times that depends neither on
//! its length nor on the cuts.

use std::alloc::System;

use silcrow_event::Fragment;
use silcrow_parser::{Dialect, Parser};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// This is the only test of its program, because the count is for the whole process. The harness
/// has its own thread, so the smallest count of several passes is compared.
#[test]
fn text_takes_none_and_a_call_few() {
    for dialect in Dialect::ALL {
        for size in [1, 4, 16, 64 << 10] {
            for section in sections(dialect) {
                let text = TEXT.repeat(30);
                let taken = least(dialect, size, section, &text);
                assert_eq!(taken, 0, "{dialect:?}, {section} in chunks of {size}");
            }
            for len in [10, 1000, 100_000] {
                let call = call(dialect, len);
                let first = least(dialect, size, "", &call);
                let second = least(dialect, size, &call, &call);
                // These are the id, the name and the body, and the members and attributes of an
                // action.
                let most = if dialect == Dialect::Action { 5 } else { 3 };
                assert!(second <= most, "{second}: {dialect:?}, {len} in chunks of {size}");
                // The buffers of a tag and a body grow once, by doubling.
                let growth = call.len().ilog2() as usize + 4;
                assert!(first <= most + growth, "{first}: {dialect:?}, {len} in chunks of {size}");
            }
        }
    }
}

/// Returns the number of allocations for a text after another one, in chunks of `size` bytes.
fn least(dialect: Dialect, size: usize, before: &str, text: &str) -> usize {
    let pass = |_| {
        let mut reader = Reader { parser: Parser::new(dialect), size };
        reader.push(before);
        let region = Region::new(ALLOCATOR);
        let given = reader.push(text);
        let change = region.change();
        assert!(given > 0, "{dialect:?}, {size}");
        change.allocations + change.reallocations
    };
    (0..3).map(pass).min().expect("there are passes")
}

struct Reader {
    parser: Parser,
    size: usize,
}

impl Reader {
    /// Returns the number of fragments of text and of calls.
    fn push(&mut self, text: &str) -> usize {
        let mut given = 0;
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.floor_char_boundary(self.size).max(first.len_utf8());
            let (chunk, more) = rest.split_at(end);
            self.parser.push(chunk, &mut |fragment| {
                given += usize::from(matches!(fragment, Fragment::Text(_) | Fragment::Call(_)));
            });
            rest = more;
        }
        given
    }
}

fn sections(dialect: Dialect) -> [&'static str; 2] {
    match dialect {
        Dialect::Sigil => ["§think: ", "§respond: "],
        Dialect::Phase => ["<think>", "<think></think>"],
        Dialect::Action => ["<thought>", "<response final=\"false\">"],
    }
}

/// A text with false starts of delimiters, and with fences.
const TEXT: &str = "Some words — “well” 日本, (§ 12), a < b, §§end, `</x>`.\r\n\n  - one\n    two\n\
    ```rust\n§cal: {}\n<en>\n  ```\n~~~~\n```\n~~~~\n§```\n <```\n``\n§ and <\n";

fn call(dialect: Dialect, len: usize) -> String {
    let args = format!("{{\"path\":\"a/b\",\"text\":\"{}\"}}", "\\n\\\"x ".repeat(len / 6));
    match dialect {
        Dialect::Sigil => format!("§call: {{\"name\":\"write\",\"args\":{args}}}\n"),
        Dialect::Phase => {
            format!("<execute>[{{\"name\":\"write\",\"args\":{args}}}]</execute>\n")
        }
        Dialect::Action => {
            let tag = "<action type=\"tool\" mode=\"async\">";
            format!("{tag}{{\"name\":\"write\",\"parameters\":{args}}}</action>\n")
        }
    }
}
