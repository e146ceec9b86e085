use std::path::PathBuf;

use super::baseline::{Baseline, key};
use super::bench::BenchTable;
use super::callgrind::Total;
use super::{CountOptions, RowCount};

const KEPT: &str = "\
# Instructions a chunk and a byte, and mispredicted branches a chunk: `cargo xtask count --save`.
lexer, phase, 64 KiB, prose          25000.0     0.381    12.500
lexer, sigil, 4 B, all                 100.0    25.000     0.200
parser, sigil, 4 B, all                300.0    75.000     1.000
";

fn kept() -> Baseline {
    Baseline::parse(PathBuf::new(), String::new(), KEPT).unwrap()
}

fn row(name: &str, a_chunk: f64) -> RowCount {
    RowCount { name: name.to_owned(), a_chunk, a_byte: a_chunk / 4.0, missed: 0.2 }
}

#[test]
fn what_is_kept_is_read_again() {
    assert_eq!(kept().text(), KEPT);
    let why =
        Baseline::parse(PathBuf::from("kept.txt"), String::new(), "lexer, sigil 4").unwrap_err();
    assert_eq!(why, "kept.txt: `lexer, sigil 4` is no row");
}

#[test]
fn a_row_may_be_a_little_above_and_no_more() {
    let kept = kept();
    for (a_chunk, exceeds) in [(50.0, false), (102.0, false), (102.1, true)] {
        let row = row("lexer, sigil, 4 B, all", a_chunk);
        assert_eq!(kept.is_exceeded_by(&row), exceeds, "{a_chunk}");
    }
    for (missed, exceeds) in [(0.1, false), (0.25, false), (0.26, true)] {
        let row = RowCount { missed, ..row("lexer, sigil, 4 B, all", 90.0) };
        assert_eq!(kept.is_exceeded_by(&row), exceeds, "{missed}");
    }
    assert!(
        !kept.is_exceeded_by(&row("lexer, sigil, 1 B, all", 1e9)),
        "there is nothing to exceed"
    );
}

#[test]
fn benches_that_were_not_counted_keep_their_rows() {
    let mut kept = kept();
    kept.take(&[row("lexer, sigil, 4 B, all", 90.0)]);
    assert_eq!(
        kept.text(),
        "\
# Instructions a chunk and a byte, and mispredicted branches a chunk: `cargo xtask count --save`.
lexer, sigil, 4 B, all                  90.0    22.500     0.200
parser, sigil, 4 B, all                300.0    75.000     1.000
"
    );
}

#[test]
fn a_kind_of_processor_has_one_name() {
    let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
        model name\t: Some name\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n";
    assert_eq!(key(x86, "1.95.0").unwrap(), "genuineintel-6-143-rustc-1.95.0");
    let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
    assert_eq!(key(arm, "1.95.0").unwrap(), "0x41-0xd0c-rustc-1.95.0");
    assert!(key("processor: 0", "1.95.0").is_err());
}

#[test]
fn tables_are_read_as_benches_print_them() {
    let printed = "
sigil, chunks of 4 B: 1001816 bytes, 250739 chunks
                ns/chunk      GB/s     M out/s  allocs/chunk   /memchr    /first
nothing           221.05     0.018        0.00        0.0000      0.07      0.06
lexer            3765.85     0.001        0.27        0.0000      1.19      1.00

sigil, chunks of 64 KiB: 1001816 bytes, 16 chunks
                ns/chunk      GB/s     M out/s  allocs/chunk   /memchr    /first
lexer         9466037.00     0.007        0.02        0.0000      8.88      1.00
";
    let table = |chunk: &str, chunks, rows: &[&str]| BenchTable {
        chunk: chunk.to_owned(),
        bytes: 1_001_816.0,
        chunks,
        rows: rows.iter().map(|&row| row.to_owned()).collect(),
    };
    assert_eq!(
        BenchTable::read_all(printed),
        [table("4 B", 250_739.0, &["nothing", "lexer"]), table("64 KiB", 16.0, &["lexer"])]
    );
}

#[test]
fn totals_are_read_as_callgrind_writes_them() {
    let text = "events: Ir Bc Bcm Bi Bim\nfn=(1)\n1 5\n\ntotals: 600 50 7 5 2\n";
    let total = Total { instructions: 600.0, missed: 9.0 };
    assert_eq!(Total::read(text), Some(total));
    let short = "events: Ir Bc Bcm Bi Bim\ntotals: 600 50\n";
    assert_eq!(Total::read(short), Some(Total { missed: 0.0, ..total }));
    assert_eq!(Total::read("events: Ir\ntotals: 600\n"), None);
    assert_eq!(Total::read("events: Ir Bc Bcm Bi Bim\n"), None);
}

#[test]
fn an_unknown_bench_is_named() {
    let why = CountOptions::read(&["lexer", "lexxer", "--save"]).map(drop).unwrap_err();
    assert!(why.contains("`lexxer`") && why.contains("accumulator"), "{why}");
}
