use crate::outputs::evaluate;

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (source, value) in cases {
        assert_eq!(evaluate(source), *value, "{source}");
    }
}

#[test]
fn literals_are_json_and_a_little_more() {
    check(&[
        ("null", "null"),
        ("true", "true"),
        ("12", "12"),
        ("1.50", "1.5"),
        ("1e3", "1000.0"),
        ("-2", "-2"),
        ("\"a\\n\\u00e9\"", "\"a\\né\""),
        ("'it\\'s'", "\"it's\""),
        ("[1, 'a', [], ]", "[1,\"a\",[]]"),
        ("{'b': 1, 'a': {}, 'b': 2}", "{\"a\":{},\"b\":2}"),
        ("id", "18446744073709551615"),
    ]);
}

#[test]
fn operators_bind_as_in_the_common_expression_language() {
    check(&[
        ("1 + 2 * 3 - 4", "3"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 % 3", "-1"),
        ("7 / 2.0", "3.5"),
        ("-n * 2", "-6"),
        ("1 < 2 && 2 <= 2 || false", "true"),
        ("false or true and false", "false"),
        ("!true == false", "true"),
        ("not n == 3", "false"),
        ("not false and true", "true"),
        ("n > 2 ? 'many' : 'few'", "\"many\""),
        ("false ? 1 : false ? 2 : 3", "3"),
        ("'a' in words and 'x' in 'xy' and 'b' in object", "true"),
        ("'a' + 'b'", "\"ab\""),
        ("[1] + [2]", "[1,2]"),
        ("1 == 1.0", "true"),
        ("n == null", "false"),
        ("none == null and none != 1", "true"),
        ("[1, 'a'] == [1.0, 'a']", "true"),
        ("{'a': 1, 'b': 2} == {'b': 2, 'a': 1}", "true"),
        ("'a' < 'b'", "true"),
        ("id > 0.5 and -0.5 < 0", "true"),
    ]);
}

#[test]
fn variables_have_members_and_items() {
    check(&[
        ("$n + n", "6"),
        ("files[1].path", "\"b\""),
        ("$object.a.deep[0]", "true"),
        ("object['b']", "1"),
        ("has(object.a.deep)", "true"),
        ("exists($object.x.y.z)", "false"),
        ("has(missing.x) or has(files[9])", "false"),
        ("has(none.x)", "false"),
    ]);
}

#[test]
fn ends_of_calls_are_tests() {
    check(&[
        ("ok(list)", "true"),
        ("failed('fetch-1')", "true"),
        ("failed(stopped)", "true"),
        ("skipped(late)", "true"),
        ("ok(late) || skipped(list)", "false"),
    ]);
}

#[test]
fn loops_bind_a_variable() {
    check(&[
        ("files.filter(f, f.size > 50).map(f, f.path)", "[\"a\",\"b\"]"),
        ("files.map(f, f.size > 50, f.size * 2)", "[180,2400]"),
        ("files.all(f, f.size > 0)", "true"),
        ("files.exists(f, f.path == 'c')", "true"),
        ("files.exists_one(f, f.size > 50)", "false"),
        ("files.sortBy(f, f.size).map(f, f.path)", "[\"c\",\"a\",\"b\"]"),
        ("object.map(key, key)", "[\"b\",\"a\"]"),
        ("[1, 2].map(x, [10, 20].map(y, x + y))", "[[11,21],[12,22]]"),
        ("[1].map(n, n + $n)", "[2]"),
        ("[].all(x, x)", "true"),
    ]);
}

#[test]
fn functions_are_methods_too() {
    check(&[
        ("len(files) == files.size()", "true"),
        ("size(name)", "5"),
        ("files.map(f, f.size).sum()", "1295"),
        ("[1, 0.5].sum()", "1.5"),
        ("min([3, 1, 2]) + max([3, 1, 2])", "4"),
        ("words.sort()", "[\"a\",\"b\",\"b\"]"),
        ("words.distinct()", "[\"b\",\"a\"]"),
        ("[[1], [2, [3]], 4].flatten()", "[1,2,[3],4]"),
        ("range(3).reverse()", "[2,1,0]"),
        ("range(5).slice(1, 3) + range(2).slice(1)", "[1,2,1]"),
        ("words.join(', ')", "\"b, a, b\""),
        ("keys(object) + values({'x': 1})", "[\"b\",\"a\",1]"),
        ("'a,b'.split(',')", "[\"a\",\"b\"]"),
        ("'a\\nb\\n'.lines()", "[\"a\",\"b\"]"),
        ("' Aé '.trim().lowerAscii()", "\"aé\""),
        ("name.slice(4)", "\"é\""),
        ("'a.b'.replace('.', '-')", "\"a-b\""),
        ("name.startsWith('Ada') && name.endsWith('é')", "true"),
        ("name.contains('da') and words.contains('a')", "true"),
        ("string(n) + string([1])", "\"3[1]\""),
        ("int('12') + int(2.9) + int(' 3 ')", "17"),
        ("double('0.5') + double(1)", "1.5"),
        ("type(1) + type(null) + type([])", "\"intnulllist\""),
        ("json('{\"a\": [1]}').a[0]", "1"),
    ]);
}

#[test]
fn deciding_operand_hides_errors_of_the_other() {
    check(&[
        ("missing || true", "true"),
        ("true || missing", "true"),
        ("missing && false", "false"),
        ("none == null || none.size() > 3", "true"),
    ]);
}
