//! The meaning of each part of a file.

use serde_json::json;
use silcrow_cases::{Case, CaseFile, CaseText};

#[track_caller]
fn wire(lines: &str) -> Vec<u8> {
    case(&format!("=== a\n---\n{lines}\n")).wire.as_bytes().to_vec()
}

#[track_caller]
fn case(text: &str) -> Case {
    CaseFile::read(text).unwrap().cases.remove(0)
}

#[test]
fn a_text_is_its_lines() {
    assert_eq!(wire(""), b"");
    assert_eq!(wire("a"), b"a");
    assert_eq!(wire("\n\n a\n\nb\n\n"), b" a\n\nb");
    assert_eq!(wire("\"\\n\" <b> # key: value"), b"\"\\n\" <b> # key: value");
}

#[test]
fn symbols_stand_for_invisible_bytes() {
    assert_eq!(wire("a␠\n␉b␍\nc␊"), b"a \n\tb\r\nc\n");
    assert_eq!(wire("␊␊a"), b"\n\na");
    assert_eq!(wire("␊\n␊"), b"\n\n\n");
    assert_eq!(wire("⟨ff 0A⟩⟨e2 90 a0⟩"), b"\xff\n\xe2\x90\xa0");
    assert_eq!(wire("⟨2d⟩-- a\n⟨3d⟩=="), b"--- a\n===");
}

#[test]
fn a_text_may_be_cut() {
    let pieces = |lines: &str| {
        let case = case(&format!("=== a\n---\n{lines}\n"));
        let pieces = case.wire.pieces().into_iter();
        (
            pieces.map(|piece| String::from_utf8_lossy(piece).into_owned()).collect::<Vec<_>>(),
            case.wire.is_cut(),
        )
    };
    assert_eq!(pieces("a\nb"), (vec!["a\nb".to_owned()], false));
    assert_eq!(pieces("┊a┊┊\n§e"), (["", "a", "", "\n§e"].map(str::to_owned).to_vec(), true));
    assert_eq!(CaseText::from_pieces(&["a", "", "b"]).pieces(), [&b"a"[..], b"", b"b"]);
}

#[test]
fn case_headers_override_the_files_header() {
    let file = "dialect: a\nflags: --b --c\n\n=== d\n---\n\n=== e\ndialect: f\n---\n";
    let file = CaseFile::read(file).unwrap();
    let values: Vec<_> = file.cases.iter().map(|case| case.value("dialect")).collect();
    assert_eq!(values, [Some("a"), Some("f")]);
    assert_eq!(file.cases[1].words("flags").collect::<Vec<_>>(), ["--b", "--c"]);
    assert_eq!(file.cases[1].words("clauses").count(), 0);
}

#[test]
fn sections_are_events() {
    let text = "=== a\n---\n--- think\nb\n\nc\n--- call\n{}\n--- call \"d e\" type=tool retry=2 depends_on=[\"f g\"]\n\
        {}\n--- invalid_call a1 truncated=true\n--- error stray at=4\n--- error stray at=4\nx\n--- execute\n\
        --- respond final=false\n\n--- emitted\na┊b\n--- end\n\n--- result t status=success\n";
    let events = case(text).events();
    assert_eq!(
        json!(events),
        json!([
            {"type": "think", "content": "b\n\nc"},
            {"type": "call", "content": "{}"},
            {"type": "call", "id": "d e", "content": "{}",
             "action": {"type": "tool", "retry": 2, "depends_on": ["f g"]}},
            {"type": "invalid_call", "id": "a1", "truncated": true},
            {"type": "error", "code": "stray", "at": 4},
            {"type": "error", "code": "stray", "at": 4, "content": "x"},
            {"type": "execute"},
            {"type": "respond", "content": "", "final": false},
            {"type": "end"},
        ])
    );
}

#[test]
fn json_like_words_are_json() {
    let section = case("=== a\n---\n--- call \"1\" b=1 c=\"1\" d=e f=\"g h\" i=nul j=null\n")
        .sections
        .remove(0);
    assert_eq!(section.subject.as_deref(), Some("1"));
    let values =
        ["b", "c", "d", "f", "i", "j"].map(|name| section.attribute(name).unwrap().clone());
    assert_eq!(json!(values), json!([1, "1", "e", "g h", "nul", null]));
}
