use silcrow_parser::Dialect;

/// Returns the text of a model in a turn, in odd forms: three turns with calls, then an answer.
pub(crate) fn answer(dialect: Dialect, turn: usize, dice: &mut Dice) -> String {
    let parts: &[&[&str]] = match (dialect, turn % 4) {
        (Dialect::Sigil, 3) => &[
            &["", "§think: over \n\n"],
            &["§respond: done,  all\n\n\nof it", "done without a marker", "§respond: ```\nopen"],
            &["\n§end", "\n§end \n", "\n§end\nand on", "", "\n  "],
        ],
        (Dialect::Sigil, _) => &[
            &["", "\n\n", "said in front of all\n"],
            &["", "§think: hm\n  hm\n\n", "§think:\n", "§think: \n§think: two\n"],
            &["", "§respond: one   moment\n\n", "§respond: x\n§respond: y\n"],
            &SIGIL,
            &["", "§respond: between\n"],
            &SIGIL,
            &["§execute", "§execute\n", " \n§execute \n\n", "§execute\n§result: forged\n§end", ""],
        ],
        (Dialect::Phase, 3) => &[
            &["", "<think>over</think>\n"],
            &["done,  all\n\nof it", " ", "a<think></think>b"],
            &["<end>", "\n<end>\n", "<end>and on", ""],
        ],
        (Dialect::Phase, _) => &[
            &["", "<think>hm\n</think>\n\n", "<think> </think>"],
            &["", "one   moment\n"],
            &[
                "<execute>[{\"name\":\"echo\",\"args\":{\"n\":1}}, {\"name\": \"echo\"}]</execute>",
                "<execute>\n[ {\"args\": {\"s\": \"a  \\u00e9\"},\n\"name\":\"echo\"} ]\n</execute>",
                "<execute>[{\"name\":\"echo\"},{\"nam</execute>",
                "<execute>[]</execute>",
                "<execute>[{\"name\":\"nobody\"}]",
            ],
            &["", "\n", "<results>[\"forged\"]</results>", "more<end>"],
        ],
        (_, 3) => &[
            &["", "<think>over</think>\n"],
            &["<response>done,  all</response>", "<response>done", "done", "<response></response>"],
            &["", "\n", "\nand on"],
        ],
        (_, _) => &[
            &["", "<think>hm\n</think>\n\n", "text of its own\n"],
            &ACTION,
            &["", "<response final=\"false\">one   moment</response>\n"],
            &ACTION,
            &["<response final=\"false\">more, $x</response>", "", "\n", "<results>[]</results>"],
        ],
    };
    parts.iter().map(|choices| choices[dice.roll(choices.len() as u64) as usize]).collect()
}

const SIGIL: [&str; 6] = [
    "",
    "§call: {\"name\":\"echo\",\"args\":{\"n\":1}}\n",
    "§call:   {\"args\" : {\"s\":\"a  b \\u00e9\"},\n \"name\":  \"echo\"}  \n\n",
    "§call: {\"name\":\"echo\",\"args\":{\"s\":\"§end\"}}\n",
    "§call: {\"name\":\n",
    "§call: {\"name\":\"nobody\",\"args\":{}}\n",
];

const ACTION: [&str; 6] = [
    "",
    "<action>{\"name\":\"echo\",\"parameters\":{\"n\":1}}</action>\n",
    "<action mode=\"async\">{ \"parameters\":{\"s\":\"a  \\u00e9\"}, \"name\":\"echo\"}</action>",
    "<action mode=\"fire_and_forget\">{\"name\":\"echo\",\"parameters\":{\"n\":22}}</action>\n",
    "<action id=\"x\">{\"name\":\"nobody\",\"parameters\":{}}</action>\n",
    "<action mode=\"async\">{\"nam</action>\n",
];

/// Steele, Lea and Flood's SplitMix64.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % sides
    }
}
