//! Tokens by the formulas of vendors, beside figures that the vendors publish.

use proptest::prelude::*;
use silcrow_media::{ImageSize, ImageTokenRule};

fn tokens(model: &str, width: u32, height: u32) -> u32 {
    ImageTokenRule::of_model(model).tokens(ImageSize { width, height })
}

#[test]
fn published_figures_hold() {
    // OpenAI's own examples.
    assert_eq!(tokens("gpt-4o", 1024, 1024), 765);
    assert_eq!(tokens("gpt-4o", 2048, 4096), 1105);
    // 1024 squares, and 1452 after scaling, each 1.62 tokens.
    assert_eq!(tokens("gpt-4.1-mini", 1024, 1024), 1659);
    assert_eq!(tokens("gpt-4.1-mini", 1800, 2400), 2353);
    // One tile, and four.
    assert_eq!(tokens("gemini-2.5-flash", 384, 384), 258);
    assert_eq!(tokens("gemini-2.5-flash", 1536, 1536), 1032);
    assert_eq!(tokens("gemini-3-pro", 5000, 5000), 1120);
    // The older formula, pixels divided by 750, agrees within five percent.
    for (width, height) in [(1000, 1000), (1092, 1092), (951, 1268)] {
        let (new, old) = (tokens("claude-haiku-4-5", width, height), width * height / 750);
        assert!(new.abs_diff(old) * 10 <= old * 3 / 2, "{width} × {height}: {new}, {old}");
    }
}

#[test]
fn names_of_models_may_have_a_vendor() {
    for name in ["claude-sonnet-5", "anthropic/claude-sonnet-5-20260801", "Claude-Sonnet-5"] {
        let rule = ImageTokenRule::Squares { long_edge: 2576, most: 4784 };
        assert_eq!(ImageTokenRule::of_model(name), rule, "{name}");
    }
    assert_eq!(ImageTokenRule::of_model(""), ImageTokenRule::UNKNOWN);
}

proptest! {
    /// Of any size, a picture costs something, and no more than the formula's most.
    #[test]
    fn tokens_have_bounds(width in any::<u32>(), height in any::<u32>()) {
        let size = ImageSize { width, height };
        let bounds = [
            ("claude", 1568),
            ("claude-sonnet-5", 4784),
            ("gpt-4.1-mini", 2489),
            ("my-own-model", 1600),
        ];
        for (model, most) in bounds {
            let tokens = ImageTokenRule::of_model(model).tokens(size);
            prop_assert!((1..=most).contains(&tokens), "{model}: {tokens}");
        }
        prop_assert!(ImageTokenRule::Tiles.tokens(size) >= 85);
    }
}
