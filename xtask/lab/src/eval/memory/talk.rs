//! The conversations that the questions are about, made of lists of words.

use serde_json::{Value, json};

use crate::eval::verdict::of_type;

/// A conversation in which a person tells four facts and then speaks about other things.
pub(super) struct Talk {
    index: usize,
    pub(super) facts: [Fact; 4],
}

/// A person's statement, the question about it, and the word that is its answer.
pub(super) struct Fact {
    said: String,
    pub(super) question: String,
    answer: String,
}

/// A person's statement, a search for it in earlier conversations, and the answer.
struct Exchange {
    said: String,
    found: Option<Found>,
    answer: String,
}

/// The words of a search and its results.
struct Found {
    query: String,
    rows: String,
}

impl Talk {
    /// The number of conversations.
    pub(super) const COUNT: usize = 6;

    /// Returns the conversation with this index, which is less than [`COUNT`](Self::COUNT).
    pub(super) fn new(index: usize) -> Self {
        let name = |kind: usize| NAMES[index * 4 + kind];
        let number = (4129 + index * 137).to_string();
        let fact = |said: String, question: String, answer: &str| Fact {
            said,
            question,
            answer: answer.to_owned(),
        };
        let of = |kind: usize, what: &str, answer: &str| {
            let name = name(kind);
            let said = format!("The {what} of {name} is {answer}.");
            fact(said, format!("What is the {what} of {name}?"), answer)
        };
        let (key, place) = (name(2), PLACES[index]);
        let facts = [
            of(0, "home town", TOWNS[index]),
            of(1, "phone number", &number),
            fact(
                format!("The spare key of {key} is in the {place}."),
                format!("Where is the spare key of {key}?"),
                place,
            ),
            of(3, "favourite dish", DISHES[index]),
        ];
        Self { index, facts }
    }

    /// Returns the person's statements, as notes in place of a summary.
    pub(super) fn notes(&self) -> String {
        self.facts.each_ref().map(|fact| fact.said.as_str()).join("\n")
    }

    /// Returns the id of the conversation.
    pub(super) fn id(&self) -> String {
        format!("talk-{}", self.index)
    }

    /// Returns an export with the conversation, and with earlier ones of the same person, each of which
    /// has a fact about somebody else amid other things. With the tool `recall` two of the last questions are
    /// about such facts, and the tool finds them.
    pub(super) fn export(&self, has_recall: bool) -> String {
        let others = (0..Self::COUNT).filter(|index| *index != self.index).map(Self::new);
        let others = others.flat_map(|other| other.facts).chain(recalled());
        let mut lines = vec![json!({"silcrow": "export 1"})];
        for (number, fact) in others.enumerate() {
            let exchanges = [sums(number + 300), fact.told(), sums(number + 400)];
            lines.extend(events(&earlier(number), FIRST_DAY + number as u64 * DAY, &exchanges));
        }
        let mut exchanges = self.exchanges();
        if has_recall {
            let numbers = (Self::COUNT - 1) * self.facts.len()..;
            for (number, fact) in numbers.zip(recalled()) {
                let place = exchanges.len() - 2;
                exchanges.remove(place);
                exchanges.push(fact.found(number));
            }
        }
        lines.extend(events(&self.id(), FIRST_DAY + 100 * DAY, &exchanges));
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Returns the next thing that the person says, at which the conversation outgrows the window.
    pub(super) fn next_words(&self) -> String {
        sums(self.index * 50 + AFTER).said
    }

    fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = vec![Exchange::new(HELLO, WELCOME)];
        for (place, fact) in self.facts.iter().enumerate() {
            exchanges.push(fact.told());
            exchanges.push(sums(self.index * 50 + place));
        }
        let after = self.facts.len()..AFTER;
        exchanges.extend(after.map(|place| sums(self.index * 50 + place)));
        exchanges
    }
}

impl Fact {
    /// Returns whether the last answer of a run has the word.
    pub(super) fn is_answered_by(&self, events: &[Value]) -> bool {
        let answer = of_type(events, "respond").filter(|event| event["malformed"] != true).last();
        let answer = answer.and_then(|event| event["content"].as_str()).unwrap_or_default();
        self.is_in(answer)
    }

    /// Returns whether the result of a call has the word.
    pub(super) fn is_found(&self, events: &[Value]) -> bool {
        of_type(events, "result").any(|result| self.is_in(&result["content"].to_string()))
    }

    fn is_in(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.answer.to_lowercase())
    }

    fn told(&self) -> Exchange {
        Exchange::new(&self.said, "Thank you, I will remember that.")
    }

    /// Returns the question, answered from the earlier conversation with this number.
    fn found(&self, number: usize) -> Exchange {
        let rows = json!([{
            "conversation": earlier(number), "title": sums(number + 300).said, "event": 3,
            "date": "Friday, 29 May 2026, 20:27 UTC, 3 months ago", "from": "user",
            "text": self.said,
        }]);
        let query = self.question.trim_end_matches('?').to_owned();
        let found = Some(Found { query, rows: rows.to_string() });
        Exchange { found, ..Exchange::new(&self.question, &self.said) }
    }
}

impl Exchange {
    fn new(said: &str, answer: &str) -> Self {
        Self { said: said.to_owned(), found: None, answer: answer.to_owned() }
    }
}

/// Returns the facts that the last questions of a conversation are about.
fn recalled() -> [Fact; 2] {
    [
        ("The age of Oscar is 52.", "What is the age of Oscar?", "52"),
        ("Ingrid works in the museum.", "Where does Ingrid work?", "museum"),
    ]
    .map(|(said, question, answer)| Fact {
        said: said.to_owned(),
        question: question.to_owned(),
        answer: answer.to_owned(),
    })
}

/// Returns the id of an earlier conversation.
fn earlier(number: usize) -> String {
    format!("earlier-{number}")
}

/// Returns a question about numbers and its answer.
fn sums(index: usize) -> Exchange {
    let (a, b) = (3 + index % 9, 11 + index * 7 % 13);
    let (said, answer) = match index % 5 {
        0 => (format!("How many legs do {b} horses have?"), format!("They have {} legs.", 4 * b)),
        1 => (
            format!("How much do {b} tickets of {a} euros cost?"),
            format!("They cost {} euros.", a * b),
        ),
        2 => (
            format!("How many minutes are {a} hours and {b} minutes?"),
            format!("These are {} minutes.", 60 * a + b),
        ),
        3 => (
            format!("How many eggs are in {a} boxes of {b}?"),
            format!("There are {} eggs in them.", a * b),
        ),
        _ => (
            format!("What is the area of a garden of {a} by {b} metres?"),
            format!("Its area is {} square metres.", a * b),
        ),
    };
    Exchange::new(&said, &answer)
}

/// Returns the lines of a conversation, whose turns are a minute apart.
fn events(conversation: &str, start: u64, exchanges: &[Exchange]) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut turn = 0;
    for Exchange { said, found, answer } in exchanges {
        turn += 1;
        let mut events =
            vec![json!({"type": "user", "content": said, "user": PERSON, "turn": turn})];
        if let Some(Found { query, rows }) = found {
            let call = json!({"name": "recall", "args": {"query": query, "limit": 1}}).to_string();
            let payload = json!({
                "tool": "recall", "status": "success", "outcome": "found 1 message",
                "content": rows, "error": false,
            });
            events.extend([
                json!({"type": "call", "id": "a1", "content": call, "turn": turn}),
                json!({
                    "type": "result", "id": "a1", "content": rows, "payload": payload, "turn": turn,
                }),
            ]);
            turn += 1;
        }
        events.push(json!({"type": "respond", "content": answer, "turn": turn}));
        for mut event in events {
            event["seq"] = (lines.len() + 1).into();
            event["timestamp"] = (start + 60 * turn).into();
            lines.push(json!({"conversation": conversation, "event": event}));
        }
    }
    lines
}

/// The user to whom the conversations belong.
pub(super) const PERSON: &str = "reader";

const HELLO: &str = "Hello. I will tell you a few things, and ask about others.";

const WELCOME: &str = "Good. Tell me what I should know, and ask whatever you like.";

/// The number of questions about numbers in a conversation: 28 of them come after the last fact.
const AFTER: usize = 32;

/// The first day of the earlier conversations, in 2026, and the seconds of a day.
const FIRST_DAY: u64 = 1_780_000_000;
const DAY: u64 = 86_400;

const NAMES: [&str; 4 * Talk::COUNT] = [
    "Anna", "Bert", "Carla", "David", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Karin",
    "Leo", "Marta", "Nils", "Olga", "Paul", "Rosa", "Sven", "Tilda", "Uwe", "Vera", "Walter",
    "Xenia", "Yusuf",
];

const TOWNS: [&str; Talk::COUNT] = ["Lisbon", "Oslo", "Vienna", "Dublin", "Krakow", "Geneva"];

const PLACES: [&str; Talk::COUNT] =
    ["chapel", "windmill", "bakery", "stable", "lighthouse", "greenhouse"];

const DISHES: [&str; Talk::COUNT] = ["goulash", "paella", "risotto", "lasagne", "ramen", "fondue"];
