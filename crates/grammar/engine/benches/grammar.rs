//! Measures the cost of the grammars in an engine: the time to read one and to compute a mask.
//!
//! Run `cargo bench --manifest-path crates/grammar/engine/Cargo.toml`.
//! `docs/records/2026-11-29-grammars.md` shows the output.

#![expect(clippy::print_stdout, reason = "a bench reports here")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use silcrow_event::{Call, Event, Json};
use silcrow_grammar::{GrammarFormat, grammar};
use silcrow_parser::{Dialect, write};

/// The size of the vocabulary; large models have as many tokens.
const TOKENS: usize = 128_000;

/// The number of rounds; each step counts with its fastest.
const ROUNDS: u32 = 3;

fn main() -> io::Result<()> {
    if !env::args().any(|arg| arg == "--bench") {
        return Ok(());
    }
    let prose =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/architecture.md"))?;
    let tokens = vocabulary(&prose);
    let factory = ParserFactory::new_simple(&tokens).expect("it is a vocabulary");
    println!(
        "{TOKENS} tokens; dialect, bytes of GBNF and Lark, reading Lark, masks: mean, 99 %, most"
    );
    for dialect in Dialect::ALL {
        let [gbnf, lark] = GrammarFormat::ALL.map(|format| grammar(dialect, format, None));
        let steps = tokens.tok_trie().greedy_tokenize(turn(dialect, prose.trim()).as_bytes());
        let (mut reading, mut masks) = (Duration::MAX, vec![Duration::MAX; steps.len()]);
        for _ in 0..ROUNDS {
            let started = Instant::now();
            let grammar = TopLevelGrammar::from_lark(lark.clone());
            let mut matcher = Matcher::new(factory.create_parser(grammar));
            reading = reading.min(started.elapsed());
            for (&token, fastest) in steps.iter().zip(&mut masks) {
                let started = Instant::now();
                let mask = matcher.compute_mask().expect("within the engine's limits");
                *fastest = started.elapsed().min(*fastest);
                assert!(mask.is_allowed(token), "the turn is well-formed");
                matcher.consume_token(token).expect("it is allowed");
            }
            assert_eq!(matcher.is_accepting().ok(), Some(true), "the turn is whole");
        }
        masks.sort_unstable();
        let mean = masks.iter().sum::<Duration>() / masks.len() as u32;
        let (late, most) = (masks[masks.len() * 99 / 100], masks[masks.len() - 1]);
        let (gbnf, lark) = (gbnf.len(), lark.len());
        println!("{dialect:?} {gbnf} {lark} {reading:.1?} {mean:.0?} {late:.1?} {most:.1?}");
    }
    Ok(())
}

/// A thought, an answer with code fences, and a call with long and with deep arguments.
fn turn(dialect: Dialect, prose: &str) -> String {
    let args = format!("{{\"text\": {}, \"deep\": [[[{{\"n\": -1.5e3}}]]]}}", Json::string(prose));
    let content = format!("{{\"name\": \"file_write\", \"args\": {args}}}");
    let call = Call::parse("a1", content).expect("it is a call");
    let events = [Event::think(prose), Event::respond(prose), Event::Call(call), Event::Execute];
    write(&events, dialect)
}

/// Bytes, words of the text, blanks, and invented words: like a model's in number and length.
fn vocabulary(text: &str) -> TokEnv {
    let mut tokens: BTreeSet<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for word in text.split_inclusive([' ', '\n', '.', '<', '>', '`', '"', '(', ')']) {
        tokens.extend([word.as_bytes().to_vec(), format!(" {}", word.trim()).into_bytes()]);
    }
    for blanks in 2..40 {
        tokens.extend([" ".repeat(blanks).into_bytes(), "\n".repeat(blanks).into_bytes()]);
    }
    let syllables = ["ka", "to", "ri", "un", "ess", "<", "me", "\":", "th", "lo", "_", ".\n", "é"];
    for number in 0_usize.. {
        let mut left = number;
        let mut word = String::from(if number % 3 == 0 { "" } else { " " });
        while left > 0 {
            word.push_str(syllables[left % syllables.len()]);
            left /= syllables.len();
        }
        tokens.insert(word.into_bytes());
        if tokens.len() + 1 == TOKENS {
            break;
        }
    }
    let mut words: Vec<_> = tokens.into_iter().filter(|word| !word.is_empty()).collect();
    // The token that ends a text is not text itself.
    words.push(b"\xFF<|end|>".to_vec());
    let count = words.len() as u32;
    let trie = TokTrie::from(&TokRxInfo::new(count, count - 1), &words);
    Arc::new(ApproximateTokEnv::new(trie))
}
