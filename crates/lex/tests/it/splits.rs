//! The split gallery: the tokens for each delimiter and each position where a chunk may cut it.
//! `cargo xtask splits` regenerates it.

use silcrow_lex::{Dialect, Lexer};

use crate::notation::{Notation, marked, unmarked};

/// A delimiter in its context; the gallery cuts between the two `│`.
const SIGIL: &[(&str, &str)] = &[
    ("think", "a␊│§think:│ b"),
    ("call", "a␊│§call:│ {}"),
    ("respond", "a␊│§respond:│ b"),
    ("result", "a␊│§result:│ b"),
    ("execute", "a␊│§execute│␊b"),
    ("end", "a␊│§end│␊b"),
    ("escaped", "a␊│§§end│␊b"),
    ("no_marker", "a␊│§endpoint│␊b"),
    ("within_a_line", "a │§end│ b"),
    ("call_and_marker", "§call: │{\"n\":\"§end\"} §execute│␊"),
    ("broken_string", "§call: {\"n\":\"│x␊§end│␊"),
    ("indented", "a␊│   §end│␊b"),
    ("indented_too_far", "a␊│    §end│␊b"),
    ("after_a_fence", "a␊│``` §end│␊b"),
    ("after_two_ticks", "a␊│``§end│␊b"),
    ("another_body", "§call: {}│; {}│␊b"),
];

const PHASE: &[(&str, &str)] = &[
    ("think", "a│<think>│b"),
    ("think_end", "<think>a│</think>│b"),
    ("execute", "a│<execute>│[]"),
    ("execute_end", "<execute>[{}]│</execute>│b"),
    ("results", "a│<results>│b"),
    ("results_end", "<results>a│</results>│b"),
    ("end", "a│<end>│b"),
    ("escaped", "a│<<end>│b"),
    ("no_marker", "a│<ending>│b"),
    ("code", "a `│<execute>│`"),
    ("code_with_end", "a `│<end>│`"),
    ("end_after_code", "`a`│<end>│␊"),
    ("three_ticks", "a ```│<end>│b"),
    ("list", "<execute>│[{\"n\":1},{}]│</execute>"),
    ("stray_text", "<execute>[{}│ so ] [{}]│</execute>"),
];

const ACTION: &[(&str, &str)] = &[
    ("thought", "a│<thought>│b"),
    ("thought_end", "<thought>a│</thought>│b"),
    ("action", "a│<action>│{}"),
    ("action_end", "<action>{}│</action>│b"),
    ("response", "a│<response>│b"),
    ("response_end", "<response>a│</response>│b"),
    ("results", "a│<results>│b"),
    ("results_end", "<results>a│</results>│b"),
    ("comment", "a│<!--│b"),
    ("comment_end", "<!--a│-->│b"),
    ("attributes", "a│<action id=\"b>\" c = d>│{}"),
    ("array", "a│<action b=['x\">\"]>│{}"),
    ("final", "a│<response final='false'>│b"),
    ("if", "a│<if>│b"),
    ("if_end", "a│</if>│b"),
    ("then", "a│<then>│b"),
    ("then_end", "a│</then>│b"),
    ("else", "a│<else>│b"),
    ("else_end", "a│</else>│b"),
    ("foreach", "a│<foreach>│b"),
    ("foreach_end", "a│</foreach>│b"),
    ("parallel", "a│<parallel>│b"),
    ("parallel_end", "a│</parallel>│b"),
    ("transaction", "a│<transaction>│b"),
    ("transaction_end", "a│</transaction>│b"),
    ("value", "a│<value>│b"),
    ("value_end", "a│</value>│b"),
    ("block_attributes", "a│<if test='x < \">\"' id=b>│c"),
    ("block_without_content", "a│<value name=x expr='1'/>│b"),
    ("doubled_block", "a│<<if test='a'>│b"),
    ("no_block", "a│<if test='a␊'>│b"),
    ("doubled", "a│<<thought>│b"),
    ("doubled_end", "<response>a│<</response>│b"),
    ("doubled_tag", "a│<<action id=b>│c"),
    ("doubled_comment", "a│<<!--│b"),
    ("tripled_tag", "a│<<<response>│b"),
    ("no_marker", "a│<thoughts>│b"),
    ("no_tag", "a│<action id=b/>│c"),
    ("doubled_no_tag", "a│<<action id>│b"),
    ("tag_in_a_tag", "a│<action id=\"<thought>│b"),
    ("no_comment", "a│<!-b-->│c"),
    ("forgotten_thought", "<thought>a␊│<response>│b"),
    ("within_a_line", "<thought>a│<response>│b"),
    ("action_in_thought", "<thought>a│<action>{}</action>│b"),
    ("code", "a `│<action id=b>│`"),
    ("code_with_end", "<thought>a `│</thought>│` b"),
    ("end_after_code", "<thought>`a`│</thought>│b"),
    ("doubled_in_code", "<response>`│<</response>│`b"),
    ("body", "<action>│{\"n\":\"</action>\"} </action>│"),
    ("broken_string", "<action>{\"n\":\"│x␊</action>│b"),
    ("another_body", "<action>{}│; {} so│</action>"),
];

#[test]
fn sigil() {
    gallery(Dialect::Sigil, SIGIL);
}

#[test]
fn phase() {
    gallery(Dialect::Phase, PHASE);
}

#[test]
fn action() {
    gallery(Dialect::Action, ACTION);
}

#[test]
fn every_delimiter_is_in_the_gallery() {
    for (dialect, samples) in
        [(Dialect::Sigil, SIGIL), (Dialect::Phase, PHASE), (Dialect::Action, ACTION)]
    {
        for (_, literal) in dialect.delimiters() {
            assert!(
                samples.iter().any(|(_, text)| text.contains(&format!("│{literal}│"))),
                "{literal} is missing"
            );
        }
    }
}

fn gallery(dialect: Dialect, samples: &[(&str, &str)]) {
    for (name, sample) in samples {
        let picture = picture(dialect, sample);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{}_{name}", dialect.as_str()), picture);
        });
    }
}

/// Writes one line per cut: the text with the cut, the tokens of the first chunk, the pending text,
/// after `┊` the tokens of the second chunk, and after `␄` the tokens at the end of the input.
fn picture(dialect: Dialect, sample: &str) -> String {
    let from = sample.find('│').expect("it has a beginning");
    let to = sample.rfind('│').expect("it has an end") - '│'.len_utf8();
    let plain = sample.replace('│', "");
    let cuts = (from..=to).filter(|&at| plain.is_char_boundary(at));
    cuts.map(|at| row(dialect, plain.split_at(at)) + "\n").collect()
}

fn row(dialect: Dialect, (left, right): (&str, &str)) -> String {
    let mut lexer = Lexer::new(dialect);
    let text = unmarked(left);
    let [mut first, mut second, mut end] = [const { Notation::new() }; 3];
    first.read(&mut lexer, &text);
    second.read(&mut lexer, &unmarked(right));
    end.finish(&mut lexer);
    let pending = match &text[first.len()..] {
        "" => String::new(),
        pending => format!(" pending ‹{}›", marked(pending)),
    };
    let end = if end.len() == 0 { String::new() } else { format!(" ␄ {end}") };
    format!("{left}┊{right}   {first}{pending} ┊ {second}{end}")
}
