//! A recogniser of GBNF, with a set of stacks of possible continuations, as in llama.cpp.

use std::collections::{BTreeSet, HashMap};

/// A grammar, with a cache: each set of stacks has a number, and its transitions are kept.
pub(crate) struct Gbnf {
    /// The alternatives of each rule.
    rules: Vec<Vec<Vec<Item>>>,
    sets: Vec<BTreeSet<Stack>>,
    numbers: HashMap<BTreeSet<Stack>, StackSet>,
    moves: HashMap<(StackSet, char), StackSet>,
}

/// The state after a text: the number of a set of stacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StackSet(usize);

#[derive(Clone, Debug)]
enum Item {
    /// One character of these ranges.
    Chars(Vec<(char, char)>),
    Rule(usize),
}

/// A position in a rule: the indices of the rule, the alternative and the item.
type Spot = (usize, usize, usize);

/// The positions still to match; the next one is last.
type Stack = Vec<Spot>;

impl Gbnf {
    pub(crate) fn new(text: &str) -> Self {
        let mut reader = Reader { chars: vec![], at: 0, rules: vec![], names: HashMap::new() };
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, body) = line.split_once(" ::= ").unwrap();
            let rule = reader.rule(name);
            reader.chars = body.chars().collect();
            reader.at = 0;
            assert!(reader.rules[rule].is_empty(), "{name} is defined twice");
            reader.rules[rule] = reader.alternatives();
            assert_eq!(reader.at, reader.chars.len(), "{line}");
        }
        assert!(reader.rules.iter().all(|rule| !rule.is_empty()), "every rule is defined");
        let root = reader.names["root"];
        let (sets, numbers, moves) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut gbnf = Self { rules: reader.rules, sets, numbers, moves };
        let mut first = BTreeSet::new();
        gbnf.expand(vec![(root, 0, 0)], &mut first);
        assert_eq!(gbnf.state(first), Self::START);
        gbnf
    }

    /// The state before any text.
    pub(crate) const START: StackSet = StackSet(0);

    pub(crate) fn accepts(&mut self, text: &str) -> bool {
        let end = self.after(Self::START, text);
        self.may_end(end)
    }

    /// Returns the state after `text`.
    pub(crate) fn after(&mut self, state: StackSet, text: &str) -> StackSet {
        text.chars().fold(state, |state, char| {
            if let Some(&known) = self.moves.get(&(state, char)) {
                return known;
            }
            let mut next = BTreeSet::new();
            for stack in &self.sets[state.0] {
                self.take(stack.clone(), char, &mut next);
            }
            assert!(next.len() < 100, "{} stacks", next.len());
            let to = self.state(next);
            self.moves.insert((state, char), to);
            to
        })
    }

    /// Returns whether a text may end in this state.
    pub(crate) fn may_end(&self, state: StackSet) -> bool {
        self.sets[state.0].contains(&vec![])
    }

    fn state(&mut self, set: BTreeSet<Stack>) -> StackSet {
        *self.numbers.entry(set).or_insert_with_key(|set| {
            self.sets.push(set.clone());
            StackSet(self.sets.len() - 1)
        })
    }

    fn take(&self, mut stack: Stack, char: char, out: &mut BTreeSet<Stack>) {
        let Some((rule, alternative, item)) = stack.pop() else { return };
        let Item::Chars(ranges) = &self.rules[rule][alternative][item] else {
            panic!("a stack waits for a character")
        };
        if ranges.iter().any(|&(low, high)| (low..=high).contains(&char)) {
            stack.push((rule, alternative, item + 1));
            self.expand(stack, out);
        }
    }

    /// Expands rules until the next item is a character.
    fn expand(&self, mut stack: Stack, out: &mut BTreeSet<Stack>) {
        assert!(stack.len() < 500, "a stack that grows: {:?}", &stack[..20]);
        let Some((rule, alternative, item)) = stack.pop() else {
            out.insert(stack);
            return;
        };
        match self.rules[rule][alternative].get(item) {
            None => self.expand(stack, out),
            Some(Item::Chars(_)) => {
                stack.push((rule, alternative, item));
                out.insert(stack);
            }
            Some(&Item::Rule(next)) => {
                // The last item of an alternative leaves no position to return to.
                if item + 1 < self.rules[rule][alternative].len() {
                    stack.push((rule, alternative, item + 1));
                }
                for alternative in 0..self.rules[next].len() {
                    let mut stack = stack.clone();
                    stack.push((next, alternative, 0));
                    self.expand(stack, out);
                }
            }
        }
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    rules: Vec<Vec<Vec<Item>>>,
    names: HashMap<String, usize>,
}

impl Reader {
    fn rule(&mut self, name: &str) -> usize {
        if let Some(&rule) = self.names.get(name) {
            return rule;
        }
        let rule = self.add(vec![]);
        self.names.insert(name.to_owned(), rule);
        rule
    }

    fn add(&mut self, alternatives: Vec<Vec<Item>>) -> usize {
        self.rules.push(alternatives);
        self.rules.len() - 1
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> char {
        self.at += 1;
        self.chars[self.at - 1]
    }

    fn skip(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn alternatives(&mut self) -> Vec<Vec<Item>> {
        let mut alternatives = vec![vec![]];
        loop {
            self.skip();
            match self.peek() {
                None | Some(')') => return alternatives,
                Some('|') => {
                    self.at += 1;
                    alternatives.push(vec![]);
                }
                Some(_) => {
                    let item = self.item();
                    let item = self.repeated(item);
                    alternatives.last_mut().unwrap().extend(item);
                }
            }
        }
    }

    fn item(&mut self) -> Vec<Item> {
        match self.next() {
            '"' => {
                let mut items = Vec::new();
                while self.peek() != Some('"') {
                    let char = self.char();
                    items.push(Item::Chars(vec![(char, char)]));
                }
                self.at += 1;
                items
            }
            '[' => vec![Item::Chars(self.class())],
            '.' => vec![Item::Chars(vec![('\0', char::MAX)])],
            '(' => {
                let alternatives = self.alternatives();
                assert_eq!(self.next(), ')');
                vec![Item::Rule(self.add(alternatives))]
            }
            first => {
                let mut name = String::from(first);
                while let Some(char) =
                    self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '-')
                {
                    name.push(char);
                    self.at += 1;
                }
                vec![Item::Rule(self.rule(&name))]
            }
        }
    }

    /// Applies `*`, `+`, `?`, `{m}`, `{m,}` or `{m,n}` after an item.
    fn repeated(&mut self, item: Vec<Item>) -> Vec<Item> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let close = self.chars[self.at..].iter().position(|char| *char == '}').unwrap();
                let count: String = self.chars[self.at + 1..self.at + close].iter().collect();
                self.at += close;
                match count.split_once(',') {
                    None => (count.parse().unwrap(), Some(count.parse().unwrap())),
                    Some((min, "")) => (min.parse().unwrap(), None),
                    Some((min, max)) => (min.parse().unwrap(), Some(max.parse().unwrap())),
                }
            }
            _ => return item,
        };
        self.at += 1;
        let mut tail = match max {
            Some(_) => vec![],
            None => {
                let rule = self.add(vec![]);
                let again = [&item[..], &[Item::Rule(rule)]].concat();
                self.rules[rule] = vec![vec![], again];
                vec![Item::Rule(rule)]
            }
        };
        for _ in min..max.unwrap_or(min) {
            let more = [&item[..], &tail].concat();
            tail = vec![Item::Rule(self.add(vec![vec![], more]))];
        }
        [vec![item; min].concat(), tail].concat()
    }

    fn class(&mut self) -> Vec<(char, char)> {
        let negated = self.peek() == Some('^');
        self.at += usize::from(negated);
        let mut ranges = Vec::new();
        while self.peek() != Some(']') {
            let low = self.char();
            let high = if self.peek() == Some('-') {
                self.at += 1;
                self.char()
            } else {
                low
            };
            ranges.push((low, high));
        }
        self.at += 1;
        if !negated {
            return ranges;
        }
        ranges.sort_unstable();
        let mut gaps = Vec::new();
        let mut from = '\0'..=char::MAX;
        for (low, high) in ranges {
            gaps.extend((*from.start()..low).next_back().map(|last| (*from.start(), last)));
            from = (high..=char::MAX).nth(1).unwrap()..=char::MAX;
        }
        gaps.push(from.into_inner());
        gaps
    }

    fn char(&mut self) -> char {
        match self.next() {
            '\\' => {}
            char => return char,
        }
        let digits = match self.next() {
            'n' => return '\n',
            'r' => return '\r',
            't' => return '\t',
            'x' => 2,
            'u' => 4,
            'U' => 8,
            char @ ('"' | '\\' | '[' | ']') => return char,
            other => panic!("unknown escape {other:?}"),
        };
        let hex: String = (0..digits).map(|_| self.next()).collect();
        char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap()
    }
}
