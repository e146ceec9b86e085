use crate::MACHINES;
use crate::message::{Message, odd};
use crate::peer::{Answer, Machine};

/// Counts the two-way cuts at which a parser's answer differs from its own answer to the whole
/// text: over the first messages of the corpus, and over short difficult ones.
pub(crate) fn table(messages: &[Message]) {
    let (messages, odd) = (&messages[..messages.len().min(8)], odd());
    println!("\ncuts in two at which the answer is not that of the whole");
    println!("{:<18}{:>20}{:>20}{:>28}", "", "corpus", "hard", "hard ones not read whole");
    for machine in MACHINES.iter().filter(|machine| machine.thoughts || machine.calls) {
        let [corpus, hard] = [messages, &odd].map(|messages| {
            let counts = messages.iter().map(|message| differing(machine, message));
            counts.fold((0, 0), |sum, more| (sum.0 + more.0, sum.1 + more.1))
        });
        let wrong: Vec<_> = (odd.iter().zip(1..))
            .filter(|(message, _)| !is_read(machine, message))
            .map(|(_, number)| number.to_string())
            .collect();
        let of = |(differ, cuts)| format!("{differ} of {cuts}");
        println!("{:<18}{:>20}{:>20}{:>28}", machine.name, of(corpus), of(hard), wrong.join(" "));
    }
}

/// Returns the number of cuts at which the answer differs, and the number of all cuts.
fn differing(machine: &Machine, message: &Message) -> (usize, usize) {
    let text = (machine.wire)(message);
    let whole = (machine.answer)(&[&text]);
    let cuts = (1..text.len()).filter(|at| text.is_char_boundary(*at));
    let differs = |at: usize| {
        let (before, after) = text.split_at(at);
        usize::from((machine.answer)(&[before, after]) != whole)
    };
    cuts.fold((0, 0), |(differ, cuts), at| (differ + differs(at), cuts + 1))
}

/// Returns whether the answer to the whole text is right, to the extent that the parser separates
/// thoughts and calls.
fn is_read(machine: &Machine, message: &Message) -> bool {
    let text = (machine.wire)(message);
    let answer = (machine.answer)(&[&text]);
    let Answer { thought, calls, .. } = Answer::meant(message);
    (!machine.thoughts || answer.thought == thought) && (!machine.calls || answer.calls == calls)
}
