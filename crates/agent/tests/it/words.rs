//! The words of settings: what is printed is what is parsed.

use silcrow_agent::{ConnectionMode, EagerStart};

#[test]
fn the_word_of_each_setting_is_parsed() {
    for (mode, word) in ConnectionMode::ALL.into_iter().zip(["replay", "resume", "auto"]) {
        assert_eq!(mode.to_string(), word);
        assert_eq!(word.parse(), Ok(mode));
    }
    for (eager, word) in EagerStart::ALL.into_iter().zip(["off", "read-only", "all"]) {
        assert_eq!(eager.to_string(), word);
        assert_eq!(word.parse(), Ok(eager));
    }
    let unknown = "Auto".parse::<ConnectionMode>().unwrap_err();
    assert_eq!(unknown.to_string(), "unknown connection mode; use one of replay, resume, auto");
    let unknown = "readonly".parse::<EagerStart>().unwrap_err();
    assert_eq!(unknown.to_string(), "unknown eager start; use one of off, read-only, all");
}
