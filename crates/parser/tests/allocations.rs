//! What reading allocates: nothing for text, and for a call a number that its length and the cuts
//! do not change.

use std::alloc::System;

use silcrow_event::Fragment;
use silcrow_parser::{Dialect, Parser};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// Counting needs an allocator, and writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// In a program of its own and in one test, because the count is of the whole process.
#[test]
fn text_takes_none_and_a_call_few() {
    for dialect in Dialect::ALL {
        for size in [1, 4, 16, 64 << 10] {
            for section in sections(dialect) {
                let mut reader = Reader::new(dialect, size);
                reader.count(section);
                let (taken, given) = reader.count(&TEXT.repeat(30));
                assert!(given > 0, "{dialect:?}, {size}");
                assert_eq!(taken, 0, "{dialect:?}, {section} in chunks of {size}");
            }
            for len in [10, 1000, 100_000] {
                let call = call(dialect, len);
                let mut reader = Reader::new(dialect, size);
                let (first, _) = reader.count(&call);
                let (second, given) = reader.count(&call);
                assert_eq!(given, 1, "{dialect:?}, {len} in chunks of {size}");
                // Id, name and body; of an action also its members and what it says.
                let most = if dialect == Dialect::Action { 5 } else { 3 };
                assert!(second <= most, "{second}: {dialect:?}, {len} in chunks of {size}");
                // Room for a tag and a body is taken once, and doubles.
                let growth = call.len().ilog2() as usize + 4;
                assert!(first <= most + growth, "{first}: {dialect:?}, {len} in chunks of {size}");
            }
        }
    }
}

struct Reader {
    parser: Parser,
    size: usize,
}

impl Reader {
    fn new(dialect: Dialect, size: usize) -> Self {
        Self { parser: Parser::new(dialect), size }
    }

    /// How many allocations a text takes, and how many pieces of text and calls it gives.
    fn count(&mut self, text: &str) -> (usize, usize) {
        let mut given = 0;
        let region = Region::new(ALLOCATOR);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.floor_char_boundary(self.size).max(first.len_utf8());
            let (chunk, more) = rest.split_at(end);
            self.parser.push(chunk, &mut |fragment| {
                given += usize::from(matches!(fragment, Fragment::Text(_) | Fragment::Call(_)));
            });
            rest = more;
        }
        let change = region.change();
        (change.allocations + change.reallocations, given)
    }
}

fn sections(dialect: Dialect) -> [&'static str; 2] {
    match dialect {
        Dialect::Sigil => ["§think: ", "§respond: "],
        Dialect::Phase => ["<think>", "<think></think>"],
        Dialect::Action => ["<thought>", "<response final=\"false\">"],
    }
}

/// It holds false starts of markers, and fences.
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
