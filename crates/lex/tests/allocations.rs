//! The lexer does not allocate, wherever its input is cut.

use std::alloc::System;

use silcrow_lex::{Dialect, Lexer, Options, Utf8Decoder};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// This is the only test of its program, because the count is for the whole process. The thread of
/// the test harness allocates, too, so the smallest count of several passes is compared.
#[test]
fn nothing_is_allocated() {
    for (dialect, text) in TEXTS {
        let text = text.repeat(20);
        for inline in [false, true] {
            for size in [1, 2, 3, 4, 7, 16, 64, 64 << 10] {
                let least = (0..5).map(|_| allocations(dialect, inline, &text, size)).min();
                assert_eq!(least, Some(0), "{dialect:?}, {size}");
            }
        }
    }
}

/// Returns the number of allocations for a text in chunks of `size` bytes.
fn allocations(dialect: Dialect, inline: bool, text: &str, size: usize) -> usize {
    let mut lexer = Lexer::new(Options::new(dialect).with_inline(inline));
    let mut utf8 = Utf8Decoder::new();
    let mut tokens = 0;
    let region = Region::new(ALLOCATOR);
    for bytes in text.as_bytes().chunks(size) {
        utf8.push(bytes, &mut |piece| {
            let mut rest = piece.text;
            while lexer.next(&mut rest).is_some() {
                tokens += 1;
            }
        });
    }
    while lexer.finish().is_some() {
        tokens += 1;
    }
    let change = region.change();
    assert!(tokens > 100, "{dialect:?}, {size}");
    change.allocations + change.reallocations
}

/// A text with delimiters, false starts, escapes, whole and broken calls, fences, tags and
/// comments.
const TEXTS: [(Dialect, &str); 3] = [
    (
        Dialect::Sigil,
        "§think: — (§ 12) 日本 §en\n§§end\n§call: {\"a\": \"\\\"\\\\\n§en\", \"b\": [1, {}]}\n\
         §call: ```json\n{\"a\": 1}\n```\n§call: no\n§execute\n§respond: §endpoint\n§result: x\n",
    ),
    (
        Dialect::Phase,
        "<think>a < b <</think></think><execute>[{\"a\": \"\\\"</execute>\"}, 1, \"x\"]</execute>\
         <execute>```\n[{\"a\": \"\n</execute><results>[]</results><ende>",
    ),
    (
        Dialect::Action,
        "<thought>a <b\n<action type=\"tool\" id='a b' depends_on=[\"x\"]>{\"a\": \"\\n\"} so\
         </action><action x>\n<response final=false>b</response><!-- -- --->c<<action>",
    ),
];
