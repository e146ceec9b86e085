use super::{
    CHAT, FinishMeaning, FinishTable, GEMINI, INCOMPLETE, INTERACTIONS, LIVE, MESSAGES, RESPONSES,
    find,
};
use silcrow_provider::ErrorKind;

const ALL: [&FinishTable; 7] = [CHAT, MESSAGES, RESPONSES, INCOMPLETE, GEMINI, INTERACTIONS, LIVE];

#[test]
fn finish_words_are_unique_per_table() {
    for ends in ALL {
        let words: Vec<_> =
            ends.iter().flat_map(|(_, words)| *words).map(|word| word.to_lowercase()).collect();
        for (at, word) in words.iter().enumerate() {
            assert!(!words[..at].contains(word), "{word} is there twice");
        }
    }
}

#[test]
fn unknown_finish_words_are_malformed() {
    for ends in ALL {
        for word in ["", "new", "stop it", "unstop"] {
            assert_eq!(find(ends, word), FinishMeaning::Failed(ErrorKind::Malformed), "{word}");
        }
    }
    assert_eq!(find(CHAT, "STOP"), FinishMeaning::Stop);
    assert_eq!(find(CHAT, "MAX_TOKENS"), FinishMeaning::Length);
}
