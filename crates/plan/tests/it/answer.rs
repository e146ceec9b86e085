//! The text of an answer: names in it, and the calls that it waits for (P-24, P-26).

use proptest::prelude::*;
use silcrow_event::{ActionAttributes, CallMode, Json};
use silcrow_plan::{AnswerPiece, AnswerRenderer, Plan};

use crate::play::{action, after, decided, failed, ok, using, with};

/// Returns the renderer's output for each of these pieces, and then for the end.
fn said(plan: &Plan, answer: &mut AnswerRenderer, pieces: &[&str]) -> Vec<String> {
    let mut said = Vec::new();
    for piece in pieces {
        said.push(taken(|give| answer.push(plan, piece, give)));
    }
    said.push(taken(|give| answer.close(plan, give)));
    said
}

fn taken(give: impl FnOnce(&mut dyn FnMut(AnswerPiece<'_>))) -> String {
    let mut said = String::new();
    give(&mut |piece| match piece {
        AnswerPiece::Text(text) => said.push_str(text),
        AnswerPiece::Unbound { name, .. } => said.push_str(&format!("[{name}?]")),
        AnswerPiece::Close => said.push('.'),
    });
    said
}

fn bound() -> Plan {
    let mut plan = Plan::new();
    plan.preset("wiki", Json::string("the page"));
    plan.preset("wiki_2", Json::parse("[1, 2]").unwrap());
    plan
}

#[test]
fn outputs_stand_in_place_of_names() {
    let text = ["**$wiki**, $wiki_2; $wiki_3 $$wiki $$ $5 $"];
    let said = said(&bound(), &mut AnswerRenderer::new(), &text);
    let want = ["**the page**, [1,2]; $wiki_3[wiki_3?] $wiki $$ $5 ", "$."];
    assert_eq!(said, want);
}

#[test]
fn only_partial_names_are_withheld() {
    let plan = bound();
    let mut answer = AnswerRenderer::new();
    let pieces = ["a $", "w", "iki", "_", "2", " $wiki", "_", "22", "2", "! $$", "$$", "a"];
    let want =
        ["a ", "", "", "", "", "[1,2] ", "", "$wiki_22", "2", "[wiki_222?]! ", "$$", "$a", "."];
    assert_eq!(said(&plan, &mut answer, &pieces), want);
}

#[test]
fn text_waits_only_for_pending_name() {
    let mut plan = Plan::new();
    plan.push(using("a", "{}"));
    plan.push(using("b", "{}"));
    decided(&mut plan);
    let mut answer = AnswerRenderer::new();
    assert_eq!(said(&plan, &mut answer, &["one $a two $b three"]), ["one ", ""]);
    ok(&mut plan, "b", "\"B\"");
    assert_eq!(taken(|give| answer.resume(&plan, give)), "");
    ok(&mut plan, "a", "\"A $b\"");
    assert_eq!(taken(|give| answer.resume(&plan, give)), "A $b two B three.");
    assert!(!answer.is_waiting());
}

#[test]
fn failed_name_stays_as_written() {
    let mut plan = Plan::new();
    plan.push(using("a", "{}"));
    decided(&mut plan);
    let mut answer = AnswerRenderer::new();
    assert_eq!(said(&plan, &mut answer, &["<$a>"]), ["<", ""]);
    failed(&mut plan, "a");
    assert_eq!(taken(|give| answer.resume(&plan, give)), "$a[a?]>.");
}

#[test]
fn text_waits_for_a_sync_action_before_it() {
    let mut plan = Plan::new();
    let keyed =
        ActionAttributes { output_key: Some("k".to_owned()), mode: CallMode::Sync, ..after(&[]) };
    plan.push(with("s", "{}", keyed));
    decided(&mut plan);
    let mut answer = AnswerRenderer::new();
    assert_eq!(said(&plan, &mut answer, &["one $k", " two"]), ["", "", ""]);
    // A later one changes nothing.
    plan.push(action("t", CallMode::Sync, &[]));
    ok(&mut plan, "s", "7");
    assert_eq!(taken(|give| answer.resume(&plan, give)), "one 7 two.");
    let mut behind = AnswerRenderer::new();
    assert_eq!(said(&plan, &mut behind, &["three"]), ["", ""]);
    decided(&mut plan);
    ok(&mut plan, "t", "8");
    assert_eq!(taken(|give| behind.resume(&plan, give)), "three.");
}

#[test]
fn beyond_limit_it_only_closes() {
    let mut plan = Plan::new();
    plan.push(using("a", "{}"));
    decided(&mut plan);
    // 256 KiB for each of 100,000 names would be 24 GiB.
    let names = "$a ".repeat(100_000);
    let page = Json::string(&"x".repeat(256 << 10));
    let mut waiting = AnswerRenderer::with_limit(1 << 20);
    assert_eq!(said(&plan, &mut waiting, &[&names]), ["", ""]);
    ok(&mut plan, "a", page.as_str());
    let out = taken(|give| waiting.resume(&plan, give));
    assert!(waiting.is_limit_exceeded() && !waiting.is_waiting());
    // Three fit, with a space after each.
    assert_eq!(out.len(), 3 * ((256 << 10) + 1) + 1);
    assert!(out.ends_with("x ."));
    let mut at_once = AnswerRenderer::with_limit(1 << 20);
    assert_eq!(said(&plan, &mut at_once, &[&names]).concat(), out);
    let mut fits = AnswerRenderer::with_limit(7);
    assert_eq!(said(&plan, &mut fits, &["seven 7"]), ["seven 7", "."]);
    assert!(!fits.is_limit_exceeded());
}

proptest! {
    /// However the text is cut, the output is the same.
    #[test]
    fn the_cuts_do_not_matter(text in "[$wik_2aé ]{0,24}", cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let plan = bound();
        let whole = said(&plan, &mut AnswerRenderer::new(), &[&text]).concat();
        let mut cuts = Vec::from_iter(cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))));
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces = Vec::from_iter(cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]));
        // An unbound name is reported where it ends, which may be after its text.
        let text_of = |said: String| said.split(['[', ']']).step_by(2).collect::<String>();
        prop_assert_eq!(text_of(said(&plan, &mut AnswerRenderer::new(), &pieces).concat()), text_of(whole));
    }
}
