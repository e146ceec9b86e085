//! The recordings of terminals in `docs/recordings`, which `cargo lab record` makes.

use std::fs;

use serde_json::Value;

#[test]
fn page_lists_every_playable_recording() {
    let page = fs::read_to_string("../../docs/recordings.md").unwrap();
    let mut files: Vec<_> = fs::read_dir("../../docs/recordings")
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files.len(), page.matches("](recordings/").count(), "{files:?}");
    for file in files {
        assert!(page.contains(&format!("](recordings/{file})")), "{file} is not on the page");
        let text = fs::read_to_string(format!("../../docs/recordings/{file}")).unwrap();
        assert!(text.len() < 60_000, "{file} has {} bytes", text.len());
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let head = lines.next().unwrap();
        assert_eq!(head["version"], 2, "{file}");
        let (columns, rows) = (head["width"].as_u64().unwrap(), head["height"].as_u64().unwrap());
        let size = |count: u64| u16::try_from(count).unwrap().try_into().unwrap();
        let mut screen = vt100::Parser::new(size(rows), size(columns), 0);
        let (mut last, mut shown) = (0.0, 0);
        for event in lines {
            let time = event[0].as_f64().unwrap();
            assert!(time >= last && event[1] == "o", "{file}: {event}");
            screen.process(event[2].as_str().unwrap().as_bytes());
            (last, shown) = (time, shown + 1);
        }
        assert!(shown > 5 && last < 120.0, "{file}: {shown} screens in {last} s");
        assert!(screen.screen().contents().contains('›'), "{file}");
    }
}
