use super::bench::BenchTable;
use super::callgrind::CallgrindTotal;
use super::table::{MeasureTable, kind};
use super::{MeasureUnit, MeasuredRow, sources};

const KEPT: &str = "\
# `cargo lab measure --save` writes this table.
# measured on 2026-11-29 after commit abc
# on a-1-2 with rustc 1.95.0
lexer, phase, 64 KiB, prose                25000.0 instructions      12.500
lexer, sigil, 4 B, all                       100.0 instructions       0.200
program, size                           20000000.0 bytes                  -
start, `silcrow`, its prompt                  13.0 ms                     -
";

fn kept() -> MeasureTable {
    MeasureTable::parse(KEPT).unwrap()
}

fn row(name: &str, value: f64) -> MeasuredRow {
    let row = MeasuredRow::new(name, value, MeasureUnit::Instructions);
    MeasuredRow { missed: Some(0.2), ..row }
}

#[test]
fn measurements_round_trip() {
    assert_eq!(kept().text(), KEPT);
    assert!(kept().is_of("a-1-2 with rustc 1.95.0") && !kept().is_of("a-1-3 with rustc 1.95.0"));
    let why = MeasureTable::parse("lexer, sigil 4").unwrap_err();
    assert_eq!(why, "xtask/lab/measures.txt: `lexer, sigil 4` is no row");
}

#[test]
fn committed_table_parses() {
    MeasureTable::open(&crate::root()).unwrap();
}

#[test]
fn counts_may_exceed_by_five_percent() {
    let kept = kept();
    for (value, exceeds) in [(50.0, false), (105.0, false), (105.1, true)] {
        let row = row("lexer, sigil, 4 B, all", value);
        assert_eq!(kept.is_exceeded_by(&row), exceeds, "{value}");
    }
    for (missed, exceeds) in [(0.1, false), (0.25, false), (0.27, true)] {
        let row = MeasuredRow { missed: Some(missed), ..row("lexer, sigil, 4 B, all", 90.0) };
        assert_eq!(kept.is_exceeded_by(&row), exceeds, "{missed}");
    }
    assert!(!kept.is_exceeded_by(&row("lexer, sigil, 1 B, all", 1e9)), "nothing to exceed");
    let size = MeasuredRow::new("program, size", 21_000_001.0, MeasureUnit::Bytes);
    assert!(kept.is_exceeded_by(&size) && !size.depends_on_processor());
    let slow = MeasuredRow::new("start, `silcrow`, its prompt", 90.0, MeasureUnit::Milliseconds);
    assert!(!kept.is_exceeded_by(&slow), "times are not compared");
}

#[test]
fn unmeasured_sources_keep_their_rows() {
    let mut kept = kept();
    kept.take(&[row("lexer, sigil, 4 B, all", 90.0)], "a-1-2 with rustc 1.95.0", "2026-11-30");
    let text = kept.text();
    let rows: Vec<_> = text.lines().skip(3).map(|row| row.split("  ").next().unwrap()).collect();
    assert_eq!(rows, ["lexer, sigil, 4 B, all", "program, size", "start, `silcrow`, its prompt"]);
}

#[test]
fn processor_kinds_have_one_name() {
    let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
        model name\t: Some name\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\n";
    assert_eq!(kind(x86, "1.95.0").unwrap(), "genuineintel-6-143 with rustc 1.95.0");
    let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
    assert_eq!(kind(arm, "1.95.0").unwrap(), "0x41-0xd0c with rustc 1.95.0");
    assert!(kind("processor: 0", "1.95.0").is_err());
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
    let total = CallgrindTotal { instructions: 600.0, missed: 9.0 };
    assert_eq!(CallgrindTotal::read(text), Some(total));
    let short = "events: Ir Bc Bcm Bi Bim\ntotals: 600 50\n";
    assert_eq!(CallgrindTotal::read(short), Some(CallgrindTotal { missed: 0.0, ..total }));
    assert_eq!(CallgrindTotal::read("events: Ir\ntotals: 600\n"), None);
    assert_eq!(CallgrindTotal::read("events: Ir Bc Bcm Bi Bim\n"), None);
}

#[test]
fn an_unknown_source_is_named() {
    let why = sources(&["lexer", "lexxer"]).map(drop).unwrap_err();
    assert!(why.contains("`lexxer`") && why.contains("accumulator, encoders"), "{why}");
    assert_eq!(sources(&["server", "lexer"]).unwrap().len(), 2);
}
