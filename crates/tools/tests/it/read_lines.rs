//! Ranges of lines, and lines of any length.

use serde_json::json;
use silcrow_event::Truncation;

use crate::read::{CAP, read};
use crate::{Place, content, unnumbered, why};

#[tokio::test]
async fn range_of_lines_names_the_next() {
    let place = Place::new();
    let text: String = (1..=100).map(|n| format!("line {n}\n")).collect();
    place.put("a.txt", text);
    for (args, shown, summary, next) in [
        (json!({"offset": 1, "limit": 2}), "1\tline 1\n2\tline 2", "lines 1-2 of 100", Some(3)),
        (json!({"offset": 99}), "99\tline 99\n100\tline 100", "lines 99-100 of 100", None),
        (json!({"offset": 50, "limit": 1}), "50\tline 50", "line 50 of 100", Some(51)),
        (json!({"offset": 100, "limit": 9}), "100\tline 100", "line 100 of 100", None),
    ] {
        let mut args = args;
        args["file"] = json!("a.txt");
        let output = read(&place, args).await.unwrap();
        assert_eq!((&*output.content.text(), &*output.summary), (shown, summary));
        let left = next.map(|next| {
            Truncation::default().with_next_offset(next).with_omitted_lines(101 - next)
        });
        assert_eq!(output.truncated, left);
    }
    let output = read(&place, json!({"file": "a.txt", "offset": 101})).await.unwrap();
    assert_eq!((&*output.summary, output.content.text().len()), ("nothing more", 0));
    assert_eq!(output.notices, ["the file ends before: it has 100 lines"]);
}

#[tokio::test]
async fn one_based_numbers_reject_zero() {
    let place = Place::new();
    place.put("a.txt", "x");
    for name in ["offset", "limit", "column"] {
        let why = why(read(&place, json!({"file": "a.txt", name: 0})).await);
        assert_eq!(why, format!("`{name}` is 0, but it counts from 1"));
    }
}

#[tokio::test]
async fn long_file_is_read_on_by_line() {
    let place = Place::new();
    let lines: Vec<_> = (0..9_000).map(|n| format!("{n} {}", "€".repeat(n % 40))).collect();
    place.put("long.txt", lines.join("\n"));
    let (mut found, mut next) = (Vec::new(), 1);
    for _ in 0..100 {
        let output = read(&place, json!({"file": "long.txt", "offset": next})).await.unwrap();
        assert!(output.content.text().len() < 70_000);
        found.extend(unnumbered(&output.content.text()).split('\n').map(str::to_owned));
        let Some(truncated) = output.truncated else { break };
        assert_eq!(truncated.omitted_lines, Some((lines.len() - found.len()) as u64));
        next = truncated.next_offset.unwrap();
    }
    assert_eq!(found, lines);
}

#[tokio::test]
async fn long_unnumbered_text_is_read_on() {
    let place = Place::new();
    let text: String = (0..30_000).map(|n| format!("{n} {}\n", "€".repeat(n % 10))).collect();
    place.put("long.txt", &text);
    let (mut found, mut next) = (String::new(), 1);
    for _ in 0..100 {
        let args = json!({"file": "long.txt", "offset": next, "numbers": false});
        let output = read(&place, args).await.unwrap();
        assert!(output.content.text().len() <= CAP, "the runner need not cut it again");
        found.push_str(&output.content.text());
        let Some(truncated) = output.truncated else { break };
        next = truncated.next_offset.unwrap();
    }
    assert!(found == text, "{} {}", found.len(), text.len());
}

#[tokio::test]
async fn long_line_is_read_on_by_column() {
    let place = Place::new();
    let line = "x€".repeat(60_000);
    place.put("long.txt", format!("first\n{line}\nlast"));
    let output = read(&place, json!({"file": "long.txt", "numbers": true})).await.unwrap();
    let shown = output.content.text();
    let shown: Vec<_> = shown.split('\n').collect();
    assert_eq!((shown[0], shown[2]), ("1\tfirst", "3\tlast"));
    let cut = shown[1].strip_suffix("…[240000 bytes]").unwrap();
    assert!(line.starts_with(&cut[2..]) && cut.len() > 1990, "{}", cut.len());
    let expected =
        "line 2 has 240000 bytes and is cut; it continues with offset 2, limit 1, column 2001";
    assert_eq!(output.notices, [expected]);
    assert_eq!(output.truncated, None);

    let (mut whole, mut column) = (String::new(), 1);
    for _ in 0..10 {
        let args = json!({"file": "long.txt", "offset": 2, "limit": 1, "column": column});
        let output = read(&place, args).await.unwrap();
        whole.push_str(&unnumbered(&output.content.text()));
        let Some(notice) = output.notices.first() else { break };
        column = notice.rsplit_once(' ').unwrap().1.parse().unwrap();
    }
    assert!(whole == line, "{} {}", whole.len(), line.len());
    // In the middle of a character.
    let args = json!({"file": "long.txt", "offset": 2, "limit": 1, "column": 3});
    assert!(content(read(&place, args).await).starts_with("2\tx€"));
    let args = json!({"file": "long.txt", "offset": 2, "limit": 1, "column": 999_999});
    assert_eq!(content(read(&place, args).await), "2\t");
}
