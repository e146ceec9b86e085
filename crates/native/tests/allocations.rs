//! The parser allocates nothing for text, in any family, however it is cut.

use std::alloc::System;

use silcrow_native::{Fragment, NativeFamily, NativeParser};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

/// An allocator that counts. Writing one needs unsafe code, which is forbidden here.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// This is the only test of its program, because the count is for the whole process. The harness
/// has its own thread, so the smallest count of several passes is compared.
#[test]
fn text_takes_none() {
    for family in NativeFamily::all() {
        for size in [1, 4, 16, 64 << 10] {
            for in_thought in [false, true] {
                let text = TEXT.repeat(30);
                // A fence may be a call of this family.
                let is_opener = family.name() == "xlam";
                let text = if is_opener { text.replace("```", "") } else { text };
                let taken = (0..3).map(|_| count(family, size, in_thought, &text)).min();
                assert_eq!(taken, Some(0), "{family} in chunks of {size}, {in_thought}");
            }
        }
    }
}

/// Returns the number of allocations for a text in chunks of `size` bytes.
fn count(family: NativeFamily, size: usize, in_thought: bool, text: &str) -> usize {
    let parser = NativeParser::new(family);
    let mut parser = if in_thought { parser.with_open_thought() } else { parser };
    let mut given = 0;
    let mut take = |fragment: Fragment<'_>| {
        if let Fragment::Text(piece) = fragment {
            given += piece.text.len();
        }
    };
    // The header of a message, if there is one, and the beginning of the answer.
    parser.push("Well. <a [b ]c `d` > e\n", &mut take);
    let region = Region::new(ALLOCATOR);
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
        parser.push(piece, &mut take);
        rest = left;
    }
    let change = region.change();
    assert!(given > text.len() / 2, "{family}, {size}");
    change.allocations + change.reallocations
}

const TEXT: &str = "1 < 2, a <b> and [1, 2] are text. Naïve: `code` and <|not a mark|>,\n\
    ```\nfenced <tool> text\n```\n> quoted\nf(x) {\"a\": 1} -> functions, Here is what it says; 日本語.\n";
