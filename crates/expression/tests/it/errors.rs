use silcrow_expression::{EvaluationLimits, Expression, MAX_DEPTH, MAX_SOURCE};

use crate::outputs::{evaluate, within};

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, why) in cases {
        assert_eq!(evaluate(source), *why, "{source}");
    }
}

#[test]
fn syntax_errors_state_their_position() {
    check(&[
        ("", "a value is missing, at the end"),
        ("n n", "an operator is missing, at `n`"),
        ("n = 1", "a value is compared with `==`, at `= 1`"),
        ("a & b", "use `&&` or `and`, at `& b`"),
        ("(n", "`)` is missing, at the end"),
        ("[1 2]", "`,` or `]` is missing, at `2]`"),
        ("'open", "a string is not closed, at `'open`"),
        ("'\\x41'", "unknown escape; use one of JSON, such as `\\n`, at `\\x41'`"),
        ("12px", "a number ends with a letter, at `12px`"),
        ("1e999", "the number is too large, at `1e999`"),
        ("files.", "the name of a member is missing, at the end"),
        ("and", "a value is missing, at `and`"),
        (
            "size()",
            "`size` takes 1 values, including the one before its dot, but got 0, at `size()`",
        ),
        (
            "filter(files, f)",
            "`filter` is written after its list: `list.filter(x, …)`, at `filter(files, f)`",
        ),
        ("exec('rm')", "unknown function `exec`, at `exec('rm')`"),
        ("ok(1)", "`ok` takes the id of a call, at `1)`"),
    ]);
}

#[test]
fn a_value_of_another_type_is_named() {
    check(&[
        ("missing", "nothing has this name here, at `missing`"),
        ("n == 'three'", "`==` compares a number with a string, at `== 'three'`"),
        ("n < '4'", "`<` compares a number with a string, at `< '4'`"),
        (
            "n + 'x'",
            "`+` takes two numbers, strings or lists, and not a number and a string, at `+ 'x'`",
        ),
        ("n && true", "true or false is needed, and this is a number, at `n && true`"),
        ("not name", "true or false is needed, and this is a string, at `name`"),
        ("files[3]", "the list has 3 items, and none at 3, at `[3]`"),
        ("files[-1]", "the list has 3 items, and none at -1, at `[-1]`"),
        ("object.c", "the object has no member `c`; it has `b`, `a`, at `c`"),
        ("name.first", "`first` is a member of an object, and this is a string, at `first`"),
        ("n.map(x, x)", "a list or an object is needed, and this is a number, at `n.map(x, x)`"),
        ("1 / 0", "a division by 0, at `/ 0`"),
        ("id * 2", "the number is too large, at `* 2`"),
        ("[1, 'a'].sort()", "only numbers, or only strings, have an order, at `sort()`"),
        ("json('{')", "the string is not JSON, at `json('{')`"),
        ("ok(never)", "no call with the id `never` has ended, at `ok(never)`"),
    ]);
}

#[test]
fn sources_have_bounds() {
    let deep = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(evaluate(&deep(MAX_DEPTH - 1)), "1");
    assert!(evaluate(&deep(MAX_DEPTH)).starts_with("the expression has more than 64 levels"));
    for deep in ["[", "!", "-", "not ", "f(", "x.map(y, "] {
        assert!(Expression::parse(&deep.repeat(700)).is_err());
    }
    let chain = |terms: usize| vec!["1"; terms].join(" + ");
    assert_eq!(evaluate(&chain(MAX_DEPTH)), "64");
    assert!(evaluate(&chain(MAX_DEPTH + 1)).starts_with("the expression has more than 64 levels"));
    let long = format!("'{}'", "a".repeat(MAX_SOURCE));
    assert!(evaluate(&long).starts_with("an expression has at most 8192 bytes"));
}

#[test]
fn evaluations_have_bounds() {
    let steps = "range(1000).map(a, range(1000).map(b, range(1000).map(c, 1)))";
    assert!(evaluate(steps).starts_with("the expression takes more than 1000000 steps"));
    // A limit ends the evaluation, even if the other side would decide.
    assert!(evaluate(&format!("{steps} == [] || true")).starts_with("the expression takes more"));
    let limits = EvaluationLimits { max_bytes: 1000, ..EvaluationLimits::default() };
    let doubled = "range(30).map(n, name + name + name + name + name + name)";
    let why = within(doubled, limits);
    assert!(why.starts_with("the values of the expression take more than 1000 bytes"), "{why}");
    for large in ["range(1000000000000)", "'aaaa'.replace('a', name + name)"] {
        let limits = EvaluationLimits { max_steps: 20, max_bytes: 20 };
        assert!(within(large, limits).contains("more than 20"), "{large}");
    }
}
